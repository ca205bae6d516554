// Elementwise work is cut into tiles of 16384 elements, innermost loop first;
// an unknown extent counts as 1024.
// RUN: aik-opt %s --aik-select-schedule | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: @flat
  // CHECK: #aikernel.schedule<tiles = [16384]
  func.func private @flat(%x: tensor<100000xf32>, %e: tensor<100000xf32>) -> tensor<100000xf32> attributes {aikernel.kernel} {
    %0 = linalg.exp {aikernel.root = array<i64: 0>} ins(%x : tensor<100000xf32>) outs(%e : tensor<100000xf32>) -> tensor<100000xf32>
    return %0 : tensor<100000xf32>
  }
  // CHECK-LABEL: @matrix
  // CHECK: #aikernel.schedule<tiles = [32, 512]
  func.func private @matrix(%x: tensor<?x512xf32>, %e: tensor<?x512xf32>) -> tensor<?x512xf32> attributes {aikernel.kernel} {
    %0 = linalg.exp {aikernel.root = array<i64: 0, 1>} ins(%x : tensor<?x512xf32>) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
    return %0 : tensor<?x512xf32>
  }
  // CHECK-LABEL: @unknown
  // CHECK: #aikernel.schedule<tiles = [16, 1024]
  func.func private @unknown(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {aikernel.kernel} {
    %0 = linalg.exp {aikernel.root = array<i64: 0, 1>} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
  // No loop may be tiled: the whole op is one piece of work.
  // CHECK-LABEL: @whole
  // CHECK: #aikernel.schedule<tiles = [0]
  func.func private @whole(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> attributes {aikernel.kernel} {
    %0 = linalg.exp {aikernel.root = array<i64>} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
