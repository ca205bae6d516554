// RUN: aik-opt %s -transform-interpreter -canonicalize -cse | FileCheck %s

// Tiled along batch, rows and columns: a tile takes the panels that hold it,
// rows divided by 8 and columns by 12.

// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0) -> (d0 floordiv 8)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0) -> (d0 floordiv 12)>
// CHECK-LABEL: func @tiled(
// CHECK: scf.for %[[B:[a-z0-9_]+]] =
// CHECK: scf.for %[[M:[a-z0-9_]+]] =
// CHECK: scf.for %[[N:[a-z0-9_]+]] =
// CHECK-DAG: %[[P:.*]] = affine.apply #[[ROWS]](%[[M]])
// CHECK-DAG: %[[Q:.*]] = affine.apply #[[COLUMNS]](%[[N]])
// CHECK-DAG: tensor.extract_slice %{{.*}}[%[[B]], 0, %[[P]], 0, 0, 0] [1, 2, 2, 150, 8, 1]
// CHECK-DAG: tensor.extract_slice %{{.*}}[0, %[[Q]], 0, 0, 0] [2, 2, 150, 12, 1]
// CHECK-DAG: tensor.extract_slice %{{.*}}[%[[M]], %[[B]], %[[N]]] [16, 1, 24]
// CHECK: aikernel.packed_product
func.func @tiled(%p: tensor<3x2x16x150x8x1xf32>, %q: tensor<2x8x150x12x1xf32>, %k: index, %c: tensor<128x3x96xf32>) -> tensor<128x3x96xf32> {
  %r = aikernel.packed_product %p, %q depth %k outs %c {instruction = "fmla.f32", lhs_map = affine_map<(b, m, n) -> (b)>, rhs_map = affine_map<(b, m, n) -> ()>, out_map = affine_map<(b, m, n) -> (m, b, n)>} : (tensor<3x2x16x150x8x1xf32>, tensor<2x8x150x12x1xf32>, index, tensor<128x3x96xf32>) -> tensor<128x3x96xf32>
  return %r : tensor<128x3x96xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["aikernel.packed_product"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops:3 = transform.structured.tile_using_for %0 tile_sizes [1, 16, 24] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
