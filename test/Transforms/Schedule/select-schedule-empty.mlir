// A loop of no iterations is not tiled, nor is any other loop of its kernel:
// also where only a producer is empty, as in a product over K = 0.
// RUN: aik-opt %s --aik-select-schedule | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: @nothing
  // CHECK: #aikernel.schedule<tiles = [0, 0]
  func.func private @nothing(%x: tensor<0x8xf32>, %e: tensor<0x8xf32>) -> tensor<0x8xf32> attributes {aikernel.kernel} {
    %0 = linalg.exp {aikernel.root = array<i64: 0, 1>} ins(%x : tensor<0x8xf32>) outs(%e : tensor<0x8xf32>) -> tensor<0x8xf32>
    return %0 : tensor<0x8xf32>
  }
  // CHECK-LABEL: @sum_of_nothing
  // CHECK: linalg.exp
  // CHECK-SAME: #aikernel.schedule<tiles = [0, 0]
  func.func private @sum_of_nothing(%a: tensor<4x0xf32>, %b: tensor<0x8xf32>, %c: tensor<4x8xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul ins(%a, %b : tensor<4x0xf32>, tensor<0x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = linalg.exp {aikernel.root = array<i64: 0, 1>} ins(%0 : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
