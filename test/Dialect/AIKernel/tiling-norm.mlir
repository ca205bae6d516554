// RUN: aik-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// Rows are cut, the reduced axis is not, and gamma is used whole.
// CHECK-LABEL: @rms_norm
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf32>, %[[G:[^:]*]]: tensor<64xf32>
func.func @rms_norm(%x: tensor<?x64xf32>, %g: tensor<64xf32>) -> tensor<?x64xf32> {
  // CHECK: scf.for %[[I:.*]] = %c0 to %{{.*}} step %c8
  // CHECK: %[[T:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [%{{.*}}, 64] [1, 1]
  // CHECK: aikernel.rms_norm %[[T]], %[[G]] {eps = {{.*}}} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %y = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// CHECK-LABEL: @layer_norm
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x16x64xf32>
func.func @layer_norm(%x: tensor<4x16x64xf32>, %g: tensor<64xf32>) -> tensor<4x16x64xf32> {
  // CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1
  // CHECK: scf.for %[[J:.*]] = %c0 to %c16 step %c8
  // CHECK: %[[T:.*]] = tensor.extract_slice %[[X]][%[[I]], %[[J]], 0] [1, 8, 64] [1, 1, 1]
  // CHECK: aikernel.layer_norm %[[T]]
  %y = aikernel.layer_norm %x, %g, %g {eps = 1.0e-5 : f32} : (tensor<4x16x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<4x16x64xf32>
  return %y : tensor<4x16x64xf32>
}

// CHECK-LABEL: @l2_norm
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xf32>
func.func @l2_norm(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: %[[N:.*]] = tensor.dim %[[X]], %c1
  // CHECK: scf.for %[[I:.*]] = %c0 to %{{.*}} step %c8
  // CHECK-NOT: scf.for
  // CHECK: %[[T:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [%{{.*}}, %[[N]]] [1, 1]
  // CHECK: aikernel.l2_norm %[[T]] {eps = {{.*}}} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = aikernel.l2_norm %x {eps = 1.0e-12 : f32} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// The loops of a softmax over the middle axis are the outer two.
// CHECK-LABEL: @softmax
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x16x64xf32>
func.func @softmax(%x: tensor<4x16x64xf32>) -> tensor<4x16x64xf32> {
  // CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c2
  // CHECK: scf.for %[[J:.*]] = %c0 to %c64 step %c8
  // CHECK: %[[T:.*]] = tensor.extract_slice %[[X]][%[[I]], 0, %[[J]]] [2, 16, 8] [1, 1, 1]
  // CHECK: aikernel.softmax %[[T]] {axis = 1 : i64}
  %y = aikernel.softmax %x {axis = 1 : i64} : (tensor<4x16x64xf32>) -> tensor<4x16x64xf32>
  return %y : tensor<4x16x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op0 = transform.structured.match ops{["aikernel.rms_norm"]} in %m : (!transform.any_op) -> !transform.any_op
    %t0, %l0 = transform.structured.tile_using_for %op0 tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %op1 = transform.structured.match ops{["aikernel.layer_norm"]} in %m : (!transform.any_op) -> !transform.any_op
    %t1, %l1:2 = transform.structured.tile_using_for %op1 tile_sizes [1, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %op2 = transform.structured.match ops{["aikernel.softmax"]} in %m : (!transform.any_op) -> !transform.any_op
    %t2, %l2:2 = transform.structured.tile_using_for %op2 tile_sizes [2, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %op3 = transform.structured.match ops{["aikernel.l2_norm"]} in %m : (!transform.any_op) -> !transform.any_op
    %t3, %l3 = transform.structured.tile_using_for %op3 tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
