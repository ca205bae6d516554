// RUN: aik-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s

// CHECK-LABEL: @attention
// CHECK-SAME: %[[Q:[^:]*]]: tensor<?x?x?x64xf32>, %[[K:[^:]*]]: tensor<?x?x?x64xf32>, %[[V:[^:]*]]: tensor<?x?x?x?xf32>
func.func @attention(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x?xf32>) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %o, %lse = aikernel.attention %q, %k, %v {layout = #aikernel.layout_kind<bshd>} : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x?xf32>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?xf32>)
  // Sequence and head of the result, head and sequence of lse.
  // CHECK-DAG: %[[S:.*]] = tensor.dim %[[Q]], %c1
  // CHECK-DAG: %[[DV:.*]] = tensor.dim %[[V]], %c3
  // CHECK: return %[[S]], %[[DV]], %[[S]]
  %0 = tensor.dim %o, %c1 : tensor<?x?x?x?xf32>
  %1 = tensor.dim %o, %c3 : tensor<?x?x?x?xf32>
  %2 = tensor.dim %lse, %c2 : tensor<?x?x?xf32>
  return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: @cache
// CHECK-SAME: %[[C:[^:]*]]: tensor<?x8x?x64xf32>
func.func @cache(%c: tensor<?x8x?x64xf32>, %n: tensor<?x8x?x64xf32>, %p: tensor<?xi32>, %pos: tensor<?x?xi32>) -> index {
  %c2 = arith.constant 2 : index
  %0 = aikernel.kv_append %c, %n, %p : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?xi32>) -> tensor<?x8x?x64xf32>
  %1 = aikernel.rope %0, %pos {base = 1.0e4 : f32} : (tensor<?x8x?x64xf32>, tensor<?x?xi32>) -> tensor<?x8x?x64xf32>
  // CHECK: %[[S:.*]] = tensor.dim %[[C]], %c2
  // CHECK: return %[[S]]
  %d = tensor.dim %1, %c2 : tensor<?x8x?x64xf32>
  return %d : index
}
