// Products of the same types are one function, whatever their sizes; another
// type is another function.
// RUN: aik-opt %s --aik-lower-contractions | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @f(
  // CHECK: call @aik$product0
  // CHECK: call @aik$product0
  // CHECK: call @aik$product1
  // CHECK: func.func private @aik$product0
  // CHECK: func.func private @aik$product1
  // CHECK-NOT: func.func
  func.func @f(%a: memref<8x64xf32>, %b: memref<64x32xf32>, %c: memref<8x32xf32>, %d: memref<?x8xf32>, %e: memref<?x32xf32>, %x: memref<4x4xf64>, %y: memref<4x4xf64>, %z: memref<4x4xf64>) {
    linalg.matmul ins(%a, %b : memref<8x64xf32>, memref<64x32xf32>) outs(%c : memref<8x32xf32>)
    linalg.matmul ins(%d, %c : memref<?x8xf32>, memref<8x32xf32>) outs(%e : memref<?x32xf32>)
    linalg.matmul ins(%x, %y : memref<4x4xf64>, memref<4x4xf64>) outs(%z : memref<4x4xf64>)
    return
  }
}
