// Copies to places of their own become a grid.
// RUN: aik-opt %s --pass-pipeline='builtin.module(func.func(aik-parallelize-copies))' | FileCheck %s

// A block copies up to 2048 elements: here two heads of eight rows of 128.
// CHECK-LABEL: func.func @append
// CHECK-NOT: scf.for
// CHECK: scf.forall (%[[B:.*]], %[[ONE:.*]], %[[H:.*]], %[[R:.*]], %[[D:.*]]) = (0, 0, 0, 0, 0) to (4, 1, 8, 8, 128) step (1, 1, 2, 8, 128) {
// CHECK:   memref.load %{{.*}}[%[[B]]]
// CHECK:   memref.copy %{{.*}} : memref<1x2x8x128xbf16, {{.*}}> to memref<1x2x8x128xbf16
func.func @append(%new: memref<4x8x8x128xbf16>, %pos: memref<4xi32>, %cache: memref<4x8x512x128xbf16> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %p = memref.load %pos[%b] : memref<4xi32>
    %i = arith.index_cast %p : i32 to index
    %from = memref.subview %new[%b, 0, 0, 0] [1, 8, 8, 128] [1, 1, 1, 1] : memref<4x8x8x128xbf16> to memref<1x8x8x128xbf16, strided<[8192, 1024, 128, 1], offset: ?>>
    %to = memref.subview %cache[%b, 0, %i, 0] [1, 8, 8, 128] [1, 1, 1, 1] : memref<4x8x512x128xbf16> to memref<1x8x8x128xbf16, strided<[524288, 65536, 128, 1], offset: ?>>
    memref.copy %from, %to : memref<1x8x8x128xbf16, strided<[8192, 1024, 128, 1], offset: ?>> to memref<1x8x8x128xbf16, strided<[524288, 65536, 128, 1], offset: ?>>
  }
  return
}

// Iterations that may write the same place stay in order.
// CHECK-LABEL: func.func @overlap
// CHECK: scf.for
func.func @overlap(%new: memref<4x8xf32>, %pos: memref<4xi32>, %cache: memref<16x8xf32> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %c4 step %c1 {
    %p = memref.load %pos[%b] : memref<4xi32>
    %i = arith.index_cast %p : i32 to index
    %from = memref.subview %new[%b, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %cache[%i, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

// What was donated may be the memory that is written.
// CHECK-LABEL: func.func @donated
// CHECK: scf.for
func.func @donated(%old: memref<4x8xf32>, %new: memref<4x8xf32> {aikernel.result = 0 : i64, aikernel.donor = 0 : i64}) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %j = arith.addi %i, %c1 : index
    %from = memref.subview %old[%j, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %new[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}
