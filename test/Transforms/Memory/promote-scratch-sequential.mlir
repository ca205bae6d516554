// A buffer whose size changes from one iteration of a sequential loop to the
// next becomes one of the largest size, before the loop. One of constant size
// is left for the memory plan.
// RUN: aik-opt %s --aik-promote-scratch | FileCheck %s

#rest = affine_map<(d0)[s0] -> (-d0 + s0, 16)>

// CHECK-LABEL: func.func @f(
// CHECK: %[[MEMORY:.*]] = memref.alloc() : memref<64xi8>
// CHECK: scf.for
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: memref.view %[[MEMORY]][%{{.*}}][%[[SIZE]]] : memref<64xi8> to memref<?xf32>
// CHECK: memref.alloc() : memref<4xf32>
func.func @f(%n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %n step %c16 {
    %size = affine.min #rest(%i)[%n]
    %tile = memref.alloc(%size) : memref<?xf32>
    memref.store %v, %tile[%c0] : memref<?xf32>
    %fixed = memref.alloc() : memref<4xf32>
    memref.store %v, %fixed[%c0] : memref<4xf32>
  }
  return
}
