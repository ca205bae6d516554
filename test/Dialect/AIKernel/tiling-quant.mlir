// RUN: aik-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// Rows are cut; bytes and groups of a row are not.
// CHECK-LABEL: @dequantize
// CHECK-SAME: %[[Q:[^:]*]]: tensor<64x32xi8>, %[[S:[^:]*]]: tensor<64x2xf32>
func.func @dequantize(%q: tensor<64x32xi8>, %s: tensor<64x2xf32>) -> tensor<64x64xf32> {
  // CHECK: scf.for %[[N:.*]] = %c0 to %c64 step %c8
  // CHECK: %[[TQ:.*]] = tensor.extract_slice %[[Q]][%[[N]], 0] [8, 32] [1, 1]
  // CHECK: %[[TS:.*]] = tensor.extract_slice %[[S]][%[[N]], 0] [8, 2] [1, 1]
  // CHECK: aikernel.dequantize %[[TQ]] scales %[[TS]] {format = #aikernel.quant<i4, group = 32>} : (tensor<8x32xi8>, tensor<8x2xf32>) -> tensor<8x64xf32>
  %w = aikernel.dequantize %q scales %s {format = #aikernel.quant<i4, group = 32>} : (tensor<64x32xi8>, tensor<64x2xf32>) -> tensor<64x64xf32>
  return %w : tensor<64x64xf32>
}

// CHECK-LABEL: @quant_gemv
// CHECK-SAME: %[[X:[^:]*]]: tensor<64xf32>, %[[W:[^:]*]]: tensor<?x36xi8>
func.func @quant_gemv(%x: tensor<64xf32>, %w: tensor<?x36xi8>) -> tensor<?xf32> {
  // CHECK: scf.for %[[N:.*]] = %c0 to %{{.*}} step %c8
  // CHECK: %[[TW:.*]] = tensor.extract_slice %[[W]][%[[N]], 0] [%[[SIZE:.*]], 36] [1, 1]
  // CHECK: aikernel.quant_gemv %[[X]], %[[TW]] {format = #aikernel.quant<q4_0>} : (tensor<64xf32>, tensor<?x36xi8>) -> tensor<?xf32>
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_0>} : (tensor<64xf32>, tensor<?x36xi8>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: @quant_matmul
// CHECK-SAME: %[[X:[^:]*]]: tensor<16x64xf32>, %[[W:[^:]*]]: tensor<32x36xi8>
func.func @quant_matmul(%x: tensor<16x64xf32>, %w: tensor<32x36xi8>) -> tensor<16x32xf32> {
  // CHECK: scf.for %[[M:.*]] = %c0 to %c16 step %c4
  // CHECK: scf.for %[[N:.*]] = %c0 to %c32 step %c8
  // CHECK: %[[TX:.*]] = tensor.extract_slice %[[X]][%[[M]], 0] [4, 64] [1, 1]
  // CHECK: %[[TW:.*]] = tensor.extract_slice %[[W]][%[[N]], 0] [8, 36] [1, 1]
  // CHECK: aikernel.quant_matmul %[[TX]], %[[TW]] {format = #aikernel.quant<q4_0>} : (tensor<4x64xf32>, tensor<8x36xi8>) -> tensor<4x8xf32>
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_0>} : (tensor<16x64xf32>, tensor<32x36xi8>) -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// One scale for all rows stays, one per column is cut.
// CHECK-LABEL: @int8_matmul
// CHECK-SAME: %[[A:[^:]*]]: tensor<16x8xi8>, %[[B:[^:]*]]: tensor<8x32xi8>, %[[SA:[^:]*]]: tensor<1xf32>, %[[SB:[^:]*]]: tensor<32xf32>
func.func @int8_matmul(%a: tensor<16x8xi8>, %b: tensor<8x32xi8>, %sa: tensor<1xf32>, %sb: tensor<32xf32>) -> tensor<16x32xf32> {
  // CHECK: scf.for %[[M:.*]] = %c0 to %c16 step %c4
  // CHECK: scf.for %[[N:.*]] = %c0 to %c32 step %c8
  // CHECK: %[[TB:.*]] = tensor.extract_slice %[[B]][0, %[[N]]] [8, 8] [1, 1]
  // CHECK: %[[TS:.*]] = tensor.extract_slice %[[SB]][%[[N]]] [8] [1]
  // CHECK: aikernel.int8_matmul %{{.*}}, %[[TB]], %[[SA]], %[[TS]] : (tensor<4x8xi8>, tensor<8x8xi8>, tensor<1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %y = aikernel.int8_matmul %a, %b, %sa, %sb : (tensor<16x8xi8>, tensor<8x32xi8>, tensor<1xf32>, tensor<32xf32>) -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// CHECK-LABEL: @quantize
// CHECK-SAME: %[[X:[^:]*]]: tensor<64x64xf32>
func.func @quantize(%x: tensor<64x64xf32>) -> tensor<64x36xi8> {
  // CHECK: scf.for %[[N:.*]] = %c0 to %c64 step %c8
  // CHECK: %[[TX:.*]] = tensor.extract_slice %[[X]][%[[N]], 0] [8, 64] [1, 1]
  // CHECK: aikernel.quantize %[[TX]] {format = #aikernel.quant<q4_0>} : (tensor<8x64xf32>) -> tensor<8x36xi8>
  %q = aikernel.quantize %x {format = #aikernel.quant<q4_0>} : (tensor<64x64xf32>) -> tensor<64x36xi8>
  return %q : tensor<64x36xi8>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op0 = transform.structured.match ops{["aikernel.dequantize"]} in %m : (!transform.any_op) -> !transform.any_op
    %t0, %l0 = transform.structured.tile_using_for %op0 tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %op1 = transform.structured.match ops{["aikernel.quant_gemv"]} in %m : (!transform.any_op) -> !transform.any_op
    %t1, %l1 = transform.structured.tile_using_for %op1 tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %op2 = transform.structured.match ops{["aikernel.quant_matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %t2, %l2:2 = transform.structured.tile_using_for %op2 tile_sizes [4, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %op3 = transform.structured.match ops{["aikernel.int8_matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %t3, %l3:2 = transform.structured.tile_using_for %op3 tile_sizes [4, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %op4 = transform.structured.match ops{["aikernel.quantize"]} in %m : (!transform.any_op) -> !transform.any_op
    %t4, %l4 = transform.structured.tile_using_for %op4 tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
