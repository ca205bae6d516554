// No buffers: the workspace argument is there all the same, and its size is 0.
// Entries other than run have no workspace.
// RUN: aik-opt %s --aik-plan-memory --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: memref<?xi8> {aikernel.workspace}
// CHECK-LABEL: func.func @f$workspace(
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: memref.store %[[ZERO]]
// CHECK-LABEL: func.func @f$shape(
// CHECK-NOT: aikernel.workspace
func.func @f(%x: memref<4xf32>) attributes {aikernel.entry = "run"} {
  return
}
func.func @f$shape(%x: memref<4xf32>, %n: memref<i64> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "shape"} {
  return
}
