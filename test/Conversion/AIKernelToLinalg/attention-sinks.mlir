// RUN: aik-opt %s -aik-aikernel-to-linalg -split-input-file | FileCheck %s

// A sink is a key without a value: it is the first maximum, with a sum of
// exp(0) = 1, or 0 if it is -inf.

// CHECK-DAG: #[[HEAD:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func @sinks(
// CHECK-SAME: %[[SINKS:[^:]*]]: tensor<4xf32>
// CHECK: %[[MAX:.*]] = linalg.generic {indexing_maps = [#[[HEAD]], #{{.*}}]{{.*}} ins(%[[SINKS]]
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[HEAD]], #{{.*}}]{{.*}} ins(%[[SINKS]]
// CHECK: arith.cmpf oeq
// CHECK: arith.select
// CHECK: aikernel.online_attention {{.*}} outs %{{.*}}, %[[MAX]], %[[SUM]]
func.func @sinks(%q: tensor<2x4x?x8xf32>, %k: tensor<2x4x?x8xf32>, %v: tensor<2x4x?x8xf32>, %s: tensor<4xf32>) -> tensor<2x4x?x8xf32> {
  %o = aikernel.attention %q, %k, %v sinks %s : (tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>, tensor<4xf32>) -> tensor<2x4x?x8xf32>
  return %o : tensor<2x4x?x8xf32>
}

// -----

// CHECK-LABEL: func @lse(
// CHECK: %[[R:.*]]:3 = aikernel.online_attention
// CHECK: linalg.generic {{.*}} ins(%[[R]]#1, %[[R]]#2 : {{.*}} outs(%{{.*}} : tensor<1x4x16xf32>)
// CHECK: %[[LOG:.*]] = math.log %{{.*}} : f64
// CHECK: %[[LSE:.*]] = arith.addf %{{.*}}, %[[LOG]] : f64
// CHECK: arith.truncf %[[LSE]] : f64 to f32
func.func @lse(%q: tensor<1x4x16x8xf64>, %k: tensor<1x4x16x8xf64>, %v: tensor<1x4x16x8xf64>) -> (tensor<1x4x16x8xf64>, tensor<1x4x16xf32>) {
  %o, %l = aikernel.attention %q, %k, %v : (tensor<1x4x16x8xf64>, tensor<1x4x16x8xf64>, tensor<1x4x16x8xf64>) -> (tensor<1x4x16x8xf64>, tensor<1x4x16xf32>)
  return %o, %l : tensor<1x4x16x8xf64>, tensor<1x4x16xf32>
}
