// An input that does not move with the vectors is loaded once as a scalar and
// broadcast where it meets one.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @f(
  // CHECK-SAME: %[[X:[^:]*]]: memref<?x?xf32>, %[[S:[^:]*]]: memref<?xf32>
  // CHECK: vector.load %[[X]]{{.*}} vector<16xf32>
  // CHECK: %[[SCALE:.*]] = memref.load %[[S]]
  // CHECK: %[[ROOT:.*]] = math.rsqrt %[[SCALE]] : f32
  // CHECK: vector.broadcast %[[ROOT]] : f32 to vector<16xf32>
  // CHECK-NOT: vector.load %[[S]]
  func.func @f(%x: memref<?x?xf32>, %s: memref<?xf32>, %c: memref<?x?xf32>) {
    linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<?x?xf32>, memref<?xf32>) outs(%c : memref<?x?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = math.rsqrt %b : f32
      %m = arith.mulf %a, %r : f32
      linalg.yield %m : f32
    }
    return
  }
}
