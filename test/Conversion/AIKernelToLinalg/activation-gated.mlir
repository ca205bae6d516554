// RUN: aik-opt %s -aik-aikernel-to-linalg -split-input-file | FileCheck %s

// One loop, one rounding.

// CHECK-LABEL: func @swiglu(
// CHECK-SAME: %[[GATE:.*]]: tensor<?x256xbf16>, %[[UP:.*]]: tensor<?x256xbf16>
// CHECK: linalg.generic {{.*}} ins(%[[GATE]], %[[UP]] :
// CHECK: ^bb0(%{{.*}}: bf16, %[[U:.*]]: bf16, %{{.*}}: bf16):
// CHECK: %[[SILU:.*]] = arith.divf
// CHECK: %[[WIDE:.*]] = arith.extf %[[U]] : bf16 to f32
// CHECK: %[[Y:.*]] = arith.mulf %[[SILU]], %[[WIDE]] : f32
// CHECK: arith.truncf %[[Y]] : f32 to bf16
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @swiglu(%gate: tensor<?x256xbf16>, %up: tensor<?x256xbf16>) -> tensor<?x256xbf16> {
  %y = aikernel.swiglu %gate, %up : (tensor<?x256xbf16>, tensor<?x256xbf16>) -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}

// -----

// CHECK-LABEL: func @geglu(
// CHECK: math.absf
// CHECK: math.exp2 {{.*}}aikernel.in_range
// CHECK-LABEL: func @geglu_tanh(
// CHECK: math.exp2
func.func @geglu(%gate: tensor<4x8xf32>, %up: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = aikernel.geglu %gate, %up : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func @geglu_tanh(%gate: tensor<4x8xf32>, %up: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = aikernel.geglu %gate, %up {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
