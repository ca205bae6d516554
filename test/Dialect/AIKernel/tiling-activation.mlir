// RUN: aik-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @gelu
// CHECK-SAME: %[[X:[^:]*]]: tensor<32x64xf32>
func.func @gelu(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  // CHECK: scf.for %[[I:.*]] = %c0 to %c32 step %c8
  // CHECK: scf.for %[[J:.*]] = %c0 to %c64 step %c16
  // CHECK: %[[T:.*]] = tensor.extract_slice %[[X]][%[[I]], %[[J]]] [8, 16] [1, 1]
  // CHECK: aikernel.gelu %[[T]] {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = aikernel.gelu %x {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<32x64xf32>) -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}

// CHECK-LABEL: @swiglu
// CHECK-SAME: %[[G:[^:]*]]: tensor<?x64xbf16>, %[[U:[^:]*]]: tensor<?x64xbf16>
func.func @swiglu(%g: tensor<?x64xbf16>, %u: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  // CHECK: scf.for %[[I:.*]] = %c0 to %{{.*}} step %c8
  // CHECK-DAG: %[[TG:.*]] = tensor.extract_slice %[[G]][%[[I]], 0] [%{{.*}}, 64] [1, 1]
  // CHECK-DAG: %[[TU:.*]] = tensor.extract_slice %[[U]][%[[I]], 0] [%{{.*}}, 64] [1, 1]
  // CHECK: aikernel.swiglu %[[TG]], %[[TU]] : (tensor<?x64xbf16>, tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %y = aikernel.swiglu %g, %u : (tensor<?x64xbf16>, tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op0 = transform.structured.match ops{["aikernel.gelu"]} in %m : (!transform.any_op) -> !transform.any_op
    %t0, %l0:2 = transform.structured.tile_using_for %op0 tile_sizes [8, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %op1 = transform.structured.match ops{["aikernel.swiglu"]} in %m : (!transform.any_op) -> !transform.any_op
    %t1, %l1 = transform.structured.tile_using_for %op1 tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
