// RUN: aik-opt %s -aik-aikernel-to-linalg | FileCheck %s

// The square root of the sum, kept from falling below eps, divides each element.

// CHECK-DAG: #[[FULL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @l2_norm(
// CHECK-SAME: %[[X:.*]]: tensor<?x128xbf16>
// CHECK: %[[SQUARES:.*]] = linalg.generic {indexing_maps = [#[[FULL]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[X]]
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[WIDE]], %[[WIDE]] fastmath<contract> : f32
// CHECK: arith.addf %{{.*}}, %[[SQUARE]] fastmath<contract> : f32
// CHECK: %[[LENGTH:.*]] = linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[SQUARES]]
// CHECK: %[[ROOT:.*]] = math.sqrt %{{.*}} : f32
// CHECK: arith.maximumf %[[ROOT]], %{{.*}} : f32
// CHECK: linalg.generic {indexing_maps = [#[[FULL]], #[[ROW]], #[[FULL]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[LENGTH]]
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @l2_norm(%x: tensor<?x128xbf16>) -> tensor<?x128xbf16> {
  %y = aikernel.l2_norm %x {eps = 1.0e-12 : f32} : (tensor<?x128xbf16>) -> tensor<?x128xbf16>
  return %y : tensor<?x128xbf16>
}

// f64 stays f64, with the f32 eps as it is.
// CHECK-LABEL: func @wide(
// CHECK: %[[EPS:.*]] = arith.constant 5.000000e-01 : f64
// CHECK: arith.maximumf %{{.*}}, %[[EPS]] : f64
func.func @wide(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = aikernel.l2_norm %x {eps = 0.5 : f32} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}
