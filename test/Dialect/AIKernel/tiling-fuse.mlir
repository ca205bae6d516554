// RUN: aik-opt %s --transform-interpreter --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s

// Tiling the last op over rows pulls its producers into the loop.
// CHECK-LABEL: @chain
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf32>, %[[G:[^:]*]]: tensor<64xf32>, %[[W:[^:]*]]: tensor<64x32xf32>
func.func @chain(%x: tensor<?x64xf32>, %g: tensor<64xf32>, %w: tensor<64x32xf32>) -> tensor<?x32xf32> {
  // CHECK-NOT: aikernel
  // CHECK: scf.for %[[I:.*]] = %c0 to %{{.*}} step %c8
  // CHECK: %[[T:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [%{{.*}}, 64] [1, 1]
  // CHECK: %[[N:.*]] = aikernel.rms_norm %[[T]], %[[G]]
  // CHECK: %[[L:.*]] = aikernel.linear %[[N]], %[[W]]
  // CHECK: %[[S:.*]] = aikernel.silu %[[L]]
  // CHECK: tensor.insert_slice %[[S]]
  // CHECK-NOT: aikernel
  %0 = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %1 = aikernel.linear %0, %w : (tensor<?x64xf32>, tensor<64x32xf32>) -> tensor<?x32xf32>
  %2 = aikernel.silu %1 : (tensor<?x32xf32>) -> tensor<?x32xf32>
  return %2 : tensor<?x32xf32>
}

// CHECK: transform.named_sequence
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["aikernel.silu"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.fuse %op tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
