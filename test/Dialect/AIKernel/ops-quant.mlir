// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @dequantize
func.func @dequantize(%q: tensor<8x36xi8>) -> tensor<8x64xf32> {
  // CHECK: aikernel.dequantize %{{.*}} {format = #aikernel.quant<q4_0>} : (tensor<8x36xi8>) -> tensor<8x64xf32>
  %w = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x36xi8>) -> tensor<8x64xf32>
  return %w : tensor<8x64xf32>
}

// CHECK-LABEL: @dequantize_groups
func.func @dequantize_groups(%p: tensor<8x?xi8>, %s: tensor<8x?xf16>, %z: tensor<8x?xi8>) -> tensor<8x?xf16> {
  // CHECK: aikernel.dequantize %{{.*}} scales %{{.*}} zeros %{{.*}} {format = #aikernel.quant<i4, group = 32>}
  %v = aikernel.dequantize %p scales %s zeros %z {format = #aikernel.quant<i4, group = 32>} : (tensor<8x?xi8>, tensor<8x?xf16>, tensor<8x?xi8>) -> tensor<8x?xf16>
  return %v : tensor<8x?xf16>
}

// Any rank from 1, and every block format.
// CHECK-LABEL: @dequantize_formats
func.func @dequantize_formats(%a: tensor<20xi8>, %b: tensor<2x3x22xi8>, %c: tensor<24xi8>, %d: tensor<34xi8>, %e: tensor<144xi8>, %f: tensor<176xi8>, %g: tensor<210xi8>, %h: tensor<17xi8>) -> tensor<32xf64> {
  // CHECK: quant<q4_1>
  %0 = aikernel.dequantize %a {format = #aikernel.quant<q4_1>} : (tensor<20xi8>) -> tensor<32xf64>
  // CHECK: quant<q5_0>
  %1 = aikernel.dequantize %b {format = #aikernel.quant<q5_0>} : (tensor<2x3x22xi8>) -> tensor<2x3x32xbf16>
  // CHECK: quant<q5_1>
  %2 = aikernel.dequantize %c {format = #aikernel.quant<q5_1>} : (tensor<24xi8>) -> tensor<32xf32>
  // CHECK: quant<q8_0>
  %3 = aikernel.dequantize %d {format = #aikernel.quant<q8_0>} : (tensor<34xi8>) -> tensor<32xf32>
  // CHECK: quant<q4_k>
  %4 = aikernel.dequantize %e {format = #aikernel.quant<q4_k>} : (tensor<144xi8>) -> tensor<256xf32>
  // CHECK: quant<q5_k>
  %5 = aikernel.dequantize %f {format = #aikernel.quant<q5_k>} : (tensor<176xi8>) -> tensor<256xf32>
  // CHECK: quant<q6_k>
  %6 = aikernel.dequantize %g {format = #aikernel.quant<q6_k>} : (tensor<210xi8>) -> tensor<256xf32>
  // CHECK: quant<mxfp4>
  %7 = aikernel.dequantize %h {format = #aikernel.quant<mxfp4>} : (tensor<17xi8>) -> tensor<32xf32>
  return %0 : tensor<32xf64>
}

// CHECK-LABEL: @quantize
func.func @quantize(%x: tensor<?x256xf32>) -> (tensor<?x210xi8>, tensor<?x256xi8>, tensor<?x4xf32>) {
  // CHECK: aikernel.quantize %{{.*}} {format = #aikernel.quant<q6_k>} : (tensor<?x256xf32>) -> tensor<?x210xi8>
  %q = aikernel.quantize %x {format = #aikernel.quant<q6_k>} : (tensor<?x256xf32>) -> tensor<?x210xi8>
  // CHECK: aikernel.quantize %{{.*}} {format = #aikernel.quant<i8, group = 64>} : (tensor<?x256xf32>) -> (tensor<?x256xi8>, tensor<?x4xf32>)
  %p, %s = aikernel.quantize %x {format = #aikernel.quant<i8, group = 64>} : (tensor<?x256xf32>) -> (tensor<?x256xi8>, tensor<?x4xf32>)
  return %q, %p, %s : tensor<?x210xi8>, tensor<?x256xi8>, tensor<?x4xf32>
}

// CHECK-LABEL: @quantize_zero_points
func.func @quantize_zero_points(%x: tensor<64xbf16>) -> tensor<2xi8> {
  // CHECK: aikernel.quantize %{{.*}} {format = #aikernel.quant<i4, group = 32>} : (tensor<64xbf16>) -> (tensor<32xi8>, tensor<2xf16>, tensor<2xi8>)
  %p, %s, %z = aikernel.quantize %x {format = #aikernel.quant<i4, group = 32>} : (tensor<64xbf16>) -> (tensor<32xi8>, tensor<2xf16>, tensor<2xi8>)
  return %z : tensor<2xi8>
}

// CHECK-LABEL: @quant_gemv
func.func @quant_gemv(%x: tensor<512xf32>, %w: tensor<?x288xi8>) -> tensor<?xf32> {
  // CHECK: aikernel.quant_gemv %{{.*}}, %{{.*}} {activations = #aikernel.quant_activations<q8>, format = #aikernel.quant<q4_k>} : (tensor<512xf32>, tensor<?x288xi8>) -> tensor<?xf32>
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_k>, activations = #aikernel.quant_activations<q8>} : (tensor<512xf32>, tensor<?x288xi8>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Float activations are the default and not printed.
// CHECK-LABEL: @quant_gemv_float
func.func @quant_gemv_float(%x: tensor<?xf16>, %w: tensor<?x?xi8>) -> tensor<?xf32> {
  // CHECK: aikernel.quant_gemv %{{.*}}, %{{.*}} {format = #aikernel.quant<mxfp4>}
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<mxfp4>, activations = #aikernel.quant_activations<f32>} : (tensor<?xf16>, tensor<?x?xi8>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: @quant_matmul
func.func @quant_matmul(%x: tensor<?x256xbf16>, %w: tensor<16x256xi8>, %s: tensor<16x4xf32>) -> tensor<?x16xbf16> {
  // CHECK: aikernel.quant_matmul %{{.*}}, %{{.*}} scales %{{.*}} {format = #aikernel.quant<i8, group = 64>} : (tensor<?x256xbf16>, tensor<16x256xi8>, tensor<16x4xf32>) -> tensor<?x16xbf16>
  %y = aikernel.quant_matmul %x, %w scales %s {format = #aikernel.quant<i8, group = 64>} : (tensor<?x256xbf16>, tensor<16x256xi8>, tensor<16x4xf32>) -> tensor<?x16xbf16>
  return %y : tensor<?x16xbf16>
}

// CHECK-LABEL: @int8_matmul
func.func @int8_matmul(%a: tensor<?x64xi8>, %b: tensor<16x64xi8>, %sa: tensor<?xf32>, %sb: tensor<16xf32>, %za: tensor<1xi8>, %zb: tensor<16xi8>) -> tensor<?x16xf32> {
  // CHECK: aikernel.int8_matmul %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} zero_a %{{.*}} zero_b %{{.*}} {transpose_b}
  %y = aikernel.int8_matmul %a, %b, %sa, %sb zero_a %za zero_b %zb {transpose_b} : (tensor<?x64xi8>, tensor<16x64xi8>, tensor<?xf32>, tensor<16xf32>, tensor<1xi8>, tensor<16xi8>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// CHECK-LABEL: @int8_matmul_plain
func.func @int8_matmul_plain(%a: tensor<4x64xi8>, %b: tensor<64x16xi8>, %sa: tensor<1xf16>, %sb: tensor<1xbf16>, %zb: tensor<1xi8>) -> tensor<4x16xf64> {
  // CHECK: aikernel.int8_matmul %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} zero_b %{{[^ ]*}} : (
  %y = aikernel.int8_matmul %a, %b, %sa, %sb zero_b %zb : (tensor<4x64xi8>, tensor<64x16xi8>, tensor<1xf16>, tensor<1xbf16>, tensor<1xi8>) -> tensor<4x16xf64>
  return %y : tensor<4x16xf64>
}
