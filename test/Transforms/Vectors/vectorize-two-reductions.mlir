// Two sums over the same row are carried side by side in one loop.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @f(
  // CHECK: scf.for {{.*}} -> (vector<32xf32>, vector<32xf32>)
  // CHECK-COUNT-2: vector.reduction <add>
  // CHECK: scf.for {{.*}} -> (f32, f32)
  // CHECK-COUNT-2: memref.store
  func.func @f(%x: memref<?x?xf32>, %s: memref<?xf32>, %q: memref<?xf32>) {
    linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xf32>) outs(%s, %q : memref<?xf32>, memref<?xf32>) {
    ^bb0(%v: f32, %acc: f32, %squares: f32):
      %a = arith.addf %acc, %v : f32
      %m = arith.mulf %v, %v : f32
      %b = arith.addf %squares, %m : f32
      linalg.yield %a, %b : f32, f32
    }
    return
  }
}
