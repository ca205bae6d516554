// A buffer that is too large for the stack becomes one allocation outside the
// loop, with a part of its own for every iteration.
// RUN: aik-opt %s --aik-promote-scratch --canonicalize | FileCheck %s

// 2 * 3 iterations of 320000 bytes, each rounded up to 64.
// CHECK-LABEL: func.func @f(
// CHECK-DAG: %[[PART:.*]] = arith.constant 320000 : index
// CHECK: %[[ALL:.*]] = memref.alloc() : memref<1920000xi8>
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) in (2, 3)
// CHECK-NOT: memref.alloc
// CHECK: %[[ROW:.*]] = arith.muli %[[I]],
// CHECK: %[[ITERATION:.*]] = arith.addi %[[ROW]], %[[J]]
// CHECK: %[[OFFSET:.*]] = arith.muli %[[ITERATION]], %[[PART]]
// CHECK: memref.view {{.*}}[%[[OFFSET]]][] : {{.*}} to memref<80000xf32>
func.func @f(%v: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i, %j) in (2, 3) {
    %tile = memref.alloc() : memref<80000xf32>
    memref.store %v, %tile[%c0] : memref<80000xf32>
  }
  return
}
