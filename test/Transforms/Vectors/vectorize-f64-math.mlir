// exp in f64 becomes a call of a library function, one number at a time, so its
// loops stay scalar; arithmetic in f64 does not.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @exp(
  // CHECK-NOT: vector
  // CHECK: math.exp {{.*}} : f64
  // CHECK-NOT: vector
  // CHECK-LABEL: func.func @sqrt(
  // CHECK: math.sqrt {{.*}} : vector<8xf64>
  // CHECK: math.sqrt {{.*}} : vector<4xf64>
  func.func @exp(%x: memref<?xf64>, %c: memref<?xf64>) {
    linalg.exp ins(%x : memref<?xf64>) outs(%c : memref<?xf64>)
    return
  }
  func.func @sqrt(%x: memref<?xf64>, %c: memref<?xf64>) {
    linalg.sqrt ins(%x : memref<?xf64>) outs(%c : memref<?xf64>)
    return
  }
}
