// Private functions are part of the functions that call them, and are gone.
// RUN: aikc %s --emit=kernel --target=cpu:aarch64 -o - | FileCheck %s

// CHECK-NOT: @helper
// CHECK-LABEL: func.func @f(
// CHECK: aikernel.relu
// CHECK-NOT: @helper
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = aikernel.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
