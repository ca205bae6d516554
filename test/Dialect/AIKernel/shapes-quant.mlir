// RUN: aik-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

// 32 elements for each 18 bytes.
// CHECK-LABEL: @dequantize
// CHECK-SAME: %[[Q:[^:]*]]: tensor<?x?xi8>
func.func @dequantize(%q: tensor<?x?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<?x?xi8>) -> tensor<?x?xf32>
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[Q]], %c0
  // CHECK-DAG: %[[BYTES:.*]] = tensor.dim %[[Q]], %c1
  // CHECK-DAG: %[[BLOCKS:.*]] = arith.divui %[[BYTES]], %c18
  // CHECK-DAG: %[[K:.*]] = arith.muli %[[BLOCKS]], %c32
  // CHECK: return %[[N]], %[[K]]
  %0 = tensor.dim %w, %c0 : tensor<?x?xf32>
  %1 = tensor.dim %w, %c1 : tensor<?x?xf32>
  return %0, %1 : index, index
}

// CHECK-LABEL: @quantize
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x?xf32>
func.func @quantize(%x: tensor<4x?xf32>) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %q = aikernel.quantize %x {format = #aikernel.quant<q6_k>} : (tensor<4x?xf32>) -> tensor<4x?xi8>
  %p, %s = aikernel.quantize %x {format = #aikernel.quant<i4, group = 64>} : (tensor<4x?xf32>) -> (tensor<4x?xi8>, tensor<4x?xf32>)
  // CHECK-DAG: %[[K:.*]] = tensor.dim %[[X]], %c1
  // CHECK-DAG: %[[LONG:.*]] = arith.divui %[[K]], %c256
  // CHECK-DAG: %[[BYTES:.*]] = arith.muli %[[LONG]], %c210
  // CHECK-DAG: %[[GROUPS:.*]] = arith.divui %[[K]], %c64
  // CHECK-DAG: %[[HALF:.*]] = arith.muli %[[GROUPS]], %c32
  // CHECK: return %[[BYTES]], %[[HALF]], %[[GROUPS]]
  %0 = tensor.dim %q, %c1 : tensor<4x?xi8>
  %1 = tensor.dim %p, %c1 : tensor<4x?xi8>
  %2 = tensor.dim %s, %c1 : tensor<4x?xf32>
  return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: @quant_matmul
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xf32>, %[[W:[^:]*]]: tensor<?x?xi8>
func.func @quant_matmul(%x: tensor<?x?xf32>, %w: tensor<?x?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q8_0>} : (tensor<?x?xf32>, tensor<?x?xi8>) -> tensor<?x?xf32>
  // CHECK-DAG: %[[M:.*]] = tensor.dim %[[X]], %c0
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[W]], %c0
  // CHECK: return %[[M]], %[[N]]
  %0 = tensor.dim %y, %c0 : tensor<?x?xf32>
  %1 = tensor.dim %y, %c1 : tensor<?x?xf32>
  return %0, %1 : index, index
}
