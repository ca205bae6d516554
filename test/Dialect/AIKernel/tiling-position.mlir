// RUN: aik-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @rope
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x16x8x64xf32>, %[[P:[^:]*]]: tensor<2x16xi32>
func.func @rope(%x: tensor<2x16x8x64xf32>, %pos: tensor<2x16xi32>) -> tensor<2x16x8x64xf32> {
  // CHECK: scf.for %[[B:.*]] = %c0 to %c2 step %c1
  // CHECK: scf.for %[[H:.*]] = %c0 to %c8 step %c2
  // CHECK: scf.for %[[S:.*]] = %c0 to %c16 step %c4
  // CHECK: %[[TX:.*]] = tensor.extract_slice %[[X]][%[[B]], %[[S]], %[[H]], 0] [1, 4, 2, 64]
  // CHECK: %[[TP:.*]] = tensor.extract_slice %[[P]][%[[B]], %[[S]]] [1, 4]
  // CHECK: aikernel.rope %[[TX]], %[[TP]]
  %y = aikernel.rope %x, %pos {base = 1.0e4 : f32, layout = #aikernel.layout_kind<bshd>} : (tensor<2x16x8x64xf32>, tensor<2x16xi32>) -> tensor<2x16x8x64xf32>
  return %y : tensor<2x16x8x64xf32>
}

// All rows of the cache come with each tile: where the new ones go is data.
// CHECK-LABEL: @kv_append
// CHECK-SAME: %[[C:[^:]*]]: tensor<2x8x?x64xf32>, %[[N:[^:]*]]: tensor<2x8x3x64xf32>, %[[P:[^:]*]]: tensor<2xi32>
func.func @kv_append(%c: tensor<2x8x?x64xf32>, %n: tensor<2x8x3x64xf32>, %pos: tensor<2xi32>) -> tensor<2x8x?x64xf32> {
  // CHECK: scf.for %[[B:.*]] = %c0 to %c2 step %c1
  // CHECK: scf.for %[[H:.*]] = %c0 to %c8 step %c2
  // CHECK: %[[TC:.*]] = tensor.extract_slice %[[C]][%[[B]], %[[H]], 0, 0] [1, 2, %{{.*}}, 64]
  // CHECK: %[[TN:.*]] = tensor.extract_slice %[[N]][%[[B]], %[[H]], 0, 0] [1, 2, 3, 64]
  // CHECK: %[[TP:.*]] = tensor.extract_slice %[[P]][%[[B]]] [1]
  // CHECK: aikernel.kv_append %[[TC]], %[[TN]], %[[TP]] : (tensor<1x2x?x64xf32>, tensor<1x2x3x64xf32>, tensor<1xi32>) -> tensor<1x2x?x64xf32>
  %y = aikernel.kv_append %c, %n, %pos : (tensor<2x8x?x64xf32>, tensor<2x8x3x64xf32>, tensor<2xi32>) -> tensor<2x8x?x64xf32>
  return %y : tensor<2x8x?x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op0 = transform.structured.match ops{["aikernel.rope"]} in %m : (!transform.any_op) -> !transform.any_op
    %t0, %l0:3 = transform.structured.tile_using_for %op0 tile_sizes [1, 2, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %op1 = transform.structured.match ops{["aikernel.kv_append"]} in %m : (!transform.any_op) -> !transform.any_op
    %t1, %l1:2 = transform.structured.tile_using_for %op1 tile_sizes [1, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
