// An elementwise op becomes three loops: two vectors at a time, one vector at a
// time, and the scalars that are left. Every access stays inside the buffer.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @f(
  // CHECK-NOT: linalg
  // CHECK: scf.for %[[I:.*]] =
  // CHECK: %[[REST:.*]] = arith.remui
  // CHECK: %[[STOP:.*]] = arith.subi %{{.*}}, %[[REST]]
  // CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[STOP]]
  // CHECK: vector.load %{{.*}}[%[[I]], %[[J]]] : memref<?x?xf32>, vector<16xf32>
  // CHECK: arith.addf {{.*}} : vector<16xf32>
  // CHECK: vector.store {{.*}} vector<16xf32>
  // CHECK: scf.for
  // CHECK: arith.addf {{.*}} : vector<8xf32>
  // CHECK: vector.store {{.*}} vector<8xf32>
  // CHECK: scf.for
  // CHECK: memref.load
  // CHECK: arith.addf {{.*}} : f32
  // CHECK: memref.store
  // CHECK-NOT: scf.for
  func.func @f(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    }
    return
  }
}
