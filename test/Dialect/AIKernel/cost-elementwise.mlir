// RUN: aik-opt %s --aik-build-entries --canonicalize | FileCheck %s

// CHECK-LABEL: @relu$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 15 : i64
// CHECK: return %[[FLOPS]], %
func.func @relu(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = aikernel.relu %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: @gelu$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 75 : i64
// CHECK: return %[[FLOPS]], %
func.func @gelu(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = aikernel.gelu %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: @silu$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 45 : i64
// CHECK: return %[[FLOPS]], %
func.func @silu(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = aikernel.silu %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: @sigmoid$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 45 : i64
// CHECK: return %[[FLOPS]], %
func.func @sigmoid(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = aikernel.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: @tanh$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 15 : i64
// CHECK: return %[[FLOPS]], %
func.func @tanh(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = aikernel.tanh %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: @swiglu$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 60 : i64
// CHECK: return %[[FLOPS]], %
func.func @swiglu(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = aikernel.swiglu %x, %x : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: @geglu$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 90 : i64
// CHECK: return %[[FLOPS]], %
func.func @geglu(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = aikernel.geglu %x, %x : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: @softmax$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 75 : i64
// CHECK: return %[[FLOPS]], %
func.func @softmax(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = aikernel.softmax %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: @rms_norm$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 69 : i64
// CHECK: return %[[FLOPS]], %
func.func @rms_norm(%x: tensor<3x5xf32>, %g: tensor<5xf32>) -> tensor<3x5xf32> {
  %y = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: @l2_norm$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 51 : i64
// CHECK: return %[[FLOPS]], %
func.func @l2_norm(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = aikernel.l2_norm %x {eps = 1.0e-12 : f32} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: @layer_norm$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 117 : i64
// CHECK: return %[[FLOPS]], %
func.func @layer_norm(%x: tensor<3x5xf32>, %g: tensor<5xf32>) -> tensor<3x5xf32> {
  %y = aikernel.layer_norm %x, %g, %g {eps = 1.0e-5 : f32} : (tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
