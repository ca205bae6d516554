// The size of the last tile is not known, but it is at most 64 elements: that
// much goes to the stack, and the view has the size that was asked for.
// RUN: aik-opt %s --aik-promote-scratch | FileCheck %s

#rest = affine_map<(d0)[s0] -> (-d0 + s0, 64)>

// CHECK-LABEL: func.func @f(
// CHECK: scf.forall
// CHECK: %[[STACK:.*]] = memref.alloca() {alignment = 64 : i64} : memref<512xi8>
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: memref.view %[[STACK]][%{{.*}}][%[[SIZE]]] : memref<512xi8> to memref<2x?xf32>
func.func @f(%n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) = (0) to (%n) step (64) {
    %size = affine.min #rest(%i)[%n]
    %tile = memref.alloc(%size) : memref<2x?xf32>
    memref.store %v, %tile[%c0, %c0] : memref<2x?xf32>
  }
  return
}
