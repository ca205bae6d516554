// The environment that outlined loops ask for is the body's first argument.
// RUN: aik-opt %s --aik-lower-entries | FileCheck %s

module attributes {aikernel.functions = [{args = [], name = "f", type = () -> ()}]} {
  // CHECK-LABEL: func.func private @f$run$body(
  // CHECK-SAME: %[[ENV:[^:]*]]: !llvm.ptr
  // CHECK-NOT: aikernel.env
  // CHECK: llvm.load %[[ENV]]
  func.func @f() attributes {aikernel.entry = "run"} {
    %env = aikernel.env : !llvm.ptr
    %0 = llvm.load %env : !llvm.ptr -> i32
    return
  }
}
