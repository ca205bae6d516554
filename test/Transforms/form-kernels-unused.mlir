// Nothing uses the result: no kernel is made for it.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @f(
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %x : tensor<8xf32>
}
