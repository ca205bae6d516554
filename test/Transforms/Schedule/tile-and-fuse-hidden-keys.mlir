// Key tiles that no query of a tile sees are left out: the loop begins with the
// tile of the first visible key and ends at the last.
// RUN: aik-opt %s --aik-tile-and-fuse | FileCheck %s

// CHECK-LABEL: func.func private @masked(
// CHECK-SAME: %[[BEGINS:[^:]*]]: tensor<1x100xi32>, %[[ENDS:[^:]*]]: tensor<1x100xi32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[STEP:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[KEYS:.*]] = arith.constant 200 : index
// CHECK: scf.forall (%[[H:.*]], %[[Q:.*]]) = (0, 0) to (2, 100) step (1, 32)
// CHECK-DAG: %[[BEGIN:.*]] = tensor.extract_slice %[[BEGINS]][0, %[[Q]]]
// CHECK-DAG: %[[END:.*]] = tensor.extract_slice %[[ENDS]][0, %[[Q]]]
// CHECK: iter_args(%{{.*}} = %[[KEYS]])
// CHECK: tensor.extract %[[BEGIN]]
// CHECK: arith.minsi
// CHECK: %[[LOW:.*]] = arith.maxsi %{{.*}}, %[[ZERO]]
// CHECK: %[[FIRST:.*]] = arith.minsi %[[LOW]], %[[KEYS]]
// CHECK: iter_args(%{{.*}} = %[[ZERO]])
// CHECK: tensor.extract %[[END]]
// CHECK: arith.maxsi
// CHECK: %[[HIGH:.*]] = arith.maxsi %{{.*}}, %[[ZERO]]
// CHECK: %[[PAST:.*]] = arith.minsi %[[HIGH]], %[[KEYS]]
// CHECK: %[[TILES:.*]] = arith.divui %[[FIRST]], %[[STEP]]
// CHECK: %[[START:.*]] = arith.muli %[[TILES]], %[[STEP]]
// CHECK: scf.for %[[K:.*]] = %[[START]] to %[[PAST]] step %[[STEP]]
// CHECK: aikernel.online_attention
// CHECK-SAME: key_offset %[[K]]
func.func private @masked(%q: tensor<1x2x100x16xf32>, %k: tensor<1x2x200x16xf32>, %v: tensor<1x2x200x16xf32>, %scale: f32, %acc: tensor<1x2x100x16xf32>, %max: tensor<1x2x100xf32>, %sum: tensor<1x2x100xf32>, %begin: tensor<1x100xi32>, %end: tensor<1x100xi32>) -> tensor<1x2x100x16xf32> attributes {aikernel.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = aikernel.online_attention %q, %k, %v begin %begin end %end scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {aikernel.root = array<i64: 0, 1, 2>, aikernel.schedule = #aikernel.schedule<tiles = [1, 1, 32, 0], inner = 64>} : (tensor<1x2x100x16xf32>, tensor<1x2x200x16xf32>, tensor<1x2x200x16xf32>, tensor<1x100xi32>, tensor<1x100xi32>, f32, index, index, index, tensor<1x2x100x16xf32>, tensor<1x2x100xf32>, tensor<1x2x100xf32>) -> (tensor<1x2x100x16xf32>, tensor<1x2x100xf32>, tensor<1x2x100xf32>)
  return %r#0 : tensor<1x2x100x16xf32>
}
