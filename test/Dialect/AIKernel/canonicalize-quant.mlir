// RUN: aik-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @unpacked_product
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xbf16>, %[[Q:[^:]*]]: tensor<8x36xi8>
func.func @unpacked_product(%x: tensor<?x64xbf16>, %q: tensor<8x36xi8>) -> tensor<?x8xf32> {
  // CHECK-NEXT: %[[Y:.*]] = aikernel.quant_matmul %[[X]], %[[Q]] {format = #aikernel.quant<q4_0>} : (tensor<?x64xbf16>, tensor<8x36xi8>) -> tensor<?x8xf32>
  // CHECK-NEXT: return %[[Y]]
  %w = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x36xi8>) -> tensor<8x64xf32>
  %y = aikernel.matmul %x, %w {transpose_b} : (tensor<?x64xbf16>, tensor<8x64xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: @unpacked_linear
func.func @unpacked_linear(%x: tensor<5x32xf32>, %q: tensor<8x16xi8>, %s: tensor<8x1xf16>, %z: tensor<8x1xi8>) -> tensor<5x8xf32> {
  // CHECK-NEXT: aikernel.quant_matmul %{{.*}}, %{{.*}} scales %{{.*}} zeros %{{.*}} {format = #aikernel.quant<i4, group = 32>}
  // CHECK-NEXT: return
  %w = aikernel.dequantize %q scales %s zeros %z {format = #aikernel.quant<i4, group = 32>} : (tensor<8x16xi8>, tensor<8x1xf16>, tensor<8x1xi8>) -> tensor<8x32xf32>
  %y = aikernel.linear %x, %w {transpose_b} : (tensor<5x32xf32>, tensor<8x32xf32>) -> tensor<5x8xf32>
  return %y : tensor<5x8xf32>
}

// bf16 weights were rounded, f64 sums are not those of quant_matmul, and W must
// be transposed.
// CHECK-LABEL: @other_products
func.func @other_products(%x: tensor<5x32xf32>, %d: tensor<5x32xf64>, %t: tensor<5x8xf32>, %q: tensor<8x18xi8>) -> (tensor<5x8xf32>, tensor<5x8xf64>, tensor<5x32xf32>) {
  // CHECK-NOT: quant_matmul
  %w = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x18xi8>) -> tensor<8x32xbf16>
  %y = aikernel.matmul %x, %w {transpose_b} : (tensor<5x32xf32>, tensor<8x32xbf16>) -> tensor<5x8xf32>
  %v = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x18xi8>) -> tensor<8x32xf32>
  %z = aikernel.matmul %d, %v {transpose_b} : (tensor<5x32xf64>, tensor<8x32xf32>) -> tensor<5x8xf64>
  %u = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x18xi8>) -> tensor<8x32xf32>
  %p = aikernel.matmul %t, %u : (tensor<5x8xf32>, tensor<8x32xf32>) -> tensor<5x32xf32>
  return %y, %z, %p : tensor<5x8xf32>, tensor<5x8xf64>, tensor<5x32xf32>
}

// The weights are used twice: unpacking them once is cheaper.
// CHECK-LABEL: @shared_weights
func.func @shared_weights(%x: tensor<5x32xf32>, %q: tensor<8x18xi8>) -> (tensor<5x8xf32>, tensor<8x32xf32>) {
  // CHECK-NOT: quant_matmul
  %w = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x18xi8>) -> tensor<8x32xf32>
  %y = aikernel.matmul %x, %w {transpose_b} : (tensor<5x32xf32>, tensor<8x32xf32>) -> tensor<5x8xf32>
  return %y, %w : tensor<5x8xf32>, tensor<8x32xf32>
}

// CHECK-LABEL: @one_row
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x64xf32>, %[[W:[^:]*]]: tensor<8x36xi8>
func.func @one_row(%x: tensor<1x64xf32>, %w: tensor<8x36xi8>) -> tensor<1x8xf32> {
  // CHECK-NEXT: %[[V:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1]]
  // CHECK-NEXT: %[[Y:.*]] = aikernel.quant_gemv %[[V]], %[[W]] {activations = #aikernel.quant_activations<q8>, format = #aikernel.quant<q4_0>} : (tensor<64xf32>, tensor<8x36xi8>) -> tensor<8xf32>
  // CHECK-NEXT: %[[R:.*]] = tensor.expand_shape %[[Y]] {{\[}}[0, 1]] output_shape [1, 8]
  // CHECK-NEXT: return %[[R]]
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_0>, activations = #aikernel.quant_activations<q8>} : (tensor<1x64xf32>, tensor<8x36xi8>) -> tensor<1x8xf32>
  return %y : tensor<1x8xf32>
}

// CHECK-LABEL: @empty
func.func @empty(%x: tensor<?xf32>, %m: tensor<0x64xf32>, %w: tensor<0x36xi8>) -> (tensor<0x64xf32>, tensor<0xf32>, tensor<0x68xi8>) {
  // CHECK-NOT: aikernel
  // CHECK: tensor.empty() : tensor<0x64xf32>
  %0 = aikernel.dequantize %w {format = #aikernel.quant<q4_0>} : (tensor<0x36xi8>) -> tensor<0x64xf32>
  %1 = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_0>} : (tensor<?xf32>, tensor<0x36xi8>) -> tensor<0xf32>
  %2 = aikernel.quantize %m {format = #aikernel.quant<q8_0>} : (tensor<0x64xf32>) -> tensor<0x68xi8>
  return %0, %1, %2 : tensor<0x64xf32>, tensor<0xf32>, tensor<0x68xi8>
}

// CHECK-LABEL: @zero_points_of_zero
func.func @zero_points_of_zero(%a: tensor<3x8xi8>, %b: tensor<8x4xi8>, %s: tensor<1xf32>, %z: tensor<4xi8>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0> : tensor<1xi8>
  // CHECK-NEXT: aikernel.int8_matmul %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} zero_b %{{[^ ]*}} : (
  %y = aikernel.int8_matmul %a, %b, %s, %s zero_a %zero zero_b %z : (tensor<3x8xi8>, tensor<8x4xi8>, tensor<1xf32>, tensor<1xf32>, tensor<1xi8>, tensor<4xi8>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
