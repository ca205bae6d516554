// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @unary
func.func @unary(%h: tensor<4x?xf16>, %f: tensor<?xf32>, %b: tensor<8x16xbf16>, %d: tensor<8xf64>, %e: tensor<?x?xf32>) -> (tensor<4x?xf16>, tensor<?xf32>) {
  // CHECK: aikernel.relu %{{.*}} : (tensor<4x?xf16>) -> tensor<4x?xf16>
  %0 = aikernel.relu %h : (tensor<4x?xf16>) -> tensor<4x?xf16>
  // CHECK: aikernel.gelu %{{.*}} {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<?xf32>) -> tensor<?xf32>
  %1 = aikernel.gelu %f {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: aikernel.gelu %{{[^ ]*}} : (tensor<?xf32>) -> tensor<?xf32>
  %2 = aikernel.gelu %f {approximate = #aikernel.gelu_approximation<none>} : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: aikernel.silu %{{.*}} : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  %3 = aikernel.silu %b : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
  // CHECK: aikernel.sigmoid %{{.*}} : (tensor<8xf64>) -> tensor<8xf64>
  %4 = aikernel.sigmoid %d : (tensor<8xf64>) -> tensor<8xf64>
  // CHECK: aikernel.tanh %{{.*}} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %5 = aikernel.tanh %e : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<4x?xf16>, tensor<?xf32>
}

// CHECK-LABEL: @gated
func.func @gated(%gate: tensor<?x256xbf16>, %up: tensor<?x256xbf16>, %g: tensor<4x256xf32>, %u: tensor<4x256xf32>) -> tensor<?x256xbf16> {
  // CHECK: aikernel.swiglu %{{.*}}, %{{.*}} : (tensor<?x256xbf16>, tensor<?x256xbf16>) -> tensor<?x256xbf16>
  %0 = aikernel.swiglu %gate, %up : (tensor<?x256xbf16>, tensor<?x256xbf16>) -> tensor<?x256xbf16>
  // CHECK: aikernel.geglu %{{.*}}, %{{.*}} {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  %1 = aikernel.geglu %g, %u {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
  return %0 : tensor<?x256xbf16>
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
