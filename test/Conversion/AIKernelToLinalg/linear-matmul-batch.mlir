// RUN: aik-opt %s -aik-aikernel-to-linalg -cse -split-input-file | FileCheck %s

// Batch dimensions are aligned from the right; what is 1 or absent on one side
// is broadcast by the map.

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, 0, d2, d4)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d3)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func @broadcast(
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: outs(%{{.*}} : tensor<2x3x?x8xf32>)
func.func @broadcast(%a: tensor<2x1x?x64xf32>, %b: tensor<3x64x8xf32>) -> tensor<2x3x?x8xf32> {
  %c = aikernel.matmul %a, %b : (tensor<2x1x?x64xf32>, tensor<3x64x8xf32>) -> tensor<2x3x?x8xf32>
  return %c : tensor<2x3x?x8xf32>
}

// -----

// The size of a dynamic batch comes from the side that is not broadcast.
// CHECK-LABEL: func @dynamic(
// CHECK-SAME: %{{.*}}: tensor<1x4x16xf32>, %[[B:.*]]: tensor<?x16x8xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[BATCH:.*]] = tensor.dim %[[B]], %[[C0]]
// CHECK: tensor.empty(%[[BATCH]]) : tensor<?x4x8xf32>
func.func @dynamic(%a: tensor<1x4x16xf32>, %b: tensor<?x16x8xf32>) -> tensor<?x4x8xf32> {
  %c = aikernel.matmul %a, %b : (tensor<1x4x16xf32>, tensor<?x16x8xf32>) -> tensor<?x4x8xf32>
  return %c : tensor<?x4x8xf32>
}

// -----

// What only the result's type knows is used.
// CHECK-LABEL: func @refined(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8xf32>)
func.func @refined(%a: tensor<?x16xf32>, %b: tensor<16x?xf32>) -> tensor<4x8xf32> {
  %c = aikernel.matmul %a, %b : (tensor<?x16xf32>, tensor<16x?xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
