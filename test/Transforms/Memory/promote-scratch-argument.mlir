// A size that comes from outside the loop has no constant bound: the buffer
// moves out of the loop, and iterations are counted from where the loop starts.
// RUN: aik-opt %s --aik-promote-scratch | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[N:[^:]*]]: index
// CHECK: %[[ALL:.*]] = memref.alloc(%{{.*}}) : memref<?xi8>
// CHECK: scf.forall (%[[I:.*]]) = (4) to (%{{.*}}) step (2)
// CHECK-NOT: memref.alloc
// CHECK: %[[FROM:.*]] = arith.subi %[[I]], %{{.*}}
// CHECK: arith.divui %[[FROM]], %{{.*}}
// CHECK: memref.view %[[ALL]][%{{.*}}][%[[N]]] : memref<?xi8> to memref<?xf32>
func.func @f(%n: index, %trips: index, %v: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) = (4) to (%trips) step (2) {
    %tile = memref.alloc(%n) : memref<?xf32>
    memref.store %v, %tile[%c0] : memref<?xf32>
  }
  return
}
