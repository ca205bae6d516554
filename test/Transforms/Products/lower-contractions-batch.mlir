// The loops that are neither M, N nor K go around the call, and each call gets
// the matrices of its batch.
// RUN: aik-opt %s --aik-lower-contractions | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @f(
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to
  // CHECK-COUNT-3: memref.reinterpret_cast
  // CHECK: func.call @aik$product0
  func.func @f(%a: memref<3x8x64xf32>, %b: memref<3x64x32xf32>, %c: memref<3x8x32xf32>) {
    linalg.batch_matmul ins(%a, %b : memref<3x8x64xf32>, memref<3x64x32xf32>) outs(%c : memref<3x8x32xf32>)
    return
  }
}
