// A schedule that is already there stays: a person may write one. Functions
// that are no kernels are not looked at.
// RUN: aik-opt %s --aik-select-schedule | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: @mine
  // CHECK: #aikernel.schedule<tiles = [3, 5]
  func.func private @mine(%x: tensor<64x64xf32>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.exp {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [3, 5]>} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
  // CHECK-LABEL: @chosen
  // CHECK: #aikernel.schedule<tiles = [64, 64]
  func.func private @chosen(%x: tensor<64x64xf32>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.exp {aikernel.root = array<i64: 0, 1>} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
  // CHECK-LABEL: @no_kernel
  // CHECK-NOT: aikernel.schedule
  func.func @no_kernel(%x: tensor<64x64xf32>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = linalg.exp {aikernel.root = array<i64: 0, 1>} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}
