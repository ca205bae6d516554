// Products of f32 go to tile registers as products of three parts of bf16, in a
// step for each part and one more for the size of the numbers; where rows and
// columns are known to be many enough and the sum long enough to be as exact.
// RUN: aik-opt %s --aik-pack-products --split-input-file | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"amx", arch = "x86_64", features = "+avx512f,+amx-bf16", vector_bits = 512>} {
  // The least that is worth it.
  // CHECK-LABEL: func.func @least(
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 1 : i64, panel_dim = 0 : i64, parts = 3 : i64} : (tensor<64x32xf32>, tensor<1x2x4x32x32xbf16>)
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64, parts = 3 : i64, step_multiple = 16 : i64} : (tensor<32x64xf32>, tensor<1x2x64x32x2xbf16>)
  // CHECK: instruction = "tdpbf16ps.f32"
  func.func @least(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%c : tensor<64x64xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }

  // A panel with all of such a sum is one block.
  // CHECK-LABEL: func.func @one_block(
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 1 : i64, panel_dim = 0 : i64, parts = 3 : i64} : (tensor<96x192xf32>, tensor<1x3x19x32x32xbf16>)
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64, parts = 3 : i64, step_multiple = 16 : i64} : (tensor<192x72xf32>, tensor<1x3x304x32x2xbf16>)
  // CHECK: instruction = "tdpbf16ps.f32"
  func.func @one_block(%a: tensor<96x192xf32>, %b: tensor<192x72xf32>, %c: tensor<96x72xf32>) -> tensor<96x72xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<96x192xf32>, tensor<192x72xf32>) outs(%c : tensor<96x72xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<96x72xf32>
    return %0 : tensor<96x72xf32>
  }

  // A longer one is several.
  // CHECK-LABEL: func.func @blocks(
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 1 : i64, panel_dim = 0 : i64, parts = 3 : i64} : (tensor<96x800xf32>, tensor<7x3x13x32x32xbf16>)
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64, parts = 3 : i64, step_multiple = 16 : i64} : (tensor<800x72xf32>, tensor<7x3x208x32x2xbf16>)
  // CHECK: instruction = "tdpbf16ps.f32"
  func.func @blocks(%a: tensor<96x800xf32>, %b: tensor<800x72xf32>, %c: tensor<96x72xf32>) -> tensor<96x72xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<96x800xf32>, tensor<800x72xf32>) outs(%c : tensor<96x72xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<96x72xf32>
    return %0 : tensor<96x72xf32>
  }

  // Fewer rows read weights that are two thirds as large.
  // CHECK-LABEL: func.func @few_rows(
  // CHECK-NOT: parts
  // CHECK: instruction = "vfmadd.f32.512"
  func.func @few_rows(%a: tensor<63x64xf32>, %b: tensor<64x64xf32>, %c: tensor<63x64xf32>) -> tensor<63x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<63x64xf32>, tensor<64x64xf32>) outs(%c : tensor<63x64xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<63x64xf32>
    return %0 : tensor<63x64xf32>
  }

  // Fewer columns do not pay for the parts of the rows.
  // CHECK-LABEL: func.func @few_columns(
  // CHECK-NOT: parts
  // CHECK: instruction = "vfmadd.f32.512"
  func.func @few_columns(%a: tensor<64x64xf32>, %b: tensor<64x63xf32>, %c: tensor<64x63xf32>) -> tensor<64x63xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x64xf32>, tensor<64x63xf32>) outs(%c : tensor<64x63xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<64x63xf32>
    return %0 : tensor<64x63xf32>
  }

  // A short sum rounds more often in parts than as it is.
  // CHECK-LABEL: func.func @short(
  // CHECK-NOT: parts
  // CHECK: instruction = "vfmadd.f32.512"
  func.func @short(%a: tensor<64x31xf32>, %b: tensor<31x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x31xf32>, tensor<31x64xf32>) outs(%c : tensor<64x64xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }

  // What is not known may be little.
  // CHECK-LABEL: func.func @unknown_rows(
  // CHECK-NOT: parts
  // CHECK: instruction = "vfmadd.f32.512"
  func.func @unknown_rows(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x64xf32>, tensor<64x64xf32>) outs(%c : tensor<?x64xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<?x64xf32>
    return %0 : tensor<?x64xf32>
  }

  // What is not known may be little.
  // CHECK-LABEL: func.func @unknown_columns(
  // CHECK-NOT: parts
  // CHECK: instruction = "vfmadd.f32.512"
  func.func @unknown_columns(%a: tensor<64x64xf32>, %b: tensor<64x?xf32>, %c: tensor<64x?xf32>) -> tensor<64x?xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x64xf32>, tensor<64x?xf32>) outs(%c : tensor<64x?xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<64x?xf32>
    return %0 : tensor<64x?xf32>
  }

  // What is not known may be little.
  // CHECK-LABEL: func.func @unknown_sum(
  // CHECK-NOT: parts
  // CHECK: instruction = "vfmadd.f32.512"
  func.func @unknown_sum(%a: tensor<64x?xf32>, %b: tensor<?x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x?xf32>, tensor<?x64xf32>) outs(%c : tensor<64x64xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }

  // So does attention, of f32 alone, with as many queries and features.
  // CHECK-LABEL: func.func @attention(
  // CHECK: aikernel.online_attention {{.*}} {instruction = "tdpbf16ps.f32"}
  func.func @attention(%q: tensor<1x1x64x32xf32>, %k: tensor<1x1x?x32xf32>, %scale: f32, %acc: tensor<1x1x64x32xf32>, %max: tensor<1x1x64xf32>) -> tensor<1x1x64x32xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %max : (tensor<1x1x64x32xf32>, tensor<1x1x?x32xf32>, tensor<1x1x?x32xf32>, f32, index, index, index, tensor<1x1x64x32xf32>, tensor<1x1x64xf32>, tensor<1x1x64xf32>) -> (tensor<1x1x64x32xf32>, tensor<1x1x64xf32>, tensor<1x1x64xf32>)
    return %r#0 : tensor<1x1x64x32xf32>
  }

  // CHECK-LABEL: func.func @few_queries(
  // CHECK: aikernel.online_attention {{.*}} {instruction = "vfmadd.f32.512"}
  func.func @few_queries(%q: tensor<1x1x63x64xf32>, %k: tensor<1x1x?x64xf32>, %scale: f32, %acc: tensor<1x1x63x64xf32>, %max: tensor<1x1x63xf32>) -> tensor<1x1x63x64xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %max : (tensor<1x1x63x64xf32>, tensor<1x1x?x64xf32>, tensor<1x1x?x64xf32>, f32, index, index, index, tensor<1x1x63x64xf32>, tensor<1x1x63xf32>, tensor<1x1x63xf32>) -> (tensor<1x1x63x64xf32>, tensor<1x1x63xf32>, tensor<1x1x63xf32>)
    return %r#0 : tensor<1x1x63x64xf32>
  }

  // CHECK-LABEL: func.func @unknown_queries(
  // CHECK: aikernel.online_attention {{.*}} {any_queries, instruction = "vfmadd.f32.512"}
  func.func @unknown_queries(%q: tensor<1x1x?x64xf32>, %k: tensor<1x1x?x64xf32>, %scale: f32, %acc: tensor<1x1x?x64xf32>, %max: tensor<1x1x?xf32>) -> tensor<1x1x?x64xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %max : (tensor<1x1x?x64xf32>, tensor<1x1x?x64xf32>, tensor<1x1x?x64xf32>, f32, index, index, index, tensor<1x1x?x64xf32>, tensor<1x1x?xf32>, tensor<1x1x?xf32>) -> (tensor<1x1x?x64xf32>, tensor<1x1x?xf32>, tensor<1x1x?xf32>)
    return %r#0 : tensor<1x1x?x64xf32>
  }

  // CHECK-LABEL: func.func @few_features(
  // CHECK: aikernel.online_attention {{.*}} {instruction = "vfmadd.f32.512"}
  func.func @few_features(%q: tensor<1x1x64x31xf32>, %k: tensor<1x1x?x31xf32>, %scale: f32, %acc: tensor<1x1x64x31xf32>, %max: tensor<1x1x64xf32>) -> tensor<1x1x64x31xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %max : (tensor<1x1x64x31xf32>, tensor<1x1x?x31xf32>, tensor<1x1x?x31xf32>, f32, index, index, index, tensor<1x1x64x31xf32>, tensor<1x1x64xf32>, tensor<1x1x64xf32>) -> (tensor<1x1x64x31xf32>, tensor<1x1x64xf32>, tensor<1x1x64xf32>)
    return %r#0 : tensor<1x1x64x31xf32>
  }

  // CHECK-LABEL: func.func @half(
  // CHECK: aikernel.online_attention {{.*}} {instruction = "vfmadd.f32.512"}
  func.func @half(%q: tensor<1x1x64x64xf16>, %k: tensor<1x1x?x64xf16>, %scale: f32, %acc: tensor<1x1x64x64xf32>, %max: tensor<1x1x64xf32>) -> tensor<1x1x64x64xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %max : (tensor<1x1x64x64xf16>, tensor<1x1x?x64xf16>, tensor<1x1x?x64xf16>, f32, index, index, index, tensor<1x1x64x64xf32>, tensor<1x1x64xf32>, tensor<1x1x64xf32>) -> (tensor<1x1x64x64xf32>, tensor<1x1x64xf32>, tensor<1x1x64xf32>)
    return %r#0 : tensor<1x1x64x64xf32>
  }
}
