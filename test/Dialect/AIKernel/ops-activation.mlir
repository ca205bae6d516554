// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @relu
func.func @relu(%x: tensor<4x?xf16>) -> tensor<4x?xf16> {
  // CHECK: aikernel.relu %{{[^ ]*}} : (tensor<4x?xf16>) -> tensor<4x?xf16>
  %y = aikernel.relu %x : (tensor<4x?xf16>) -> tensor<4x?xf16>
  return %y : tensor<4x?xf16>
}

// CHECK-LABEL: @gelu
func.func @gelu(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: aikernel.gelu %{{[^ ]*}} {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<?xf32>) -> tensor<?xf32>
  %y = aikernel.gelu %x {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: @silu
func.func @silu(%x: tensor<8x16xbf16>) -> tensor<8x16xbf16> {
  // CHECK: aikernel.silu %{{[^ ]*}} : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %y = aikernel.silu %x : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  return %y : tensor<8x16xbf16>
}

// CHECK-LABEL: @sigmoid
func.func @sigmoid(%x: tensor<8xf64>) -> tensor<8xf64> {
  // CHECK: aikernel.sigmoid %{{[^ ]*}} : (tensor<8xf64>) -> tensor<8xf64>
  %y = aikernel.sigmoid %x : (tensor<8xf64>) -> tensor<8xf64>
  return %y : tensor<8xf64>
}

// CHECK-LABEL: @tanh
func.func @tanh(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: aikernel.tanh %{{[^ ]*}} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = aikernel.tanh %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: @swiglu
func.func @swiglu(%gate: tensor<?x256xbf16>, %up: tensor<?x256xbf16>) -> tensor<?x256xbf16> {
  // CHECK: aikernel.swiglu %{{[^ ]*}}, %{{[^ ]*}} : (tensor<?x256xbf16>, tensor<?x256xbf16>) -> tensor<?x256xbf16>
  %y = aikernel.swiglu %gate, %up : (tensor<?x256xbf16>, tensor<?x256xbf16>) -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}

// CHECK-LABEL: @geglu
func.func @geglu(%gate: tensor<4x256xf32>, %up: tensor<4x256xf32>) -> tensor<4x256xf32> {
  // CHECK: aikernel.geglu %{{[^ ]*}}, %{{[^ ]*}} {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  %y = aikernel.geglu %gate, %up {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  return %y : tensor<4x256xf32>
}

// The default approximation is not printed.
// CHECK-LABEL: @defaults
func.func @defaults(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: aikernel.gelu %{{[^ ]*}} : (tensor<?xf32>) -> tensor<?xf32>
  %0 = aikernel.gelu %x {approximate = #aikernel.gelu_approximation<none>} : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: aikernel.geglu %{{[^ ]*}}, %{{[^ ]*}} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = aikernel.geglu %0, %x {approximate = #aikernel.gelu_approximation<none>} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// A scalar and an empty tensor are tensors too.
// CHECK-LABEL: @edges
func.func @edges(%s: tensor<f32>, %e: tensor<0x4xf32>) -> tensor<f32> {
  // CHECK: aikernel.relu %{{.*}} : (tensor<f32>) -> tensor<f32>
  %0 = aikernel.relu %s : (tensor<f32>) -> tensor<f32>
  // CHECK: aikernel.silu %{{.*}} : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %1 = aikernel.silu %e : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return %0 : tensor<f32>
}
