// An input that is read across its rows has no vectors along the result's last
// dimension: the loops stay scalar.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @transpose(
  // CHECK-NOT: vector
  // CHECK: scf.for %[[I:.*]] =
  // CHECK: scf.for %[[J:.*]] =
  // CHECK: memref.load %{{.*}}[%[[J]], %[[I]]]
  // CHECK: memref.store %{{.*}}[%[[I]], %[[J]]]
  // CHECK-NOT: vector
  // CHECK: return
  func.func @transpose(%x: memref<?x?xf32>, %c: memref<?x?xf32>) {
    linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%c : memref<?x?xf32>) {
    ^bb0(%v: f32, %o: f32):
      linalg.yield %v : f32
    }
    return
  }
  // So does a result whose rows are not contiguous.
  // CHECK-LABEL: func.func @strided(
  // CHECK-NOT: vector
  // CHECK: memref.store
  func.func @strided(%x: memref<?xf32>, %c: memref<?xf32, strided<[2]>>) {
    linalg.copy ins(%x : memref<?xf32>) outs(%c : memref<?xf32, strided<[2]>>)
    return
  }
}
