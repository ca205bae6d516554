// A size that the tile does not divide, known or not: the last tile is what is
// left.
// RUN: aik-opt %s --aik-tile-and-fuse | FileCheck %s

// CHECK-DAG: #[[STATIC:.*]] = affine_map<(d0) -> (-d0 + 100, 32)>
// CHECK-DAG: #[[DYNAMIC:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 32)>

// CHECK-LABEL: func.func private @static(
// CHECK: scf.forall (%[[I:.*]]) = (0) to (100) step (32)
// CHECK: affine.min #[[STATIC]](%[[I]])
func.func private @static(%x: tensor<100xf32>, %e: tensor<100xf32>) -> tensor<100xf32> attributes {aikernel.kernel} {
  %0 = linalg.exp {aikernel.root = array<i64: 0>, aikernel.schedule = #aikernel.schedule<tiles = [32]>} ins(%x : tensor<100xf32>) outs(%e : tensor<100xf32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// CHECK-LABEL: func.func private @dynamic(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: scf.forall (%[[I:.*]]) = (0) to (%[[N]]) step (32)
// CHECK: affine.min #[[DYNAMIC]](%[[I]])[%[[N]]]
func.func private @dynamic(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> attributes {aikernel.kernel} {
  %0 = linalg.exp {aikernel.root = array<i64: 0>, aikernel.schedule = #aikernel.schedule<tiles = [32]>} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
