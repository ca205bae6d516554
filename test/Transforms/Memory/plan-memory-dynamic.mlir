// Sizes that are known at run time only: offsets are sums, and f$workspace
// repeats the computation of the sizes from the arguments' shapes.
// RUN: aik-opt %s --aik-plan-memory --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf32>, %[[WS:[^:]*]]: memref<?xi8> {aikernel.workspace}
// CHECK: %[[N:.*]] = memref.dim %[[X]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %c4
// CHECK: %[[UP:.*]] = arith.addi %[[BYTES]], %c63
// CHECK: %[[ROUNDED:.*]] = arith.andi %[[UP]], %c-64
// CHECK: memref.view %[[WS]][%c0][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK: memref.view %[[WS]][%[[ROUNDED]]][%{{.*}}] : memref<?xi8> to memref<?xf64>

// CHECK-LABEL: func.func @f$workspace(
// CHECK-SAME: %[[Y:[^:]*]]: memref<?xf32>
// CHECK: %[[M:.*]] = memref.dim %[[Y]]
// CHECK: arith.muli %[[M]], %{{.*}}
// Sizes that wrap are refused here, before f runs.
// CHECK: %[[LOW:.*]], %[[HIGH:.*]] = arith.mului_extended %[[M]], %c4
// CHECK: arith.cmpi eq, %[[HIGH]], %c0
// CHECK: arith.cmpi ule, %[[LOW]], %c281474976710656
// CHECK: arith.addi
// CHECK: aikernel.check %{{.*}}, 12, "the intermediate results of these sizes take more than 2^48 bytes"
// CHECK: memref.store
func.func @f(%x: memref<?xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %x, %c0 : memref<?xf32>
  %twice = arith.muli %n, %c2 : index
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%twice) : memref<?xf64>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  memref.store %zero, %b[%c0] : memref<?xf64>
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  %w = memref.load %b[%c0] : memref<?xf64>
  memref.store %w, %b[%c0] : memref<?xf64>
  return
}
