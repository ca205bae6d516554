// Threads share large copies outside of parallel loops.
// RUN: aik-opt %s --aik-share-copies | FileCheck %s

// CHECK-LABEL: func.func @known(
// CHECK-SAME: %[[X:[^:]*]]: memref<1024x3000xf32>, %[[Y:[^:]*]]: memref<1024x3000xf32>
// CHECK: scf.forall (%[[I:.*]]) = (0) to (1024) step (5) {
// CHECK: %[[ROWS:.*]] = affine.min #{{.*}}(%[[I]])
// CHECK: %[[FROM:.*]] = memref.subview %[[X]][%[[I]], 0] [%[[ROWS]], 3000] [1, 1]
// CHECK: %[[TO:.*]] = memref.subview %[[Y]][%[[I]], 0] [%[[ROWS]], 3000] [1, 1]
// CHECK: memref.copy %[[FROM]], %[[TO]]
// CHECK-NOT: memref.copy
func.func @known(%x: memref<1024x3000xf32>, %y: memref<1024x3000xf32>) {
  memref.copy %x, %y : memref<1024x3000xf32> to memref<1024x3000xf32>
  return
}

// CHECK-LABEL: func.func @unknown(
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: scf.forall (%{{.*}}) = (0) to (%[[ROWS]]) step (32)
func.func @unknown(%x: memref<?x512xf16>, %y: memref<?x512xf16>) {
  memref.copy %x, %y : memref<?x512xf16> to memref<?x512xf16>
  return
}

// Little, or what lies in one buffer or may, is copied as it was.
// CHECK-LABEL: func.func @little(
// CHECK-NOT: scf.forall
// CHECK: return
func.func @little(%x: memref<64x512xf32>, %y: memref<64x512xf32>) {
  memref.copy %x, %y : memref<64x512xf32> to memref<64x512xf32>
  return
}

// CHECK-LABEL: func.func @one_buffer(
// CHECK-NOT: scf.forall
// CHECK: return
func.func @one_buffer(%z: memref<1024x1024xf32>) {
  %a = memref.subview %z[0, 0] [1000, 1024] [1, 1] : memref<1024x1024xf32> to memref<1000x1024xf32, strided<[1024, 1]>>
  %b = memref.subview %z[24, 0] [1000, 1024] [1, 1] : memref<1024x1024xf32> to memref<1000x1024xf32, strided<[1024, 1], offset: 24576>>
  memref.copy %a, %b : memref<1000x1024xf32, strided<[1024, 1]>> to memref<1000x1024xf32, strided<[1024, 1], offset: 24576>>
  return
}

// CHECK-LABEL: func.func @chosen(
// CHECK-NOT: scf.forall
// CHECK: return
func.func @chosen(%z: memref<1024x1024xf32>, %u: memref<1024x1024xf32>, %which: i1) {
  %c = arith.select %which, %z, %u : memref<1024x1024xf32>
  memref.copy %c, %z : memref<1024x1024xf32> to memref<1024x1024xf32>
  return
}

// So is what a thread copies already.
// CHECK-LABEL: func.func @inside(
// CHECK: scf.forall
// CHECK-NOT: scf.forall
// CHECK: return
func.func @inside(%z: memref<1024x1024xf32>, %u: memref<1024x1024xf32>) {
  scf.forall (%i) in (2) {
    memref.copy %z, %u : memref<1024x1024xf32> to memref<1024x1024xf32>
  }
  return
}
