// Attention is tiled twice: queries in parallel, and inside such a tile the
// keys one block after another, with the state carried along. (The loop
// over the only batch is gone.)
// RUN: aik-opt %s --aik-tile-and-fuse | FileCheck %s

// CHECK-LABEL: func.func private @attention(
// CHECK-DAG: %[[STEP:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[KEYS:.*]] = arith.constant 200 : index
// CHECK: scf.forall (%[[H:.*]], %[[Q:.*]]) = (0, 0) to (2, 100) step (1, 32)
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[KEYS]] step %[[STEP]] iter_args(%[[ACC:.*]] = %{{.*}}, %[[MAX:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}})
// CHECK: aikernel.online_attention
// CHECK-SAME: key_offset %[[K]]
// CHECK-NOT: aikernel.online_attention
func.func private @attention(%q: tensor<1x2x100x16xf32>, %k: tensor<1x2x200x16xf32>, %v: tensor<1x2x200x16xf32>, %scale: f32, %acc: tensor<1x2x100x16xf32>, %max: tensor<1x2x100xf32>, %sum: tensor<1x2x100xf32>) -> tensor<1x2x100x16xf32> attributes {aikernel.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {aikernel.root = array<i64: 0, 1, 2>, aikernel.schedule = #aikernel.schedule<tiles = [1, 1, 32, 0], inner = 64>} : (tensor<1x2x100x16xf32>, tensor<1x2x200x16xf32>, tensor<1x2x200x16xf32>, f32, index, index, index, tensor<1x2x100x16xf32>, tensor<1x2x100xf32>, tensor<1x2x100xf32>) -> (tensor<1x2x100x16xf32>, tensor<1x2x100xf32>, tensor<1x2x100xf32>)
  return %r#0 : tensor<1x2x100x16xf32>
}
