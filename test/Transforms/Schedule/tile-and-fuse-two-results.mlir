// A producer that the kernel also returns is computed in the loop and comes out
// of it as a second result.
// RUN: aik-opt %s --aik-tile-and-fuse | FileCheck %s

// CHECK-LABEL: func.func private @both(
// CHECK-NOT: linalg
// CHECK: %[[R:.*]]:2 = scf.forall
// CHECK: linalg.add
// CHECK: linalg.exp
// CHECK: scf.forall.in_parallel
// CHECK-COUNT-2: tensor.parallel_insert_slice
// CHECK: return %[[R]]#1, %[[R]]#0
func.func private @both(%a: tensor<64xf32>, %b: tensor<64xf32>, %e0: tensor<64xf32>, %e1: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) attributes {aikernel.kernel} {
  %sum = linalg.add ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e0 : tensor<64xf32>) -> tensor<64xf32>
  %exp = linalg.exp {aikernel.root = array<i64: 0>, aikernel.schedule = #aikernel.schedule<tiles = [16]>} ins(%sum : tensor<64xf32>) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  return %sum, %exp : tensor<64xf32>, tensor<64xf32>
}
