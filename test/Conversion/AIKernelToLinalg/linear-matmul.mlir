// RUN: aik-opt %s -aik-aikernel-to-linalg -split-input-file | FileCheck %s

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @f32(
// CHECK-SAME: %[[LHS:.*]]: tensor<?x64xf32>, %[[RHS:.*]]: tensor<64x?xf32>
// CHECK: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK: %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[LHS]], %[[RHS]] : {{.*}}) outs(%[[INIT]] : tensor<?x?xf32>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK: arith.addf %[[OUT]], %[[PRODUCT]] : f32
// CHECK-NOT: linalg.generic
// CHECK: return %[[SUM]]
func.func @f32(%a: tensor<?x64xf32>, %b: tensor<64x?xf32>) -> tensor<?x?xf32> {
  %c = aikernel.matmul %a, %b : (tensor<?x64xf32>, tensor<64x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// -----

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func @transposed(
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #{{.*}}]
// CHECK-SAME: outs(%{{.*}} : tensor<4x8xf32>)
func.func @transposed(%a: tensor<16x4xf32>, %b: tensor<8x16xf32>) -> tensor<4x8xf32> {
  %c = aikernel.matmul %a, %b {transpose_a, transpose_b} : (tensor<16x4xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// Narrow operands are extended in the contraction, the sum is f32, and the
// result is rounded once, at the end.
// CHECK-LABEL: func @narrow(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8xf32>)
// CHECK: arith.extf %{{.*}} : f8E4M3FN to f32
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK-NOT: arith.truncf
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8xf16>)
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @narrow(%a: tensor<4x16xf8E4M3FN>, %b: tensor<16x8xbf16>) -> tensor<4x8xf16> {
  %c = aikernel.matmul %a, %b : (tensor<4x16xf8E4M3FN>, tensor<16x8xbf16>) -> tensor<4x8xf16>
  return %c : tensor<4x8xf16>
}

// -----

// CHECK-LABEL: func @f64(
// CHECK: linalg.fill ins(%{{.*}} : f64)
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.mulf %{{.*}} : f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @f64(%a: tensor<4x16xf64>, %b: tensor<16x8xf32>) -> tensor<4x8xf32> {
  %c = aikernel.matmul %a, %b : (tensor<4x16xf64>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// What a product may lose bits for goes with the sum.
// CHECK-LABEL: func.func @fast
// CHECK: linalg.generic {{.*}} attrs = {aikernel.fast}
// CHECK: linalg.generic {{.*}} attrs = {aikernel.fast}
func.func @fast(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %c = aikernel.matmul %a, %b {fast} : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %d = aikernel.linear %a, %b {fast} : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %c, %d : tensor<4x8xf32>, tensor<4x8xf32>
}
