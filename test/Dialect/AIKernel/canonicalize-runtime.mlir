// RUN: aik-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @holds
func.func @holds() {
  // CHECK-NEXT: return
  %true = arith.constant true
  aikernel.check %true, 22, "never seen"
  return
}

// CHECK-LABEL: @may_fail
func.func @may_fail(%ok: i1) {
  // CHECK: aikernel.check %{{.*}}, 22, "seen"
  // CHECK: aikernel.check %{{.*}}, 34, "always seen"
  %false = arith.constant false
  aikernel.check %ok, 22, "seen"
  aikernel.check %false, 34, "always seen"
  return
}
