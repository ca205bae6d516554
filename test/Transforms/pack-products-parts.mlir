// Products of f32 go to tile registers as products of three parts of bf16, in a
// step for each part and one more for the size of the numbers; where the rows
// are many enough and the sum long enough to be as exact.
// RUN: aik-opt %s --aik-pack-products | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"amx", arch = "x86_64", features = "+avx512f,+amx-bf16,+amx-fp16", vector_bits = 512>} {
  // The least that is worth it.
  // CHECK-LABEL: func.func @least(
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 1 : i64, panel_dim = 0 : i64, parts = 3 : i64} : (tensor<64x32xf32>, tensor<1x2x4x32x32xbf16>)
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64, parts = 3 : i64, step_multiple = 16 : i64} : (tensor<32x32xf32>, tensor<1x1x64x32x2xbf16>)
  // CHECK: instruction = "tdpbf16ps.f32"
  func.func @least(%a: tensor<64x32xf32>, %b: tensor<32x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x32xf32>, tensor<32x32xf32>) outs(%c : tensor<64x32xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<64x32xf32>
    return %0 : tensor<64x32xf32>
  }

  // A panel with all of such a sum is one block.
  // CHECK-LABEL: func.func @one_block(
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 1 : i64, panel_dim = 0 : i64, parts = 3 : i64} : (tensor<96x768xf32>, tensor<1x3x73x32x32xbf16>)
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64, parts = 3 : i64, step_multiple = 16 : i64} : (tensor<768x48xf32>, tensor<1x2x1168x32x2xbf16>)
  // CHECK: instruction = "tdpbf16ps.f32"
  func.func @one_block(%a: tensor<96x768xf32>, %b: tensor<768x48xf32>, %c: tensor<96x48xf32>) -> tensor<96x48xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<96x768xf32>, tensor<768x48xf32>) outs(%c : tensor<96x48xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<96x48xf32>
    return %0 : tensor<96x48xf32>
  }

  // A longer one is several.
  // CHECK-LABEL: func.func @blocks(
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 1 : i64, panel_dim = 0 : i64, parts = 3 : i64} : (tensor<96x800xf32>, tensor<4x3x25x32x32xbf16>)
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64, parts = 3 : i64, step_multiple = 16 : i64} : (tensor<800x48xf32>, tensor<4x2x400x32x2xbf16>)
  // CHECK: instruction = "tdpbf16ps.f32"
  func.func @blocks(%a: tensor<96x800xf32>, %b: tensor<800x48xf32>, %c: tensor<96x48xf32>) -> tensor<96x48xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<96x800xf32>, tensor<800x48xf32>) outs(%c : tensor<96x48xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<96x48xf32>
    return %0 : tensor<96x48xf32>
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

  // A sum of unknown length may be short.
  // CHECK-LABEL: func.func @unknown(
  // CHECK-NOT: parts
  // CHECK: instruction = "vfmadd.f32.512"
  func.func @unknown(%a: tensor<64x?xf32>, %b: tensor<?x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x?xf32>, tensor<?x64xf32>) outs(%c : tensor<64x64xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}
