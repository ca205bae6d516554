// RUN: aik-opt %s -aik-aikernel-to-linalg -split-input-file | FileCheck %s

// Leading dimensions become rows of a plain product.

// CHECK-LABEL: func @collapsed(
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<2x?x64xf32> into tensor<?x64xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[ROWS]],
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x128xf32>)
// CHECK: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32, %{{.*}}: f32):
// CHECK: arith.addf %[[SUM]], %[[BIAS]] : f32
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [2, %{{.*}}, 128]
func.func @collapsed(%x: tensor<2x?x64xf32>, %w: tensor<64x128xf32>, %b: tensor<128xf32>) -> tensor<2x?x128xf32> {
  %y = aikernel.linear %x, %w bias %b : (tensor<2x?x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<2x?x128xf32>
  return %y : tensor<2x?x128xf32>
}

// -----

// With two sizes unknown they stay apart.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-LABEL: func @apart(
// CHECK-NOT: collapse_shape
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
func.func @apart(%x: tensor<?x?x64xf32>, %w: tensor<128x64xf32>) -> tensor<?x?x128xf32> {
  %y = aikernel.linear %x, %w {transpose_b} : (tensor<?x?x64xf32>, tensor<128x64xf32>) -> tensor<?x?x128xf32>
  return %y : tensor<?x?x128xf32>
}

// -----

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @vector(
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "reduction"]}
func.func @vector(%x: tensor<64xf32>, %w: tensor<64x128xf32>) -> tensor<128xf32> {
  %y = aikernel.linear %x, %w : (tensor<64xf32>, tensor<64x128xf32>) -> tensor<128xf32>
  return %y : tensor<128xf32>
}
