// A stack buffer of the loop belongs to the function: one for all iterations of
// a worker, made before its loop. Constants are made again, how often the loop
// runs among them; only the number is captured.
// RUN: aik-opt %s --aik-outline-parallel | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: llvm.alloca %{{.*}} x !llvm.struct<(f32)>
// CHECK-LABEL: func.func private @f$parallel0(
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK: %[[STACK:.*]] = memref.alloca() : memref<16xf32>
// CHECK: scf.for
// CHECK-NOT: memref.alloca
// CHECK: memref.store %{{.*}}, %[[STACK]][%[[SEVEN]]]
func.func @f(%v: f32) attributes {aikernel.entry = "run"} {
  %c7 = arith.constant 7 : index
  scf.forall (%i) in (4) {
    %stack = memref.alloca() : memref<16xf32>
    memref.store %v, %stack[%c7] : memref<16xf32>
  }
  return
}
