// RUN: aik-opt %s -transform-interpreter -canonicalize -cse | FileCheck %s

// Tiled along batch, head, query and key: the key loop carries the three sums,
// head / group picks the key head, and the tile knows its first key.

// CHECK-LABEL: func @tiled(
// CHECK-SAME: %[[FIRST:[a-z0-9]+]]: index
// CHECK-DAG: %[[GROUP:.*]] = arith.constant 2 : index
// CHECK: scf.for %[[B:[a-z0-9_]+]] =
// CHECK: scf.for %[[H:[a-z0-9_]+]] =
// CHECK: scf.for %[[I:[a-z0-9_]+]] =
// CHECK: scf.for %[[J:[a-z0-9_]+]] = {{.*}} iter_args(%[[ACC:[a-z0-9_]+]] = %{{.*}}, %[[MAX:[a-z0-9_]+]] = %{{.*}}, %[[SUM:[a-z0-9_]+]] = %{{.*}})
// CHECK-DAG: %[[OFFSET:.*]] = arith.addi %[[FIRST]], %[[J]]
// CHECK-DAG: %[[KEYHEAD:.*]] = arith.divui %[[H]], %[[GROUP]]
// CHECK-DAG: %[[INGROUP:.*]] = arith.remui %[[H]], %[[GROUP]]
// CHECK-DAG: %[[Q:.*]] = tensor.extract_slice %{{.*}}[%[[B]], %[[I]], %[[H]], 0] [1, 4, 1, 16]
// CHECK-DAG: %[[K:.*]] = tensor.extract_slice %{{.*}}[%[[B]], %[[J]], %[[KEYHEAD]], 0] [1, 8, 1, 16]
// CHECK-DAG: %[[M:.*]] = tensor.extract_slice %{{.*}}[%[[I]], %[[J]]] [4, 8]
// CHECK-DAG: %[[E:.*]] = tensor.extract_slice %{{.*}}[%[[B]], %[[I]]] [1, 4]
// CHECK-DAG: %[[N:.*]] = tensor.extract_slice %{{.*}}[%[[B]]] [1]
// CHECK-DAG: %[[A:.*]] = tensor.extract_slice %[[ACC]][%[[B]], %[[H]], %[[I]], 0] [1, 1, 4, 16]
// CHECK: aikernel.online_attention %[[Q]], %[[K]], %{{.*}} mask %[[M]] end %[[E]] kv_len %[[N]] scale %{{.*}} key_offset %[[OFFSET]] head_offset %[[INGROUP]] group %[[GROUP]] outs %[[A]],
module attributes {transform.with_named_sequence} {
  func.func @tiled(%q: tensor<2x16x4x16xf32>, %k: tensor<2x32x2x16xf32>, %v: tensor<2x32x2x16xf32>, %m: tensor<16x32xf32>, %end: tensor<2x16xi32>, %n: tensor<2xi32>, %s: f32, %first: index, %acc: tensor<2x4x16x16xf32>, %max: tensor<2x4x16xf32>, %sum: tensor<2x4x16xf32>) -> tensor<2x4x16x16xf32> {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %r:3 = aikernel.online_attention %q, %k, %v mask %m end %end kv_len %n scale %s key_offset %first head_offset %c0 group %c2 outs %acc, %max, %sum {layout = #aikernel.layout_kind<bshd>} : (tensor<2x16x4x16xf32>, tensor<2x32x2x16xf32>, tensor<2x32x2x16xf32>, tensor<16x32xf32>, tensor<2x16xi32>, tensor<2xi32>, f32, index, index, index, tensor<2x4x16x16xf32>, tensor<2x4x16xf32>, tensor<2x4x16xf32>) -> (tensor<2x4x16x16xf32>, tensor<2x4x16xf32>, tensor<2x4x16xf32>)
    return %r#0 : tensor<2x4x16x16xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["aikernel.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:4 = transform.structured.tile_using_for %op tile_sizes [1, 1, 4, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
