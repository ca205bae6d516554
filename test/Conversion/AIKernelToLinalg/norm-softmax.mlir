// RUN: aik-opt %s -aik-aikernel-to-linalg -split-input-file | FileCheck %s

// CHECK-LABEL: func @last_axis(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xbf16>
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill ins(%[[LOWEST]]
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[X]]
// CHECK: arith.maximumf
// A row of -inf only is shifted by 0.
// CHECK: %[[SHIFT:.*]] = linalg.generic {{.*}} ins(%[[MAX]]
// CHECK: arith.cmpf oeq
// CHECK: arith.select
// CHECK: %[[POWERS:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[SHIFT]] : {{.*}} outs(%{{.*}} : tensor<?x64xf32>)
// CHECK: arith.subf
// CHECK: math.exp %{{.*}} {aikernel.at_most_zero{{(, aikernel.narrow)?}}} : f32
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[POWERS]]
// CHECK: arith.addf
// Its sum is 0, and 0 takes the place of 1 / 0.
// CHECK: %[[SCALE:.*]] = linalg.generic {{.*}} ins(%[[SUM]]
// CHECK: arith.divf
// CHECK: arith.select
// CHECK: linalg.generic {{.*}} ins(%[[POWERS]], %[[SCALE]] : {{.*}} outs(%{{.*}} : tensor<?x64xbf16>)
// CHECK: arith.mulf
// CHECK: arith.truncf
func.func @last_axis(%x: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %y = aikernel.softmax %x : (tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// Another axis: the loops keep the order of memory.
// CHECK-DAG: #[[FULL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[REST:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func @middle_axis(
// CHECK: linalg.generic {indexing_maps = [#[[FULL]], #[[REST]]], iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK-SAME: outs(%{{.*}} : tensor<4x8xf32>)
func.func @middle_axis(%x: tensor<4x?x8xf32>) -> tensor<4x?x8xf32> {
  %y = aikernel.softmax %x {axis = -2 : i64} : (tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
  return %y : tensor<4x?x8xf32>
}
