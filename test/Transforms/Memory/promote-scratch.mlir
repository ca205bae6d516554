// A small buffer of a tile goes to the worker's stack, once per function and not
// once per iteration: the alloca stands at the start of the loop's body.
// RUN: aik-opt %s --aik-promote-scratch | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-NOT: memref.alloc(
// CHECK: scf.forall
// CHECK-NEXT: %[[STACK:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32xi8>
// CHECK: scf.if
// CHECK: %[[TILE:.*]] = memref.view %[[STACK]][%{{.*}}][] : memref<32xi8> to memref<8xf32>
// CHECK: memref.store %{{.*}}, %[[TILE]]
// CHECK-NOT: memref.alloc(
func.func @f(%flag: i1, %v: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (4) {
    scf.if %flag {
      %tile = memref.alloc() : memref<8xf32>
      memref.store %v, %tile[%c0] : memref<8xf32>
    }
  }
  return
}
