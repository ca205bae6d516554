// A product in a kernel reads operands that are packed for the target's best
// matrix instruction; what would not pay is left alone.
// RUN: aik-opt %s --aik-pack-products --split-input-file | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// NEON: panels of 8 rows and of 12 columns, 700 steps in blocks of 352 and 348.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func.func @f32(
  // CHECK-SAME: %[[A:.*]]: tensor<100x700xf32>, %[[B:.*]]: tensor<700x50xf32>, %[[C:.*]]: tensor<100x50xf32>
  // CHECK: %[[P:.*]] = aikernel.pack_panels %[[A]] outs %{{.*}} {depth_dim = 1 : i64, panel_dim = 0 : i64} : (tensor<100x700xf32>, tensor<2x13x352x8x1xf32>)
  // CHECK: %[[Q:.*]] = aikernel.pack_panels %[[B]] outs %{{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64} : (tensor<700x50xf32>, tensor<2x5x352x12x1xf32>)
  // CHECK: %[[R:.*]] = aikernel.packed_product %[[P]], %[[Q]] depth %{{.*}} outs %[[C]]
  // CHECK-SAME: aikernel.root = array<i64: 0, 1>
  // CHECK-SAME: instruction = "fmla.f32"
  // CHECK-SAME: overwrite
  // CHECK: return %[[R]]
  func.func @f32(%a: tensor<100x700xf32>, %b: tensor<700x50xf32>, %c: tensor<100x50xf32>) -> tensor<100x50xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %zeros = linalg.fill ins(%zero : f32) outs(%c : tensor<100x50xf32>) -> tensor<100x50xf32>
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<100x700xf32>, tensor<700x50xf32>) outs(%zeros : tensor<100x50xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<100x50xf32>
    return %0 : tensor<100x50xf32>
  }

  // Sums that start from something are added to.
  // CHECK-LABEL: func.func @adds(
  // CHECK: aikernel.packed_product
  // CHECK-NOT: overwrite
  // CHECK: return
  func.func @adds(%a: tensor<100x700xf32>, %b: tensor<700x50xf32>, %c: tensor<100x50xf32>) -> tensor<100x50xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<100x700xf32>, tensor<700x50xf32>) outs(%c : tensor<100x50xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<100x50xf32>
    return %0 : tensor<100x50xf32>
  }

  // Three rows do not pay for packing the other side.
  // CHECK-LABEL: func.func @few_rows(
  // CHECK-NOT: pack_panels
  // CHECK: linalg.generic
  func.func @few_rows(%a: tensor<3x700xf32>, %b: tensor<700x50xf32>, %c: tensor<3x50xf32>) -> tensor<3x50xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<3x700xf32>, tensor<700x50xf32>) outs(%c : tensor<3x50xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<3x50xf32>
    return %0 : tensor<3x50xf32>
  }

  // But a weight is packed once.
  // CHECK-LABEL: func.func @few_rows_of_weight(
  // CHECK: pack_panels
  func.func @few_rows_of_weight(%a: tensor<3x700xf32>, %b: tensor<700x50xf32>, %c: tensor<3x50xf32>) -> tensor<3x50xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<3x700xf32>, tensor<700x50xf32>) outs(%c : tensor<3x50xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<3x50xf32>
    return %0 : tensor<3x50xf32>
  }
  func.func @caller(%a: tensor<3x700xf32>, %b: tensor<700x50xf32> {aikernel.weight}, %c: tensor<3x50xf32>) -> tensor<3x50xf32> {
    %0 = call @few_rows_of_weight(%a, %b, %c) : (tensor<3x700xf32>, tensor<700x50xf32>, tensor<3x50xf32>) -> tensor<3x50xf32>
    return %0 : tensor<3x50xf32>
  }
}

// -----

