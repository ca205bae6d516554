// Two buffers whose lives do not meet share a slot as large as the larger of
// them; the one that is alive with both has its own.
// RUN: aik-opt %s --aik-plan-memory --canonicalize | FileCheck %s
// Unless the first is so small that it is to have its own.
// RUN: aik-opt %s --aik-plan-memory=apart-bytes=256 --canonicalize | FileCheck %s --check-prefix=APART

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[WS:[^:]*]]: memref<?xi8> {aikernel.workspace}
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C512:.*]] = arith.constant 512 : index
// CHECK: memref.view %[[WS]][%[[C0]]][] : memref<?xi8> to memref<64xf32>
// CHECK: memref.view %[[WS]][%[[C512]]][] : memref<?xi8> to memref<16xf32>
// CHECK: memref.view %[[WS]][%[[C0]]][] : memref<?xi8> to memref<128xf32>
// CHECK-LABEL: func.func @f$workspace(
// CHECK: arith.constant 576 : i64
// APART-LABEL: func.func @f(
// APART-DAG: %[[C0:.*]] = arith.constant 0 : index
// APART-DAG: %[[C256:.*]] = arith.constant 256 : index
// APART-DAG: %[[C320:.*]] = arith.constant 320 : index
// APART: memref.view %{{.*}}[%[[C0]]][] : memref<?xi8> to memref<64xf32>
// APART: memref.view %{{.*}}[%[[C256]]][] : memref<?xi8> to memref<16xf32>
// APART: memref.view %{{.*}}[%[[C320]]][] : memref<?xi8> to memref<128xf32>
// APART-LABEL: func.func @f$workspace(
// APART: arith.constant 832 : i64
func.func @f(%x: memref<f32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[] : memref<f32>
  %first = memref.alloc() : memref<64xf32>
  %always = memref.alloc() : memref<16xf32>
  %second = memref.alloc() : memref<128xf32>
  memref.store %v, %first[%c0] : memref<64xf32>
  memref.store %v, %always[%c0] : memref<16xf32>
  %a = memref.load %first[%c0] : memref<64xf32>
  memref.store %a, %second[%c0] : memref<128xf32>
  %b = memref.load %second[%c0] : memref<128xf32>
  memref.store %b, %always[%c0] : memref<16xf32>
  return
}
