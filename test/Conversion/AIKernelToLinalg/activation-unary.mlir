// RUN: aik-opt %s -aik-aikernel-to-linalg -split-input-file | FileCheck %s

// CHECK-LABEL: func @relu(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} {{.*}} outs(%{{.*}} : tensor<4x?xf16>)
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[Y:.*]] = arith.maximumf %[[X]], %{{.*}} : f32
// CHECK: arith.truncf %[[Y]] : f32 to f16
func.func @relu(%x: tensor<4x?xf16>) -> tensor<4x?xf16> {
  %y = aikernel.relu %x : (tensor<4x?xf16>) -> tensor<4x?xf16>
  return %y : tensor<4x?xf16>
}

// -----

// The power of e stays within the normal numbers: below -80 it is computed 2^-32
// times as large.
// CHECK-LABEL: func @sigmoid(
// CHECK: %[[LOW:.*]] = arith.maximumf %{{.*}}, %{{.*}} : f32
// CHECK: %[[X:.*]] = arith.minimumf %[[LOW]], %{{.*}} : f32
// CHECK: %[[ARGUMENT:.*]] = arith.subf %{{.*}}, %[[X]] : f32
// CHECK: math.exp %[[ARGUMENT]] {aikernel.in_range} : f32
func.func @sigmoid(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = aikernel.sigmoid %x : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// 16 bits do not show the errors of a rough power, whose last product may be a
// part of the sum; f64 takes the library's.
// CHECK-LABEL: func @silu_f32(
// CHECK: math.exp %{{.*}} {aikernel.in_range} : f32
// CHECK-LABEL: func @silu_bf16(
// CHECK: %[[POWER:.*]] = math.exp2 %{{.*}} fastmath<afn> {aikernel.in_range} : f32
// CHECK: arith.addf %{{.*}}, %[[POWER]] fastmath<contract> : f32
// CHECK-LABEL: func @silu_f64(
// CHECK: math.exp %{{.*}} : f64
func.func @silu_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = aikernel.silu %x : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
func.func @silu_bf16(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %y = aikernel.silu %x : (tensor<8xbf16>) -> tensor<8xbf16>
  return %y : tensor<8xbf16>
}
func.func @silu_f64(%x: tensor<8xf64>) -> tensor<8xf64> {
  %y = aikernel.silu %x : (tensor<8xf64>) -> tensor<8xf64>
  return %y : tensor<8xf64>
}

// -----

// CHECK-LABEL: func @gelu(
// CHECK-NOT: arith.divf
// CHECK: math.exp2 %{{.*}} fastmath<afn> {aikernel.in_range} : f32
// CHECK-NOT: arith.divf
// CHECK-LABEL: func @gelu_f64(
// CHECK: math.erfc %{{.*}} : f64
// CHECK-LABEL: func @gelu_tanh(
// CHECK: math.exp2 %{{.*}} {aikernel.in_range} : f32
func.func @gelu(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %y = aikernel.gelu %x : (tensor<8xbf16>) -> tensor<8xbf16>
  return %y : tensor<8xbf16>
}
func.func @gelu_f64(%x: tensor<8xf64>) -> tensor<8xf64> {
  %y = aikernel.gelu %x : (tensor<8xf64>) -> tensor<8xf64>
  return %y : tensor<8xf64>
}
func.func @gelu_tanh(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = aikernel.gelu %x {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// CHECK-LABEL: func @tanh(
// CHECK: math.tanh %{{.*}} : f32
func.func @tanh(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = aikernel.tanh %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// Rank 0 is a tensor as well.
// CHECK-LABEL: func @scalar(
// CHECK: linalg.generic {{.*}}iterator_types = []}
func.func @scalar(%x: tensor<f32>) -> tensor<f32> {
  %y = aikernel.relu %x : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
