// Buffers become views of one workspace argument, each at a multiple of 64
// bytes, and f$workspace stores the size of it all.
// RUN: aik-opt %s --aik-plan-memory --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:[^:]*]]: memref<10xf32>, %[[OUT:[^:]*]]: memref<10xf32> {aikernel.result = 0 : i64}, %[[WS:[^:]*]]: memref<?xi8> {aikernel.workspace}
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-NOT: memref.alloc
// CHECK-DAG: %[[A:.*]] = memref.view %[[WS]][%[[C0]]][] : memref<?xi8> to memref<10xf32>
// CHECK-DAG: %[[B:.*]] = memref.view %[[WS]][%[[C64]]][] : memref<?xi8> to memref<100xi8>
// CHECK: memref.copy %[[X]], %[[A]]

// 64 for ten floats and 128 for a hundred bytes.
// CHECK-LABEL: func.func @f$workspace(
// CHECK-SAME: memref<10xf32>, %[[SIZE:[^:]*]]: memref<i64> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "workspace"}
// CHECK: %[[TOTAL:.*]] = arith.constant 192 : i64
// CHECK: memref.store %[[TOTAL]], %[[SIZE]][]
func.func @f(%x: memref<10xf32>, %out: memref<10xf32> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1 : i8
  %a = memref.alloc() : memref<10xf32>
  %b = memref.alloc() : memref<100xi8>
  memref.copy %x, %a : memref<10xf32> to memref<10xf32>
  memref.store %v, %b[%c0] : memref<100xi8>
  memref.copy %a, %out : memref<10xf32> to memref<10xf32>
  %w = memref.load %b[%c0] : memref<100xi8>
  memref.store %w, %b[%c0] : memref<100xi8>
  return
}
