// RUN: aik-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// Four query heads need two key heads; a tile of causal queries that ends before
// the last query sees fewer keys; a mask of unknown size may be 1.
// CHECK: #[[GROUP:.*]] = affine_map<()[s0] -> (s0 floordiv 2)>
// CHECK-LABEL: @causal
// CHECK-SAME: %[[Q:[^:]*]]: tensor<2x8x?x64xf32>, %[[K:[^:]*]]: tensor<2x4x?x64xf32>, %[[V:[^:]*]]: tensor<2x4x?x32xf32>, %[[MASK:[^:]*]]: tensor<1x1x?x?xf32>
func.func @causal(%q: tensor<2x8x?x64xf32>, %k: tensor<2x4x?x64xf32>, %v: tensor<2x4x?x32xf32>, %m: tensor<1x1x?x?xf32>) -> (tensor<2x8x?x32xf32>, tensor<2x8x?xf32>) {
  // CHECK: %[[SQ:.*]] = tensor.dim %[[Q]], %c2
  // CHECK: scf.for %[[B:.*]] = %c0 to %c2 step %c1
  // CHECK: scf.for %[[H:.*]] = %c0 to %c8 step %c4
  // CHECK: scf.for %[[S:.*]] = %c0 to %[[SQ]] step %c16
  // CHECK: %[[ROWS:.*]] = affine.min
  // CHECK: %[[TQ:.*]] = tensor.extract_slice %[[Q]][%[[B]], %[[H]], %[[S]], 0] [1, 4, %[[ROWS]], 64]
  // CHECK: %[[HK:.*]] = affine.apply #[[GROUP]]()[%[[H]]]
  // CHECK: %[[SKV:.*]] = tensor.dim %[[K]], %c2
  // CHECK: %[[TK:.*]] = tensor.extract_slice %[[K]][%[[B]], %[[HK]], 0, 0] [1, 2, %[[SKV]], 64]
  // CHECK: %[[TV:.*]] = tensor.extract_slice %[[V]][%[[B]], %[[HK]], 0, 0] [1, 2, %{{.*}}, 32]
  // CHECK: %[[ONE_ROW:.*]] = arith.cmpi eq, %{{.*}}, %c1
  // CHECK: %[[MASK_ROW:.*]] = arith.select %[[ONE_ROW]], %c0, %[[S]]
  // CHECK: %[[MASK_ROWS:.*]] = arith.select %[[ONE_ROW]], %c1, %[[ROWS]]
  // CHECK: %[[TM:.*]] = tensor.extract_slice %[[MASK]][0, 0, %[[MASK_ROW]], 0] [1, 1, %[[MASK_ROWS]], %{{.*}}]
  // CHECK: %[[END:.*]] = arith.addi %[[S]], %[[ROWS]]
  // CHECK: %[[AFTER:.*]] = arith.subi %[[SQ]], %[[END]]
  // CHECK: %[[AFTER32:.*]] = arith.index_cast %[[AFTER]]
  // CHECK: %[[KEYS:.*]] = arith.index_cast %[[SKV]]
  // CHECK: %[[ALL:.*]] = tensor.splat %[[KEYS]] : tensor<1xi32>
  // CHECK: %[[LESS:.*]] = tensor.splat %[[AFTER32]] : tensor<1xi32>
  // CHECK: %[[LEFT:.*]] = arith.subi %[[ALL]], %[[LESS]]
  // CHECK: %[[LEN:.*]] = arith.maxsi %[[LEFT]], %{{.*}}
  // CHECK: %[[O:.*]], %[[LSE:.*]] = aikernel.attention %[[TQ]], %[[TK]], %[[TV]] mask %[[TM]] kv_len %[[LEN]] {causal}
  // CHECK: tensor.insert_slice %[[O]] into %{{.*}}[%[[B]], %[[H]], %[[S]], 0] [1, 4, %[[ROWS]], 32]
  // CHECK: tensor.insert_slice %[[LSE]] into %{{.*}}[%[[B]], %[[H]], %[[S]]] [1, 4, %[[ROWS]]]
  %o, %lse = aikernel.attention %q, %k, %v mask %m {causal} : (tensor<2x8x?x64xf32>, tensor<2x4x?x64xf32>, tensor<2x4x?x32xf32>, tensor<1x1x?x?xf32>) -> (tensor<2x8x?x32xf32>, tensor<2x8x?xf32>)
  return %o, %lse : tensor<2x8x?x32xf32>, tensor<2x8x?xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op0 = transform.structured.match ops{["aikernel.attention"]} in %m : (!transform.any_op) -> !transform.any_op
    %t0, %l0:3 = transform.structured.tile_using_for %op0 tile_sizes [1, 4, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
