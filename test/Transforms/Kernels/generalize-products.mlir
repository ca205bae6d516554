// Named products of linalg become the generic form that our own have; other
// named ops stay as they are.
// RUN: aik-opt %s --aik-generalize-products | FileCheck %s
// RUN: aikc %s --target=cpu:x86-64-v4 --compile-to=structured -o - | FileCheck %s --check-prefix=PHASE

// The phase before kernels are scheduled does it.
// PHASE-LABEL: func.func private @matmul$kernel0(
// PHASE: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// PHASE-LABEL: func.func private @turned$kernel0(
// PHASE: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]

// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[RIGHT:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:.*]]: tensor<?x64xbf16>, %[[B:.*]]: tensor<64x?xbf16>, %[[C:.*]]: tensor<?x?xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK: linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], #[[OUT]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[ZEROS]] :
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @matmul(%a: tensor<?x64xbf16>, %b: tensor<64x?xbf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%z : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x?xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @turned(
// CHECK: linalg.generic {indexing_maps = [#[[LEFT]], #[[TURNED]], #[[OUT]]]
func.func @turned(%a: tensor<8x64xf32>, %b: tensor<16x64xf32>, %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<8x64xf32>, tensor<16x64xf32>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @others(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: linalg.transpose
func.func @others(%a: tensor<2x8x64xf32>, %b: tensor<2x64x16xf32>, %c: tensor<2x8x16xf32>, %m: tensor<8x64xf32>, %v: tensor<64xf32>, %w: tensor<8xf32>, %t: tensor<64x8xf32>) -> (tensor<2x8x16xf32>, tensor<8xf32>, tensor<64x8xf32>) {
  %x = linalg.batch_matmul ins(%a, %b : tensor<2x8x64xf32>, tensor<2x64x16xf32>) outs(%c : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %y = linalg.matvec ins(%m, %v : tensor<8x64xf32>, tensor<64xf32>) outs(%w : tensor<8xf32>) -> tensor<8xf32>
  %z = linalg.transpose ins(%m : tensor<8x64xf32>) outs(%t : tensor<64x8xf32>) permutation = [1, 0]
  return %x, %y, %z : tensor<2x8x16xf32>, tensor<8xf32>, tensor<64x8xf32>
}
