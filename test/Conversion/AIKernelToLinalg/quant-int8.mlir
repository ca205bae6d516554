// A product of bytes; zeros take multiples of sums from it.
// RUN: aik-opt %s -aik-aikernel-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[ONE:.*]] = affine_map<(d0, d1) -> (0)>
// CHECK-LABEL: func @affine(
// CHECK-SAME: %[[L:.*]]: tensor<3x64xi8>, %[[R:.*]]: tensor<16x64xi8>, %[[SA:.*]]: tensor<?xf32>, %[[SB:.*]]: tensor<16xf32>, %[[ZA:.*]]: tensor<1xi8>
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[Y]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[L]], %[[R]]
// CHECK-NOT: arith.subi
// CHECK: arith.muli %{{.*}} : i32
// CHECK: arith.addi %{{.*}} : i32
// A zero of a takes the sums of b, and none of b takes those of a.
// CHECK: %[[OF_B:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[R]] : {{.*}}) outs({{.*}} : tensor<16xi32>)
// Whether scale_a is one number only shows at run time.
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[SB]], %[[ZA]], %[[OF_B]] :
// CHECK: %[[TAKEN:.*]] = arith.muli %{{.*}} : i32
// CHECK: arith.subi %{{.*}}, %[[TAKEN]] : i32
// CHECK: arith.minsi
// CHECK: tensor.extract %[[SA]]
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @affine(%a: tensor<3x64xi8>, %b: tensor<16x64xi8>, %sa: tensor<?xf32>, %sb: tensor<16xf32>, %za: tensor<1xi8>) -> tensor<3x16xbf16> {
  %y = aikernel.int8_matmul %a, %b, %sa, %sb zero_a %za {transpose_b} : (tensor<3x64xi8>, tensor<16x64xi8>, tensor<?xf32>, tensor<16xf32>, tensor<1xi8>) -> tensor<3x16xbf16>
  return %y : tensor<3x16xbf16>
}

// With both, the product of the zeros comes back as often as the sum is long.
// CHECK-LABEL: func @both(
// CHECK-SAME: %[[L:.*]]: tensor<?x?xi8>, %[[R:.*]]: tensor<?x16xi8>
// CHECK: linalg.generic {{.*}}"reduction"]} ins(%[[L]], %[[R]]
// CHECK: %[[OF_B:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[R]] :
// CHECK: %[[OF_A:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[L]] :
// CHECK: %[[LENGTH:.*]] = tensor.dim %[[L]], %c1
// CHECK: %[[K:.*]] = arith.index_cast %[[LENGTH]] : index to i32
// CHECK: linalg.generic {{.*}}, %[[OF_B]], %[[OF_A]] :
// CHECK-COUNT-2: arith.subi
// CHECK: %[[ZEROS:.*]] = arith.muli
// CHECK: %[[BACK:.*]] = arith.muli %[[K]], %[[ZEROS]]
// CHECK: arith.addi %{{.*}}, %[[BACK]]
func.func @both(%a: tensor<?x?xi8>, %b: tensor<?x16xi8>, %s: tensor<1xf32>, %za: tensor<1xi8>, %zb: tensor<16xi8>) -> tensor<?x16xf32> {
  %y = aikernel.int8_matmul %a, %b, %s, %s zero_a %za zero_b %zb : (tensor<?x?xi8>, tensor<?x16xi8>, tensor<1xf32>, tensor<1xf32>, tensor<1xi8>, tensor<16xi8>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
