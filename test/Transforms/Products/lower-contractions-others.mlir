// What is no multiply-and-add, or has no instruction in the table, is left for
// the loops of aik-vectorize.
// RUN: aik-opt %s --aik-lower-contractions | FileCheck %s

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @max_plus(
  // CHECK: linalg.generic
  func.func @max_plus(%a: memref<8x64xf32>, %b: memref<64x32xf32>, %c: memref<8x32xf32>) {
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<8x64xf32>, memref<64x32xf32>) outs(%c : memref<8x32xf32>) {
    ^bb0(%l: f32, %r: f32, %o: f32):
      %p = arith.addf %l, %r : f32
      %s = arith.maximumf %o, %p : f32
      linalg.yield %s : f32
    }
    return
  }
  // CHECK-LABEL: func.func @integers(
  // CHECK: linalg.generic
  // CHECK: arith.muli
  func.func @integers(%a: memref<8x64xi32>, %b: memref<64x32xi32>, %c: memref<8x32xi32>) {
    linalg.matmul ins(%a, %b : memref<8x64xi32>, memref<64x32xi32>) outs(%c : memref<8x32xi32>)
    return
  }
  // CHECK-NOT: @aik$product
}