// Integers take the instruction that the features allow, four deep here; sizes
// that are not known yet are counted at run time.
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (n, k)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64+dotprod", arch = "aarch64", features = "+dotprod", vector_bits = 128>} {
  // CHECK-LABEL: func.func @batch(
  // CHECK: aikernel.pack_panels %{{.*}} {depth_dim = 2 : i64, panel_dim = 1 : i64} : (tensor<7x?x?xi8>, tensor<7x?x?x512x8x4xi8>)
  // CHECK: aikernel.pack_panels %{{.*}} {depth_dim = 1 : i64, panel_dim = 0 : i64} : (tensor<?x?xi8>, tensor<?x?x512x12x4xi8>)
  // CHECK: aikernel.packed_product {{.*}} {instruction = "sdot", lhs_map = #[[BATCH:.*]], out_map = #[[ALL:.*]], rhs_map = #[[NONE:.*]]}
  func.func @batch(%a: tensor<7x?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<7x?x?xi32>) -> tensor<7x?x?xi32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<7x?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<7x?x?xi32>) {
    ^bb0(%x: i8, %y: i8, %s: i32):
      %u = arith.extsi %x : i8 to i32
      %v = arith.extsi %y : i8 to i32
      %p = arith.muli %u, %v : i32
      %t = arith.addi %s, %p : i32
      linalg.yield %t : i32
    } -> tensor<7x?x?xi32>
    return %0 : tensor<7x?x?xi32>
  }
}

// -----

// The left operand of vpdpbusd is unsigned; a step of tile registers is one of
// the left operand and several of the right one.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"vnni", arch = "x86_64", features = "+avxvnni", vector_bits = 256>} {
  // CHECK-LABEL: func.func @unsigned(
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 1 : i64, flip_sign, panel_dim = 0 : i64} : (tensor<48x512xi8>, tensor<1x8x128x6x4xi8>)
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64} : (tensor<512x64xi8>, tensor<1x4x128x16x4xi8>)
  func.func @unsigned(%a: tensor<48x512xi8>, %b: tensor<512x64xi8>, %c: tensor<48x64xi32>) -> tensor<48x64xi32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<48x512xi8>, tensor<512x64xi8>) outs(%c : tensor<48x64xi32>) {
    ^bb0(%x: i8, %y: i8, %s: i32):
      %u = arith.extsi %x : i8 to i32
      %v = arith.extsi %y : i8 to i32
      %p = arith.muli %u, %v : i32
      %t = arith.addi %s, %p : i32
      linalg.yield %t : i32
    } -> tensor<48x64xi32>
    return %0 : tensor<48x64xi32>
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"amx", arch = "x86_64", features = "+avx512bf16,+amx-bf16", vector_bits = 512>} {
  // CHECK-LABEL: func.func @tiles(
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 1 : i64, panel_dim = 0 : i64} : (tensor<64x500xbf16>, tensor<1x2x16x32x32xbf16>)
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64, step_multiple = 16 : i64} : (tensor<500x64xbf16>, tensor<1x2x256x32x2xbf16>)
  func.func @tiles(%a: tensor<64x500xbf16>, %b: tensor<500x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x500xbf16>, tensor<500x64xbf16>) outs(%c : tensor<64x64xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64+fhm", arch = "aarch64", features = "+fp16fml", vector_bits = 128>} {
  // Products of f16 are exact: panels stay half as large.
  // CHECK-LABEL: func.func @halves(
  // CHECK: aikernel.pack_panels {{.*}} : (tensor<64x500xf16>, tensor<1x16x500x4x1xf16>)
  // CHECK: aikernel.pack_panels {{.*}} : (tensor<500x64xf16>, tensor<1x3x500x24x1xf16>)
  // CHECK: aikernel.packed_product {{.*}} {instruction = "fmlal"
  func.func @halves(%a: tensor<64x500xf16>, %b: tensor<500x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x500xf16>, tensor<500x64xf16>) outs(%c : tensor<64x64xf32>) {
    ^bb0(%x: f16, %y: f16, %s: f32):
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Panels of 48 columns do not stay in L1, so blocks may be long: 1024 steps are
// two of 512.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f", vector_bits = 512>} {
  // CHECK-LABEL: func.func @wide_panels(
  // CHECK: aikernel.pack_panels {{.*}} : (tensor<112x1024xf32>, tensor<2x14x512x8x1xf32>)
  // CHECK: aikernel.pack_panels {{.*}} : (tensor<1024x64xf32>, tensor<2x2x512x48x1xf32>)
  func.func @wide_panels(%a: tensor<112x1024xf32>, %b: tensor<1024x64xf32>, %c: tensor<112x64xf32>) -> tensor<112x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<112x1024xf32>, tensor<1024x64xf32>) outs(%c : tensor<112x64xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<112x64xf32>
    return %0 : tensor<112x64xf32>
  }
}

