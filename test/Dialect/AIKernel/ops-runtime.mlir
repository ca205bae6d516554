// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @check
func.func @check(%ok: i1) {
  // CHECK: aikernel.check %{{.*}}, 22, "operand 'b' of 'aikernel.matmul' has the wrong size"
  aikernel.check %ok, 22, "operand 'b' of 'aikernel.matmul' has the wrong size"
  return
}
