// Nothing uses the result: no kernel is made for it, and numbers go on without a
// gap. (The op itself is for the canonicalizer.)
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

// CHECK-LABEL: func.func private @f$kernel0(
// CHECK: linalg.negf
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @f(
// CHECK-NOT: call @f$kernel1
// CHECK: call @f$kernel0
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e0 = tensor.empty() : tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %unused = linalg.exp ins(%x : tensor<8xf32>) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.negf ins(%x : tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