// -----

// The number of rows decides, too: a single one gains nothing from tile
// registers, a few are multiplied by weights of 16 bits as they are.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4+avx512bf16+amx-tile+amx-bf16", arch = "x86_64", features = "+avx512f,+avx512bf16,+amx-tile,+amx-bf16", vector_bits = 512>} {
  // CHECK-LABEL: func.func @few_halves(
  // CHECK: aikernel.pack_panels %{{.*}} (tensor<32x500xf16>, tensor<1x4x500x8x1xf32>)
  // CHECK: aikernel.pack_panels %{{.*}} (tensor<500x96xf16>, tensor<1x2x500x48x1xf16>)
  // CHECK: instruction = "vcvtph2ps.512"
  func.func @few_halves(%a: tensor<32x500xf16>, %b: tensor<500x96xf16>, %c: tensor<32x96xf32>) -> tensor<32x96xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x500xf16>, tensor<500x96xf16>) outs(%c : tensor<32x96xf32>) {
    ^bb0(%x: f16, %y: f16, %s: f32):
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<32x96xf32>
    return %0 : tensor<32x96xf32>
  }

  // CHECK-LABEL: func.func @many_halves(
  // CHECK: instruction = "vfmadd.f32.512"
  func.func @many_halves(%a: tensor<33x500xf16>, %b: tensor<500x96xf16>, %c: tensor<33x96xf32>) -> tensor<33x96xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<33x500xf16>, tensor<500x96xf16>) outs(%c : tensor<33x96xf32>) {
    ^bb0(%x: f16, %y: f16, %s: f32):
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<33x96xf32>
    return %0 : tensor<33x96xf32>
  }

  // CHECK-LABEL: func.func @unknown_halves(
  // CHECK: instruction = "vfmadd.f32.512"
  func.func @unknown_halves(%a: tensor<?x500xf16>, %b: tensor<500x96xf16>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x500xf16>, tensor<500x96xf16>) outs(%c : tensor<?x96xf32>) {
    ^bb0(%x: f16, %y: f16, %s: f32):
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<?x96xf32>
    return %0 : tensor<?x96xf32>
  }

  // CHECK-LABEL: func.func @one_row(
  // CHECK: instruction = "vdpbf16ps.512"
  func.func @one_row(%a: tensor<1x512xbf16>, %b: tensor<512x96xbf16>, %c: tensor<1x96xf32>) -> tensor<1x96xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x512xbf16>, tensor<512x96xbf16>) outs(%c : tensor<1x96xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x96xf32>
    return %0 : tensor<1x96xf32>
  }

  // CHECK-LABEL: func.func @two_rows(
  // CHECK: instruction = "tdpbf16ps"
  func.func @two_rows(%a: tensor<2x512xbf16>, %b: tensor<512x96xbf16>, %c: tensor<2x96xf32>) -> tensor<2x96xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<2x512xbf16>, tensor<512x96xbf16>) outs(%c : tensor<2x96xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<2x96xf32>
    return %0 : tensor<2x96xf32>
  }
  func.func @caller(%a: tensor<1x512xbf16>, %b: tensor<512x96xbf16> {aikernel.weight}, %c: tensor<1x96xf32>, %d: tensor<2x512xbf16>, %e: tensor<2x96xf32>) -> (tensor<1x96xf32>, tensor<2x96xf32>) {
    %0 = call @one_row(%a, %b, %c) : (tensor<1x512xbf16>, tensor<512x96xbf16>, tensor<1x96xf32>) -> tensor<1x96xf32>
    %1 = call @two_rows(%d, %b, %e) : (tensor<2x512xbf16>, tensor<512x96xbf16>, tensor<2x96xf32>) -> tensor<2x96xf32>
    return %0, %1 : tensor<1x96xf32>, tensor<2x96xf32>
  }

  // x of another type is widened when it is packed.
  // CHECK-LABEL: func.func @mixed(
  // CHECK: aikernel.pack_panels %{{.*}} (tensor<32x500xf32>, tensor<1x4x500x8x1xf32>)
  // CHECK: instruction = "vpslld.512"
  func.func @mixed(%a: tensor<32x500xf32>, %b: tensor<500x96xbf16>, %c: tensor<32x96xf32>) -> tensor<32x96xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x500xf32>, tensor<500x96xbf16>) outs(%c : tensor<32x96xf32>) {
    ^bb0(%x: f32, %y: bf16, %s: f32):
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %x, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<32x96xf32>
    return %0 : tensor<32x96xf32>
  }
}

