// RUN: aik-opt %s -aik-aikernel-to-linalg --canonicalize --cse | FileCheck %s

// Byte 2 + e % 16 of the block, its lower or upper half, less 8, times the f16 in
// the first two bytes.

// CHECK-LABEL: func @q4_0(
// CHECK-SAME: %[[Q:.*]]: tensor<?x36xi8>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} outs(
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[K:.*]] = linalg.index 1
// CHECK: %[[BLOCK:.*]] = arith.divui %[[K]], %c32
// CHECK: %[[E:.*]] = arith.remui %[[K]], %c32
// CHECK: %[[START:.*]] = arith.muli %[[BLOCK]], %c18
// CHECK: tensor.extract %[[Q]][%[[ROW]], %[[START]]]
// CHECK: %[[HALF:.*]] = arith.bitcast %{{.*}} : i16 to f16
// CHECK: %[[D:.*]] = arith.extf %[[HALF]] : f16 to f32
// CHECK: %[[J:.*]] = arith.remui %[[E]], %c16
// CHECK: %[[OFFSET:.*]] = arith.addi %[[J]], %c2
// CHECK: %[[AT:.*]] = arith.addi %[[START]], %[[OFFSET]]
// CHECK: %[[BYTE:.*]] = tensor.extract %[[Q]][%[[ROW]], %[[AT]]]
// CHECK: arith.divui %[[E]], %c16
// CHECK: %[[BITS:.*]] = arith.shrui
// CHECK: %[[CODE:.*]] = arith.andi %[[BITS]], %c15_i32
// CHECK: %[[SIGNED:.*]] = arith.subi %[[CODE]], %c8_i32
// CHECK: %[[NUMBER:.*]] = arith.sitofp %[[SIGNED]] : i32 to f32
// CHECK: %[[W:.*]] = arith.mulf %[[D]], %[[NUMBER]] : f32
// CHECK: linalg.yield %[[W]] : f32
func.func @q4_0(%q: tensor<?x36xi8>) -> tensor<?x64xf32> {
  %w = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<?x36xi8>) -> tensor<?x64xf32>
  return %w : tensor<?x64xf32>
}

// Sub-blocks multiply the scale and the minimum, which is subtracted. The result
// is rounded to f32 before it is rounded to bf16.
// CHECK-LABEL: func @q4_k(
// CHECK: arith.divui %{{.*}}, %c144 : index
// CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[SCALED]], %{{.*}} : f32
// CHECK: %[[MINIMUM:.*]] = arith.negf %{{.*}} : f32
// CHECK: %[[SHIFT:.*]] = arith.mulf %[[MINIMUM]], %{{.*}} : f32
// CHECK: %[[SUM:.*]] = arith.addf %[[PRODUCT]], %[[SHIFT]] : f32
// CHECK: arith.truncf %[[SUM]] : f32 to bf16
func.func @q4_k(%q: tensor<?xi8>) -> tensor<?xbf16> {
  %w = aikernel.dequantize %q {format = #aikernel.quant<q4_k>} : (tensor<?xi8>) -> tensor<?xbf16>
  return %w : tensor<?xbf16>
}

// A table of values, and a scale that is an exponent.
// CHECK-LABEL: func @mxfp4(
// CHECK: %[[TABLE:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12]> : tensor<16xi8>
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK: tensor.extract %[[TABLE]]
func.func @mxfp4(%q: tensor<17xi8>) -> tensor<32xf32> {
  %w = aikernel.dequantize %q {format = #aikernel.quant<mxfp4>} : (tensor<17xi8>) -> tensor<32xf32>
  return %w : tensor<32xf32>
}

// Scales and zero points are read from their own tensors.
// CHECK-LABEL: func @grouped(
// CHECK-SAME: %[[Q:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xf16>, %[[Z:.*]]: tensor<4x2xi8>
// CHECK: %[[GROUP:.*]] = arith.divui %{{.*}}, %c64
// CHECK: tensor.extract %[[S]][%{{.*}}, %[[GROUP]]] : tensor<4x2xf16>
// CHECK: tensor.extract %[[Q]]
// CHECK: arith.shrsi
// CHECK: tensor.extract %[[Z]][%{{.*}}, %[[GROUP]]] : tensor<4x2xi8>
// CHECK: arith.subi
func.func @grouped(%q: tensor<4x64xi8>, %s: tensor<4x2xf16>, %z: tensor<4x2xi8>) -> tensor<4x128xf32> {
  %w = aikernel.dequantize %q scales %s zeros %z {format = #aikernel.quant<i4, group = 64>} : (tensor<4x64xi8>, tensor<4x2xf16>, tensor<4x2xi8>) -> tensor<4x128xf32>
  return %w : tensor<4x128xf32>
}
