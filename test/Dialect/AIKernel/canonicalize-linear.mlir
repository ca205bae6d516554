// RUN: aik-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @transposed_b
// CHECK-SAME: %[[A:[^:]*]]: tensor<8x4xf32>, %[[B:[^:]*]]: tensor<16x4xf32>
func.func @transposed_b(%a: tensor<8x4xf32>, %b: tensor<16x4xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %t = linalg.transpose ins(%b : tensor<16x4xf32>) outs(%e : tensor<4x16xf32>) permutation = [1, 0]
  // CHECK-NEXT: %[[C:.*]] = aikernel.matmul %[[A]], %[[B]] {transpose_b}
  // CHECK-NEXT: return %[[C]]
  %c = aikernel.matmul %a, %t : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}

// Two transposes are none.
// CHECK-LABEL: @twice_transposed_a
func.func @twice_transposed_a(%a: tensor<2x8x4xf32>, %b: tensor<4x16xf32>) -> tensor<2x8x16xf32> {
  %e = tensor.empty() : tensor<2x4x8xf32>
  %t = linalg.transpose ins(%a : tensor<2x8x4xf32>) outs(%e : tensor<2x4x8xf32>) permutation = [0, 2, 1]
  // CHECK-NEXT: aikernel.matmul %{{.*}}, %{{[^ ]*}} : (tensor<2x8x4xf32>, tensor<4x16xf32>)
  %c = aikernel.matmul %t, %b {transpose_a} : (tensor<2x4x8xf32>, tensor<4x16xf32>) -> tensor<2x8x16xf32>
  return %c : tensor<2x8x16xf32>
}

// A permutation of batch dimensions is not a transpose.
// CHECK-LABEL: @permuted_batch
func.func @permuted_batch(%a: tensor<2x8x4xf32>, %b: tensor<4x16xf32>) -> tensor<8x2x16xf32> {
  %e = tensor.empty() : tensor<8x2x4xf32>
  // CHECK: linalg.transpose
  %t = linalg.transpose ins(%a : tensor<2x8x4xf32>) outs(%e : tensor<8x2x4xf32>) permutation = [1, 0, 2]
  %c = aikernel.matmul %t, %b : (tensor<8x2x4xf32>, tensor<4x16xf32>) -> tensor<8x2x16xf32>
  return %c : tensor<8x2x16xf32>
}

// CHECK-LABEL: @linear_transposed
func.func @linear_transposed(%x: tensor<8x4xf32>, %w: tensor<16x4xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %t = linalg.transpose ins(%w : tensor<16x4xf32>) outs(%e : tensor<4x16xf32>) permutation = [1, 0]
  // CHECK-NEXT: aikernel.linear %{{.*}}, %{{[^ ]*}} {transpose_b} : (tensor<8x4xf32>, tensor<16x4xf32>)
  %c = aikernel.linear %x, %t : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}

// CHECK-LABEL: @zero_bias
func.func @zero_bias(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> {
  %b = arith.constant dense<0.0> : tensor<16xf32>
  // CHECK-NEXT: aikernel.linear %{{.*}}, %{{[^ ]*}} : (tensor<8x4xf32>, tensor<4x16xf32>)
  %c = aikernel.linear %x, %w bias %b : (tensor<8x4xf32>, tensor<4x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}

// CHECK-LABEL: @relu_of_linear
func.func @relu_of_linear(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  // CHECK-NEXT: aikernel.linear %{{.*}}, %{{.*}} bias %{{.*}} {activation = #aikernel.activation<relu>}
  // CHECK-NEXT: return
  %c = aikernel.linear %x, %w bias %b : (tensor<8x4xf32>, tensor<4x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %r = aikernel.relu %c : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// The sum itself is used too.
// CHECK-LABEL: @relu_of_shared_linear
func.func @relu_of_shared_linear(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK-NEXT: aikernel.linear %{{.*}}, %{{[^ ]*}} : (
  // CHECK-NEXT: aikernel.relu
  %c = aikernel.linear %x, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %r = aikernel.relu %c : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %c, %r : tensor<8x16xf32>, tensor<8x16xf32>
}

// gelu sees the rounded sum: not the same as a fused gelu.
// CHECK-LABEL: @gelu_of_linear
func.func @gelu_of_linear(%x: tensor<8x4xbf16>, %w: tensor<4x16xbf16>) -> tensor<8x16xbf16> {
  // CHECK-NEXT: aikernel.linear
  // CHECK-NEXT: aikernel.gelu
  %c = aikernel.linear %x, %w : (tensor<8x4xbf16>, tensor<4x16xbf16>) -> tensor<8x16xbf16>
  %r = aikernel.gelu %c : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  return %r : tensor<8x16xbf16>
}
