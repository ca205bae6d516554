// A check returns at once with what aik_env's fail says, also from inside a
// loop, which becomes branches. Equal texts are one constant.
// RUN: aik-opt %s --aik-lower-entries --split-input-file | FileCheck %s

module attributes {aikernel.functions = [{args = [{}], name = "top", type = (i1) -> ()}]} {
  // CHECK: llvm.mlir.global internal constant @[[TEXT:.*]]("too short\00")
  // CHECK-NOT: llvm.mlir.global
  // CHECK-LABEL: func.func private @top$run$body(
  // CHECK-SAME: %[[ENV:[^:]*]]: !llvm.ptr, %[[OK:[^:]*]]: i1
  // CHECK: cf.cond_br %[[OK]], ^[[NEXT:.*]], ^[[FAIL:.*]]
  // CHECK: ^[[FAIL]]:
  // CHECK: llvm.mlir.addressof @[[TEXT]]
  // CHECK: %[[CODE:.*]] = llvm.mlir.constant(22 : i32)
  // fail is field 4 of aik_env.
  // CHECK: llvm.getelementptr %[[ENV]][0, 4]
  // CHECK: %[[STATUS:.*]] = llvm.call %{{.*}}(%[[ENV]], %[[CODE]], %{{.*}})
  // CHECK: return %[[STATUS]]
  // CHECK: ^[[NEXT]]:
  // CHECK: cf.cond_br
  func.func @top(%ok: i1) attributes {aikernel.entry = "run"} {
    aikernel.check %ok, 22, "too short"
    aikernel.check %ok, 22, "too short"
    return
  }
}

// -----

module attributes {aikernel.functions = [{args = [{}], name = "nested", type = (tensor<?xi1>) -> ()}]} {
  // CHECK-LABEL: func.func private @nested$run$body(
  // CHECK-SAME: %[[ENV:[^:]*]]: !llvm.ptr
  // CHECK-NOT: scf
  // CHECK: %[[OK:.*]] = memref.load
  // CHECK-NEXT: cf.cond_br %[[OK]], ^[[NEXT:.*]], ^[[FAIL:.*]]
  // CHECK: ^[[FAIL]]:
  // CHECK: %[[CODE:.*]] = llvm.mlir.constant(33 : i32)
  // CHECK: %[[STATUS:.*]] = llvm.call %{{.*}}(%[[ENV]], %[[CODE]], %{{.*}})
  // CHECK: return %[[STATUS]]
  // CHECK: ^[[NEXT]]:
  // CHECK: cf.br
  // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: return %[[ZERO]]
  func.func @nested(%flags: memref<?xi1>) attributes {aikernel.entry = "run"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %flags, %c0 : memref<?xi1>
    scf.for %i = %c0 to %n step %c1 {
      %ok = memref.load %flags[%i] : memref<?xi1>
      aikernel.check %ok, 33, "out of range"
    }
    return
  }
}
