// Only the outer loop goes to the workers: a parallel loop inside it becomes a
// sequential one. A second loop of the function is a second function.
// RUN: aik-opt %s --aik-outline-parallel | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: constant @f$parallel0
// CHECK: constant @f$parallel1
// CHECK-NOT: @f$parallel2
// CHECK-NOT: scf.forall
// CHECK-DAG: func.func private @f$parallel0(
// CHECK-DAG: func.func private @f$parallel1(
// CHECK-NOT: @f$parallel2
func.func @f(%v: f32, %m: memref<4x8xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (4) {
    scf.forall (%j) in (8) {
      memref.store %v, %m[%i, %j] : memref<4x8xf32>
    }
  }
  scf.forall (%i) in (4) {
    memref.store %v, %m[%i, %c0] : memref<4x8xf32>
  }
  return
}
