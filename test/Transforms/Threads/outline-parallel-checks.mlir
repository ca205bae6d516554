// What fails in the body of a parallel loop is reported with the environment
// that the loop captured, and what the loop returns is returned.
// RUN: aik-opt %s --aik-outline-parallel | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: %[[ENV:.*]] = aikernel.env
// CHECK: llvm.store %[[ENV]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK: %[[STATUS:.*]] = llvm.call
// CHECK: aikernel.propagate %[[STATUS]]

// CHECK-LABEL: func.func private @f$parallel0(
// CHECK: %[[INSIDE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: scf.for
// CHECK: aikernel.check %{{.*}}, 34, "no" env %[[INSIDE]] : !llvm.ptr
func.func @f(%n: index, %m: index, %x: memref<?xf32>, %v: f32) attributes {aikernel.entry = "run"} {
  scf.forall (%i) in (%n) {
    %ok = arith.cmpi ult, %i, %m : index
    aikernel.check %ok, 34, "no"
    memref.store %v, %x[%i] : memref<?xf32>
  }
  return
}
