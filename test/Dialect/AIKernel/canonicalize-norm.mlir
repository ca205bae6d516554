// RUN: aik-opt %s --canonicalize | FileCheck %s

// One spelling for each axis: the last is the default, others count from the
// front.
// CHECK-LABEL: @axis
func.func @axis(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  // CHECK: aikernel.softmax %{{[^ ]*}} : (tensor<2x3x4xf32>)
  %0 = aikernel.softmax %x {axis = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: aikernel.softmax %{{[^ ]*}} {axis = 1 : i64}
  %1 = aikernel.softmax %x {axis = -2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0, %1 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// Not ones: -inf gives 0, NaN stays NaN.
// CHECK-LABEL: @size_one
func.func @size_one(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  // CHECK: aikernel.softmax
  %0 = aikernel.softmax %x : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// Not the sign: zeros, infinities and lengths below eps give other values.
// CHECK-LABEL: @length_one
func.func @length_one(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  // CHECK: aikernel.l2_norm
  %0 = aikernel.l2_norm %x {eps = 1.0e-12 : f32} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// CHECK-LABEL: @empty
// CHECK-SAME: %[[X:[^:]*]]: tensor<0x4xf32>
func.func @empty(%x: tensor<0x4xf32>, %g: tensor<4xf32>) -> tensor<0x4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<0x4xf32>, tensor<4xf32>) -> tensor<0x4xf32>
  %1 = aikernel.layer_norm %0, %g, %g {eps = 1.0e-5 : f32} : (tensor<0x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<0x4xf32>
  %2 = aikernel.l2_norm %1 {eps = 0.0 : f32} : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %3 = aikernel.softmax %2 : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return %3 : tensor<0x4xf32>
}