// -----

// So does NEON without instructions for them, but for one row only: more are
// multiplied for so long that widening them ahead pays.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func.func @one_row_of_bf16(
  // CHECK: aikernel.pack_panels %{{.*}} (tensor<1x500xbf16>, tensor<1x1x500x1x1xf32>)
  // CHECK: aikernel.pack_panels %{{.*}} (tensor<500x96xbf16>, tensor<1x4x500x24x1xbf16>)
  // CHECK: instruction = "zip1"
  func.func @one_row_of_bf16(%a: tensor<1x500xbf16>, %b: tensor<500x96xbf16>, %c: tensor<1x96xf32>) -> tensor<1x96xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x500xbf16>, tensor<500x96xbf16>) outs(%c : tensor<1x96xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x96xf32>
    return %0 : tensor<1x96xf32>
  }

  // CHECK-LABEL: func.func @one_row_of_f16(
  // CHECK: instruction = "fcvtl"
  func.func @one_row_of_f16(%a: tensor<1x500xf16>, %b: tensor<500x96xf16>, %c: tensor<1x96xf32>) -> tensor<1x96xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1x500xf16>, tensor<500x96xf16>) outs(%c : tensor<1x96xf32>) {
    ^bb0(%x: f16, %y: f16, %s: f32):
      %u = arith.extf %x : f16 to f32
      %v = arith.extf %y : f16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x96xf32>
    return %0 : tensor<1x96xf32>
  }

  // CHECK-LABEL: func.func @two_rows_of_bf16(
  // CHECK: instruction = "fmla.f32"
  func.func @two_rows_of_bf16(%a: tensor<2x500xbf16>, %b: tensor<500x96xbf16>, %c: tensor<2x96xf32>) -> tensor<2x96xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<2x500xbf16>, tensor<500x96xbf16>) outs(%c : tensor<2x96xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<2x96xf32>
    return %0 : tensor<2x96xf32>
  }

  func.func @caller(%a: tensor<1x500xbf16>, %b: tensor<500x96xbf16> {aikernel.weight}, %c: tensor<1x96xf32>, %d: tensor<1x500xf16>, %e: tensor<500x96xf16> {aikernel.weight}, %f: tensor<2x500xbf16>, %g: tensor<2x96xf32>) -> (tensor<1x96xf32>, tensor<1x96xf32>, tensor<2x96xf32>) {
    %0 = call @one_row_of_bf16(%a, %b, %c) : (tensor<1x500xbf16>, tensor<500x96xbf16>, tensor<1x96xf32>) -> tensor<1x96xf32>
    %1 = call @one_row_of_f16(%d, %e, %c) : (tensor<1x500xf16>, tensor<500x96xf16>, tensor<1x96xf32>) -> tensor<1x96xf32>
    %2 = call @two_rows_of_bf16(%f, %b, %g) : (tensor<2x500xbf16>, tensor<500x96xbf16>, tensor<2x96xf32>) -> tensor<2x96xf32>
    return %0, %1, %2 : tensor<1x96xf32>, tensor<1x96xf32>, tensor<2x96xf32>
  }
}
