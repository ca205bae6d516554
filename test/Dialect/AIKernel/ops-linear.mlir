// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<?x64xbf16>, %b: tensor<128x64xbf16>) -> tensor<?x128xf32> {
  // CHECK: aikernel.matmul %{{.*}}, %{{.*}} {fast, transpose_b} : (tensor<?x64xbf16>, tensor<128x64xbf16>) -> tensor<?x128xf32>
  %q = aikernel.matmul %a, %b {fast, transpose_b} : (tensor<?x64xbf16>, tensor<128x64xbf16>) -> tensor<?x128xf32>
  // CHECK: aikernel.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<?x64xbf16>, tensor<128x64xbf16>) -> tensor<?x128xf32>
  %c = aikernel.matmul %a, %b {transpose_b} : (tensor<?x64xbf16>, tensor<128x64xbf16>) -> tensor<?x128xf32>
  return %c : tensor<?x128xf32>
}

// CHECK-LABEL: @matmul_batched
func.func @matmul_batched(%a: tensor<2x1x8x4xf32>, %b: tensor<3x4x?xf32>) -> tensor<2x3x8x?xf32> {
  // CHECK: aikernel.matmul %{{.*}}, %{{.*}} : (tensor<2x1x8x4xf32>, tensor<3x4x?xf32>) -> tensor<2x3x8x?xf32>
  %c = aikernel.matmul %a, %b : (tensor<2x1x8x4xf32>, tensor<3x4x?xf32>) -> tensor<2x3x8x?xf32>
  return %c : tensor<2x3x8x?xf32>
}

// CHECK-LABEL: @matmul_f8
func.func @matmul_f8(%a: tensor<16x8xf8E4M3FN>, %b: tensor<16x8xf8E5M2>) -> tensor<8x8xbf16> {
  // CHECK: aikernel.matmul %{{.*}}, %{{.*}} {transpose_a} : (tensor<16x8xf8E4M3FN>, tensor<16x8xf8E5M2>) -> tensor<8x8xbf16>
  %c = aikernel.matmul %a, %b {transpose_a} : (tensor<16x8xf8E4M3FN>, tensor<16x8xf8E5M2>) -> tensor<8x8xbf16>
  return %c : tensor<8x8xbf16>
}

// CHECK-LABEL: @linear
func.func @linear(%x: tensor<?x64xf32>, %w: tensor<64x128xf32>, %b: tensor<128xf32>) -> tensor<?x128xf32> {
  // CHECK: aikernel.linear %{{.*}}, %{{.*}} bias %{{.*}} {activation = #aikernel.activation<gelu>} : (tensor<?x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %y = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<gelu>} : (tensor<?x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}

// The default activation is not printed.
// CHECK-LABEL: @linear_plain
func.func @linear_plain(%x: tensor<64xf16>, %w: tensor<128x64xf8E4M3FN>) -> tensor<128xf64> {
  // CHECK: aikernel.linear %{{.*}}, %{{.*}} {transpose_b} : (tensor<64xf16>, tensor<128x64xf8E4M3FN>) -> tensor<128xf64>
  %y = aikernel.linear %x, %w {activation = #aikernel.activation<none>, transpose_b} : (tensor<64xf16>, tensor<128x64xf8E4M3FN>) -> tensor<128xf64>
  return %y : tensor<128xf64>
}

// CHECK-LABEL: @linear_activations
func.func @linear_activations(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>) -> tensor<2x3x5xf32> {
  // CHECK: activation<relu>
  %0 = aikernel.linear %x, %w {activation = #aikernel.activation<relu>} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: activation<gelu_tanh>
  %1 = aikernel.linear %x, %w {activation = #aikernel.activation<gelu_tanh>} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: activation<silu>
  %2 = aikernel.linear %x, %w {activation = #aikernel.activation<silu>} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  return %2 : tensor<2x3x5xf32>
}
