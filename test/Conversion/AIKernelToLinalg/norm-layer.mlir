// RUN: aik-opt %s -aik-aikernel-to-linalg | FileCheck %s

// Two passes: the variance is summed around the mean.

// CHECK-LABEL: func @layer_norm(
// CHECK-SAME: %[[X:.*]]: tensor<2x?x512xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[X]] :
// CHECK: %[[MEAN:.*]] = linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK: arith.divf
// CHECK: %[[SQUARES:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[X]], %[[MEAN]] :
// CHECK: %[[CENTRED:.*]] = arith.subf
// CHECK: arith.mulf %[[CENTRED]], %[[CENTRED]]
// CHECK: %[[SCALE:.*]] = linalg.generic {{.*}} ins(%[[SQUARES]] :
// CHECK: math.rsqrt
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[MEAN]], %[[SCALE]], %{{.*}}, %{{.*}} :
// CHECK: arith.subf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: linalg.yield
func.func @layer_norm(%x: tensor<2x?x512xf32>, %g: tensor<512xf32>, %b: tensor<512xf32>) -> tensor<2x?x512xf32> {
  %y = aikernel.layer_norm %x, %g, %b {eps = 1.0e-6 : f32} : (tensor<2x?x512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<2x?x512xf32>
  return %y : tensor<2x?x512xf32>
}
