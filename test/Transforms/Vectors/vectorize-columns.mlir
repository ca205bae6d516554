// A sum over the rows of each column is not contiguous along the reduction:
// the columns are the vectors, and the result is updated row by row.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @f(
  // CHECK-SAME: %[[X:[^:]*]]: memref<?x?xf32>, %[[SUM:[^:]*]]: memref<?xf32>
  // CHECK-NOT: vector.reduction
  // CHECK: vector.load %[[X]]{{.*}} vector<16xf32>
  // CHECK: vector.load %[[SUM]]{{.*}} vector<16xf32>
  // CHECK: arith.addf {{.*}} : vector<16xf32>
  // CHECK: vector.store %{{.*}}, %[[SUM]]
  // CHECK-NOT: vector.reduction
  func.func @f(%x: memref<?x?xf32>, %s: memref<?xf32>) {
    linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    }
    return
  }
}
