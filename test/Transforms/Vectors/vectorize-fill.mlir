// A fill stores a broadcast; one of rank 0 stores a scalar, without a loop.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @fill(
  // CHECK-SAME: %[[V:[^:]*]]: f32
  // CHECK: %[[ALL:.*]] = vector.broadcast %[[V]] : f32 to vector<16xf32>
  // CHECK: vector.store %[[ALL]]
  func.func @fill(%v: f32, %m: memref<?xf32>) {
    linalg.fill ins(%v : f32) outs(%m : memref<?xf32>)
    return
  }
  // CHECK-LABEL: func.func @scalar(
  // CHECK-NOT: scf.for
  // CHECK: memref.store %{{.*}}[]
  func.func @scalar(%v: f32, %m: memref<f32>) {
    linalg.fill ins(%v : f32) outs(%m : memref<f32>)
    return
  }
}
