// A buffer that is used inside a loop lives for the whole loop, also when it
// is allocated there.
// RUN: aik-opt %s --aik-plan-memory --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-COUNT-2: memref.view %{{.*}} : memref<?xi8> to memref<16xf32>
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK-LABEL: func.func @f$workspace(
// CHECK: arith.constant 128 : i64
func.func @f(%x: memref<f32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = memref.load %x[] : memref<f32>
  scf.for %i = %c0 to %c4 step %c1 {
    %first = memref.alloc() : memref<16xf32>
    memref.store %v, %first[%i] : memref<16xf32>
    %a = memref.load %first[%i] : memref<16xf32>
    %second = memref.alloc() : memref<16xf32>
    memref.store %a, %second[%i] : memref<16xf32>
    %b = memref.load %second[%i] : memref<16xf32>
    memref.store %b, %x[] : memref<f32>
  }
  return
}
