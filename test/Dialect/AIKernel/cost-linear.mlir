// RUN: aik-opt %s --aik-build-entries --canonicalize | FileCheck %s

// 2 B M N K.
// CHECK-LABEL: @matmul$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 420 : i64
// CHECK: return %[[FLOPS]], %
func.func @matmul(%a: tensor<2x3x5xf32>, %b: tensor<5x7xf32>) -> tensor<2x3x7xf32> {
  %y = aikernel.matmul %a, %b : (tensor<2x3x5xf32>, tensor<5x7xf32>) -> tensor<2x3x7xf32>
  return %y : tensor<2x3x7xf32>
}

// CHECK-LABEL: @linear$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 420 : i64
// CHECK: return %[[FLOPS]], %
func.func @linear(%x: tensor<2x3x5xf32>, %w: tensor<5x7xf32>) -> tensor<2x3x7xf32> {
  %y = aikernel.linear %x, %w : (tensor<2x3x5xf32>, tensor<5x7xf32>) -> tensor<2x3x7xf32>
  return %y : tensor<2x3x7xf32>
}

// One more for the bias and one for the activation of each element.
// CHECK-LABEL: @linear_act$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 504 : i64
// CHECK: return %[[FLOPS]], %
func.func @linear_act(%x: tensor<2x3x5xf32>, %w: tensor<5x7xf32>, %b: tensor<7xf32>) -> tensor<2x3x7xf32> {
  %y = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<silu>} : (tensor<2x3x5xf32>, tensor<5x7xf32>, tensor<7xf32>) -> tensor<2x3x7xf32>
  return %y : tensor<2x3x7xf32>
}
