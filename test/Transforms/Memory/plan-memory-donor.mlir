// The sizes of a result that took over an argument's memory are asked of the
// argument: f$workspace has no results.
// RUN: aik-opt %s --aik-plan-memory | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf32>
// CHECK: memref.dim %[[X]]
// CHECK: memref.view
// CHECK-LABEL: func.func @f$workspace(
// CHECK-SAME: %[[Y:[^:]*]]: memref<?xf32>
// CHECK: memref.dim %[[Y]]
func.func @f(%x: memref<?xf32>, %out: memref<?xf32> {aikernel.donor = 0 : i64, aikernel.result = 0 : i64}) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %out, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  memref.copy %out, %t : memref<?xf32> to memref<?xf32>
  memref.copy %t, %out : memref<?xf32> to memref<?xf32>
  return
}
