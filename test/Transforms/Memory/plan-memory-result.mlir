// A buffer as large as a result: f$shape says how large that is, in f and in
// f$workspace, which has no results to ask.
// RUN: aik-opt %s --aik-plan-memory --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf32>
// CHECK: %[[N:.*]] = memref.dim %[[X]]
// CHECK: %[[SIZE:.*]] = arith.muli %[[N]], %c3
// CHECK: memref.view %{{.*}}[%{{.*}}][%[[SIZE]]]
// CHECK-LABEL: func.func @f$workspace(
// CHECK-SAME: %[[Y:[^:]*]]: memref<?xf32>, %{{[^:]*}}: memref<i64>
// CHECK: %[[M:.*]] = memref.dim %[[Y]]
// CHECK: arith.muli %[[M]], %c3
func.func @f(%x: memref<?xf32>, %first: memref<2x2xf32> {aikernel.result = 0 : i64}, %out: memref<8x?xf32> {aikernel.result = 1 : i64}) attributes {aikernel.entry = "run"} {
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c1 : memref<8x?xf32>
  %t = memref.alloc(%n) : memref<8x?xf32>
  memref.copy %out, %t : memref<8x?xf32> to memref<8x?xf32>
  memref.copy %t, %out : memref<8x?xf32> to memref<8x?xf32>
  return
}
func.func @f$shape(%x: memref<?xf32>, %a: memref<i64> {aikernel.result = 0 : i64}, %b: memref<i64> {aikernel.result = 1 : i64}, %c: memref<i64> {aikernel.result = 2 : i64}, %d: memref<i64> {aikernel.result = 3 : i64}) attributes {aikernel.entry = "shape"} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %two = arith.constant 2 : i64
  %eight = arith.constant 8 : i64
  %n = memref.dim %x, %c0 : memref<?xf32>
  %size = arith.muli %n, %c3 : index
  %wide = arith.index_cast %size : index to i64
  memref.store %two, %a[] : memref<i64>
  memref.store %two, %b[] : memref<i64>
  memref.store %eight, %c[] : memref<i64>
  memref.store %wide, %d[] : memref<i64>
  return
}
