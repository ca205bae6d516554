// The residual that is added to a product joins its kernel; the value that is
// added comes in as an argument.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

// CHECK-COUNT-1: func.func private @f$kernel
// CHECK: linalg.fill
// CHECK: linalg.matmul
// CHECK: linalg.add
// CHECK-SAME: aikernel.root = array<i64: 0, 1>
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[H:[^:]*]]: tensor<4x16xf32>, %[[A:[^:]*]]: tensor<4x8xf32>, %[[B:[^:]*]]: tensor<8x16xf32>
// CHECK: call @f$kernel0(%[[A]], %[[B]], %[[H]],
func.func @f(%h: tensor<4x16xf32>, %a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%fill : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.add ins(%h, %p : tensor<4x16xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
