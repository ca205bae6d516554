// RUN: aik-opt %s -aik-aikernel-to-linalg -split-input-file | FileCheck %s

// Bias and activation see the unrounded sum; there is one rounding.

// CHECK-LABEL: func @silu(
// CHECK: linalg.generic {{.*}}"reduction"]
// CHECK-NOT: arith.truncf
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x128xbf16>)
// CHECK: %[[BIAS:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[BIAS]] : f32
// CHECK: math.exp
// CHECK: %[[Y:.*]] = arith.divf
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[Y]] : f32 to bf16
// CHECK: linalg.yield %[[ROUNDED]]
func.func @silu(%x: tensor<4x64xbf16>, %w: tensor<64x128xbf16>, %b: tensor<128xbf16>) -> tensor<4x128xbf16> {
  %y = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<silu>} : (tensor<4x64xbf16>, tensor<64x128xbf16>, tensor<128xbf16>) -> tensor<4x128xbf16>
  return %y : tensor<4x128xbf16>
}

// -----

// CHECK-LABEL: func @gelu(
// CHECK: math.absf
// CHECK: math.exp2 {{.*}}aikernel.in_range
func.func @gelu(%x: tensor<4x64xf32>, %w: tensor<64x128xf32>) -> tensor<4x128xf32> {
  %y = aikernel.linear %x, %w {activation = #aikernel.activation<gelu>} : (tensor<4x64xf32>, tensor<64x128xf32>) -> tensor<4x128xf32>
  return %y : tensor<4x128xf32>
}

// -----

// CHECK-LABEL: func @gelu_tanh(
// CHECK: arith.constant 0.0713548139 : f32
// CHECK: math.exp
func.func @gelu_tanh(%x: tensor<4x64xf32>, %w: tensor<64x128xf32>) -> tensor<4x128xf32> {
  %y = aikernel.linear %x, %w {activation = #aikernel.activation<gelu_tanh>} : (tensor<4x64xf32>, tensor<64x128xf32>) -> tensor<4x128xf32>
  return %y : tensor<4x128xf32>
}

// -----

// CHECK-LABEL: func @relu(
// CHECK: arith.maximumf
func.func @relu(%x: tensor<4x64xf32>, %w: tensor<64x128xf32>) -> tensor<4x128xf32> {
  %y = aikernel.linear %x, %w {activation = #aikernel.activation<relu>} : (tensor<4x64xf32>, tensor<64x128xf32>) -> tensor<4x128xf32>
  return %y : tensor<4x128xf32>
}
