// RUN: aik-opt %s -aik-aikernel-to-linalg | FileCheck %s

// CHECK-DAG: #[[FULL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[FEATURE:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @rms_norm(
// CHECK-SAME: %[[X:.*]]: tensor<?x4096xbf16>, %[[GAMMA:.*]]: tensor<4096xf32>
// CHECK: %[[N:.*]] = arith.constant 4.096000e+03 : f32
// CHECK: %[[SQUARES:.*]] = linalg.generic {indexing_maps = [#[[FULL]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[X]]
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.mulf %[[WIDE]], %[[WIDE]] fastmath<contract> : f32
// CHECK: %[[SCALE:.*]] = linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[SQUARES]]
// CHECK: %[[MEAN:.*]] = arith.divf %{{.*}}, %[[N]] : f32
// CHECK: %[[SHIFTED:.*]] = arith.addf %[[MEAN]], %{{.*}} : f32
// CHECK: math.rsqrt %[[SHIFTED]] : f32
// CHECK: linalg.generic {indexing_maps = [#[[FULL]], #[[ROW]], #[[FEATURE]], #[[FULL]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[SCALE]], %[[GAMMA]]
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @rms_norm(%x: tensor<?x4096xbf16>, %g: tensor<4096xf32>) -> tensor<?x4096xbf16> {
  %y = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x4096xbf16>, tensor<4096xf32>) -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// A length that is only known at run time is read once, outside the loops.
// CHECK-LABEL: func @dynamic(
// CHECK: %[[DIM:.*]] = tensor.dim
// CHECK: %[[INT:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[N:.*]] = arith.sitofp %[[INT]] : i64 to f64
// CHECK: arith.divf %{{.*}}, %[[N]] : f64
func.func @dynamic(%x: tensor<?x?xf64>, %g: tensor<?xf64>) -> tensor<?x?xf64> {
  %y = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}
