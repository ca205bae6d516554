// Of tile registers: left operands that may be read where they are let the sum
// be one block, longer than that of packed ones.
// RUN: aik-opt %s --aik-pack-products | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"amx", arch = "x86_64", features = "+avx512bf16,+amx-bf16", vector_bits = 512>} {
  // Rows of up to 1664 bytes stay where they are: one block.
  // CHECK-LABEL: func.func @one_block(
  // CHECK: aikernel.pack_panels {{.*}} (tensor<256x832xbf16>, tensor<1x8x26x32x32xbf16>)
  func.func @one_block(%a: tensor<256x832xbf16>, %b: tensor<832x896xbf16>, %c: tensor<256x896xf32>) -> tensor<256x896xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x832xbf16>, tensor<832x896xbf16>) outs(%c : tensor<256x896xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<256x896xf32>
    return %0 : tensor<256x896xf32>
  }

  // Longer ones are packed, in blocks of up to 1024 bytes.
  // CHECK-LABEL: func.func @longer(
  // CHECK: aikernel.pack_panels {{.*}} (tensor<256x864xbf16>, tensor<2x8x16x32x32xbf16>)
  func.func @longer(%a: tensor<256x864xbf16>, %b: tensor<864x768xbf16>, %c: tensor<256x768xf32>) -> tensor<256x768xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x864xbf16>, tensor<864x768xbf16>) outs(%c : tensor<256x768xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<256x768xf32>
    return %0 : tensor<256x768xf32>
  }

  // The columns would not stay in L2.
  // CHECK-LABEL: func.func @many_columns(
  // CHECK: aikernel.pack_panels {{.*}} (tensor<256x832xbf16>, tensor<2x8x16x32x32xbf16>)
  func.func @many_columns(%a: tensor<256x832xbf16>, %b: tensor<832x992xbf16>, %c: tensor<256x992xf32>) -> tensor<256x992xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x832xbf16>, tensor<832x992xbf16>) outs(%c : tensor<256x992xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<256x992xf32>
    return %0 : tensor<256x992xf32>
  }

  // Few rows are packed.
  // CHECK-LABEL: func.func @few_rows(
  // CHECK: aikernel.pack_panels {{.*}} (tensor<224x832xbf16>, tensor<2x7x16x32x32xbf16>)
  func.func @few_rows(%a: tensor<224x832xbf16>, %b: tensor<832x768xbf16>, %c: tensor<224x768xf32>) -> tensor<224x768xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<224x832xbf16>, tensor<832x768xbf16>) outs(%c : tensor<224x768xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<224x768xf32>
    return %0 : tensor<224x768xf32>
  }

  // Columns make no few equal tiles.
  // CHECK-LABEL: func.func @unequal_tiles(
  // CHECK: aikernel.pack_panels {{.*}} (tensor<256x640xbf16>, tensor<2x8x12x32x32xbf16>)
  func.func @unequal_tiles(%a: tensor<256x640xbf16>, %b: tensor<640x1184xbf16>, %c: tensor<256x1184xf32>) -> tensor<256x1184xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x640xbf16>, tensor<640x1184xbf16>) outs(%c : tensor<256x1184xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<256x1184xf32>
    return %0 : tensor<256x1184xf32>
  }

  // Not all panels and steps are whole.
  // CHECK-LABEL: func.func @part_of_a_panel(
  // CHECK: aikernel.pack_panels {{.*}} (tensor<280x832xbf16>, tensor<2x9x16x32x32xbf16>)
  func.func @part_of_a_panel(%a: tensor<280x832xbf16>, %b: tensor<832x768xbf16>, %c: tensor<280x768xf32>) -> tensor<280x768xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<280x832xbf16>, tensor<832x768xbf16>) outs(%c : tensor<280x768xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<280x768xf32>
    return %0 : tensor<280x768xf32>
  }

  // CHECK-LABEL: func.func @part_of_columns(
  // CHECK: aikernel.pack_panels {{.*}} (tensor<256x832xbf16>, tensor<2x8x16x32x32xbf16>)
  func.func @part_of_columns(%a: tensor<256x832xbf16>, %b: tensor<832x760xbf16>, %c: tensor<256x760xf32>) -> tensor<256x760xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x832xbf16>, tensor<832x760xbf16>) outs(%c : tensor<256x760xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<256x760xf32>
    return %0 : tensor<256x760xf32>
  }

  // CHECK-LABEL: func.func @part_of_a_step(
  // CHECK: aikernel.pack_panels {{.*}} (tensor<256x824xbf16>, tensor<2x8x16x32x32xbf16>)
  func.func @part_of_a_step(%a: tensor<256x824xbf16>, %b: tensor<824x768xbf16>, %c: tensor<256x768xf32>) -> tensor<256x768xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<256x824xbf16>, tensor<824x768xbf16>) outs(%c : tensor<256x768xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<256x768xf32>
    return %0 : tensor<256x768xf32>
  }

  // So are those that do not lie along the sum.
  // CHECK-LABEL: func.func @transposed(
  // CHECK: aikernel.pack_panels {{.*}} (tensor<832x256xbf16>, tensor<2x8x16x32x32xbf16>)
  func.func @transposed(%a: tensor<832x256xbf16>, %b: tensor<832x768xbf16>, %c: tensor<256x768xf32>) -> tensor<256x768xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<832x256xbf16>, tensor<832x768xbf16>) outs(%c : tensor<256x768xf32>) {
    ^bb0(%x: bf16, %y: bf16, %s: f32):
      %u = arith.extf %x : bf16 to f32
      %v = arith.extf %y : bf16 to f32
      %p = arith.mulf %u, %v : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<256x768xf32>
    return %0 : tensor<256x768xf32>
  }
}
