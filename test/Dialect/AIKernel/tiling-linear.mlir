// RUN: aik-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @matmul
// CHECK-SAME: %[[A:[^:]*]]: tensor<1x32x16xf32>, %[[B:[^:]*]]: tensor<3x64x16xf32>
func.func @matmul(%a: tensor<1x32x16xf32>, %b: tensor<3x64x16xf32>) -> tensor<3x32x64xf32> {
  // CHECK: scf.for %[[I:.*]] = %c0 to %c3 step %c1
  // CHECK: scf.for %[[M:.*]] = %c0 to %c32 step %c8
  // CHECK: scf.for %[[N:.*]] = %c0 to %c64 step %c4
  // A batch of 1 serves every batch; rows of a transposed b are columns.
  // CHECK: %[[TA:.*]] = tensor.extract_slice %[[A]][0, %[[M]], 0] [1, 8, 16] [1, 1, 1]
  // CHECK: %[[TB:.*]] = tensor.extract_slice %[[B]][%[[I]], %[[N]], 0] [1, 4, 16] [1, 1, 1]
  // CHECK: %[[TC:.*]] = aikernel.matmul %[[TA]], %[[TB]] {transpose_b} : (tensor<1x8x16xf32>, tensor<1x4x16xf32>) -> tensor<1x8x4xf32>
  // CHECK: tensor.insert_slice %[[TC]] into %{{.*}}[%[[I]], %[[M]], %[[N]]] [1, 8, 4] [1, 1, 1]
  %c = aikernel.matmul %a, %b {transpose_b} : (tensor<1x32x16xf32>, tensor<3x64x16xf32>) -> tensor<3x32x64xf32>
  return %c : tensor<3x32x64xf32>
}

// CHECK-LABEL: @linear
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x16xf32>, %[[W:[^:]*]]: tensor<16x64xf32>, %[[BIAS:[^:]*]]: tensor<64xf32>
func.func @linear(%x: tensor<?x16xf32>, %w: tensor<16x64xf32>, %b: tensor<64xf32>) -> tensor<?x64xf32> {
  // CHECK: scf.for %[[R:.*]] = %c0 to %{{.*}} step %c8
  // CHECK: scf.for %[[N:.*]] = %c0 to %c64 step %c4
  // CHECK: %[[SIZE:.*]] = affine.min
  // CHECK: %[[TX:.*]] = tensor.extract_slice %[[X]][%[[R]], 0] [%[[SIZE]], 16] [1, 1]
  // CHECK: %[[TW:.*]] = tensor.extract_slice %[[W]][0, %[[N]]] [16, 4] [1, 1]
  // CHECK: %[[TB:.*]] = tensor.extract_slice %[[BIAS]][%[[N]]] [4] [1]
  // CHECK: aikernel.linear %[[TX]], %[[TW]] bias %[[TB]] {activation = #aikernel.activation<silu>} : (tensor<?x16xf32>, tensor<16x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %y = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<silu>} : (tensor<?x16xf32>, tensor<16x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op0 = transform.structured.match ops{["aikernel.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %t0, %l0:3 = transform.structured.tile_using_for %op0 tile_sizes [1, 8, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %op1 = transform.structured.match ops{["aikernel.linear"]} in %m : (!transform.any_op) -> !transform.any_op
    %t1, %l1:2 = transform.structured.tile_using_for %op1 tile_sizes [8, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
