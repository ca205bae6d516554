// Sizes that are known to be 0, in whichever tensor, leave no slice of such a
// dimension to take.
// RUN: aik-opt %s --aik-aikernel-to-linalg | FileCheck %s

// CHECK-LABEL: @no_keys
// CHECK-NOT: aikernel.online_attention
// CHECK: linalg.generic
func.func @no_keys(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x?x8xf32>, %v: tensor<1x2x0x8xf32>) -> tensor<1x4x3x8xf32> {
  %o = aikernel.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x0x8xf32>) -> tensor<1x4x3x8xf32>
  return %o : tensor<1x4x3x8xf32>
}

// Every score is 0, as with one feature that is 0.
// CHECK-LABEL: @no_features
// CHECK: aikernel.online_attention {{.*}} : (tensor<1x4x3x1xf32>, tensor<?x2x?x1xf32>, tensor<?x2x?x5xf32>
func.func @no_features(%q: tensor<1x4x3x0xf32>, %k: tensor<?x2x?x?xf32>, %v: tensor<?x2x?x5xf32>) -> tensor<1x4x3x5xf32> {
  %o = aikernel.attention %q, %k, %v : (tensor<1x4x3x0xf32>, tensor<?x2x?x?xf32>, tensor<?x2x?x5xf32>) -> tensor<1x4x3x5xf32>
  return %o : tensor<1x4x3x5xf32>
}

// CHECK-LABEL: @no_values
// CHECK-NOT: aikernel.online_attention
// CHECK: tensor.empty({{.*}}) : tensor<?x2x?x0xf32>
func.func @no_values(%q: tensor<?x2x?x8xf32>, %k: tensor<?x2x?x8xf32>, %v: tensor<?x2x?x0xf32>) -> tensor<?x2x?x?xf32> {
  %o = aikernel.attention %q, %k, %v : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x0xf32>) -> tensor<?x2x?x?xf32>
  return %o : tensor<?x2x?x?xf32>
}

// The logarithm is there all the same; the keys stand in for the values.
// CHECK-LABEL: @no_values_but_lse
// CHECK-SAME: %[[Q:[^:]*]]: tensor<1x4x3x8xf32>, %[[K:[^:]*]]: tensor<1x2x5x8xf32>
// CHECK: aikernel.online_attention %[[Q]], %[[K]], %[[K]]
// CHECK: math.log
func.func @no_values_but_lse(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x0xf32>) -> (tensor<1x4x3x0xf32>, tensor<1x4x3xf32>) {
  %o, %l = aikernel.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x0xf32>) -> (tensor<1x4x3x0xf32>, tensor<1x4x3xf32>)
  return %o, %l : tensor<1x4x3x0xf32>, tensor<1x4x3xf32>
}
