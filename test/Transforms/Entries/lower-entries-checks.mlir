// Checks learn where to report; the branches come later (aik-lower-checks).
// RUN: aik-opt %s --aik-lower-entries | FileCheck %s

module attributes {aikernel.functions = [{args = [{}], name = "nested", type = (tensor<?xi1>) -> ()}]} {
  // CHECK-LABEL: func.func private @nested$run$body(
  // CHECK-SAME: %[[ENV:[^:]*]]: !llvm.ptr, %{{.*}}: memref<?xi1>) -> i32
  // CHECK: scf.for
  // CHECK: aikernel.check %{{.*}}, 33, "out of range" env %[[ENV]] : !llvm.ptr
  // CHECK: %[[OK:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: return %[[OK]]
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
