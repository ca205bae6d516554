// Rows are tiled, columns are not: the reduction of a tile's rows is computed
// in the same loop as the op that reads it.
// RUN: aik-opt %s --aik-tile-and-fuse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func private @norm(
// CHECK-NOT: linalg
// CHECK: scf.forall (%[[I:.*]]) = (0) to (32) step (4)
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-SAME: "reduction"
// CHECK-SAME: ins(%{{.*}} : tensor<4x64xf32>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %[[SUM]] : tensor<4x64xf32>, tensor<4xf32>)
// CHECK: scf.forall.in_parallel
// CHECK-NOT: linalg.generic
func.func private @norm(%x: tensor<32x64xf32>, %sums: tensor<32xf32>, %out: tensor<32x64xf32>) -> tensor<32x64xf32> attributes {aikernel.kernel} {
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<32x64xf32>) outs(%sums : tensor<32xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<32x64xf32>, tensor<32xf32>) outs(%out : tensor<32x64xf32>) attrs = {aikernel.root = array<i64: 0>, aikernel.schedule = #aikernel.schedule<tiles = [4, 0]>} {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %m = arith.divf %v, %s : f32
    linalg.yield %m : f32
  } -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}
