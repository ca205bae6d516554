// Transposed operands are views with the contiguous dimension in the other
// place; packing reads them along it.
// RUN: aik-opt %s --aik-lower-contractions | FileCheck %s

#at = affine_map<(d0, d1, d2) -> (d2, d0)>
#bt = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @f(
  // CHECK: call @aik$product0(
  // CHECK-SAME: (memref<?x?xf32, strided<[1, ?], offset: ?>>, memref<?x?xf32, strided<[1, ?], offset: ?>>, memref<?x?xf32, strided<[?, 1], offset: ?>>)
  func.func @f(%a: memref<64x8xf32>, %b: memref<32x64xf32>, %c: memref<8x32xf32>) {
    linalg.generic {indexing_maps = [#at, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x8xf32>, memref<32x64xf32>) outs(%c : memref<8x32xf32>) {
    ^bb0(%l: f32, %r: f32, %o: f32):
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    }
    return
  }
  // CHECK-LABEL: func.func private @aik$product0(
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64} : (memref<?x?xf32, strided<[1, ?], offset: ?>>
  // CHECK: aikernel.pack_panels {{.*}} {depth_dim = 1 : i64, panel_dim = 0 : i64} : (memref<?x?xf32, strided<[1, ?], offset: ?>>
}
