// A check has to return from the function: its parallel loop runs in order, and
// the stack buffers of its body are made once.
// RUN: aik-opt %s --aik-outline-parallel | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: memref.alloca
// CHECK: scf.for
// CHECK-NOT: memref.alloca
// CHECK: aikernel.check
// CHECK-NOT: @f$parallel
func.func @f(%v: f32, %m: memref<?xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  scf.forall (%i) in (8) {
    %buffer = memref.alloca() : memref<4xi8>
    %ok = arith.cmpi ult, %i, %n : index
    aikernel.check %ok, 34, "too far"
    %view = memref.view %buffer[%c0][] : memref<4xi8> to memref<f32>
    memref.store %v, %view[] : memref<f32>
    %w = memref.load %view[] : memref<f32>
    memref.store %w, %m[%i] : memref<?xf32>
  }
  return
}
