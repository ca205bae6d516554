// The number of an element is a vector of numbers along the vectors, and a
// scalar along every other loop.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @f(
  // CHECK: scf.for %[[I:.*]] =
  // CHECK: scf.for %[[J:.*]] =
  // CHECK: %[[STEP:.*]] = vector.step : vector<[[N:[0-9]+]]xindex>
  // CHECK: %[[BASE:.*]] = vector.broadcast %[[J]] : index to vector<[[N]]xindex>
  // CHECK: %[[COLUMN:.*]] = arith.addi {{.*}} : vector<[[N]]xindex>
  // CHECK: %[[ROW:.*]] = vector.broadcast %[[I]] : index to vector<[[N]]xindex>
  // CHECK: arith.cmpi sle, %[[COLUMN]], %[[ROW]] : vector<[[N]]xindex>
  // CHECK: arith.select {{.*}} : vector<[[N]]xi1>, vector<[[N]]xf32>
  func.func @f(%x: memref<?x?xf32>, %c: memref<?x?xf32>, %zero: f32) {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%c : memref<?x?xf32>) {
    ^bb0(%v: f32, %o: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %seen = arith.cmpi sle, %j, %i : index
      %s = arith.select %seen, %v, %zero : f32
      linalg.yield %s : f32
    }
    return
  }
}
