// RUN: aik-opt %s -aik-aikernel-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[ONE:.*]] = affine_map<(d0, d1, d2) -> (0)>
// CHECK-LABEL: func @affine(
// CHECK-SAME: %[[L:.*]]: tensor<3x64xi8>, %[[R:.*]]: tensor<16x64xi8>, %[[SA:.*]]: tensor<?xf32>, %[[SB:.*]]: tensor<16xf32>, %[[ZA:.*]]: tensor<1xi8>
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[ONE]], #[[Y]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[L]], %[[R]], %[[ZA]]
// CHECK: arith.subi %{{.*}} : i32
// CHECK: arith.muli %{{.*}} : i32
// CHECK: arith.addi %{{.*}} : i32
// Whether scale_a is one number only shows at run time.
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[SB]]
// CHECK: arith.minsi
// CHECK: tensor.extract %[[SA]]
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @affine(%a: tensor<3x64xi8>, %b: tensor<16x64xi8>, %sa: tensor<?xf32>, %sb: tensor<16xf32>, %za: tensor<1xi8>) -> tensor<3x16xbf16> {
  %y = aikernel.int8_matmul %a, %b, %sa, %sb zero_a %za {transpose_b} : (tensor<3x64xi8>, tensor<16x64xi8>, tensor<?xf32>, tensor<16xf32>, tensor<1xi8>) -> tensor<3x16xbf16>
  return %y : tensor<3x16xbf16>
}
