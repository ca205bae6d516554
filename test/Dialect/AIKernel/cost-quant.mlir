// RUN: aik-opt %s --aik-build-entries --canonicalize | FileCheck %s

// One multiplication per element.
// CHECK-LABEL: @dequantize$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 192 : i64
// CHECK: return %[[FLOPS]], %
func.func @dequantize(%q: tensor<3x36xi8>) -> tensor<3x64xf32> {
  %y = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<3x36xi8>) -> tensor<3x64xf32>
  return %y : tensor<3x64xf32>
}

// And one addition, where there is a minimum.
// CHECK-LABEL: @dequantize_minimum$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 384 : i64
// CHECK: return %[[FLOPS]], %
func.func @dequantize_minimum(%q: tensor<3x40xi8>) -> tensor<3x64xf32> {
  %y = aikernel.dequantize %q {format = #aikernel.quant<q4_1>} : (tensor<3x40xi8>) -> tensor<3x64xf32>
  return %y : tensor<3x64xf32>
}

// CHECK-LABEL: @quantize$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 384 : i64
// CHECK: return %[[FLOPS]], %
func.func @quantize(%x: tensor<3x64xf32>) -> tensor<3x36xi8> {
  %y = aikernel.quantize %x {format = #aikernel.quant<q4_0>} : (tensor<3x64xf32>) -> tensor<3x36xi8>
  return %y : tensor<3x36xi8>
}

// 2 N K.
// CHECK-LABEL: @quant_gemv$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 384 : i64
// CHECK: return %[[FLOPS]], %
func.func @quant_gemv(%x: tensor<64xf32>, %w: tensor<3x36xi8>) -> tensor<3xf32> {
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_0>} : (tensor<64xf32>, tensor<3x36xi8>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// 2 M N K.
// CHECK-LABEL: @quant_matmul$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 1920 : i64
// CHECK: return %[[FLOPS]], %
func.func @quant_matmul(%x: tensor<5x64xf32>, %w: tensor<3x32xi8>, %s: tensor<3x2xf32>) -> tensor<5x3xf32> {
  %y = aikernel.quant_matmul %x, %w scales %s {format = #aikernel.quant<i4, group = 32>} : (tensor<5x64xf32>, tensor<3x32xi8>, tensor<3x2xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// 2 M N K, and two multiplications per result.
// CHECK-LABEL: @int8_matmul$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 270 : i64
// CHECK: return %[[FLOPS]], %
func.func @int8_matmul(%a: tensor<5x8xi8>, %b: tensor<8x3xi8>, %s: tensor<1xf32>) -> tensor<5x3xf32> {
  %y = aikernel.int8_matmul %a, %b, %s, %s : (tensor<5x8xi8>, tensor<8x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}
