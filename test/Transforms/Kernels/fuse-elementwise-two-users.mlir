// What two ops need is computed once: it is merged into neither.
// RUN: aik-opt %s --aik-fuse-elementwise | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @shared(
// CHECK: %[[EXP:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[EXP]]
// CHECK: math.sqrt
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[EXP]]
// CHECK: arith.negf
func.func @shared(%a: tensor<8xf32>, %out: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %e = math.exp %x : f32
    linalg.yield %e : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<8xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %e = math.sqrt %x : f32
    linalg.yield %e : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<8xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %e = arith.negf %x : f32
    linalg.yield %e : f32
  } -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
