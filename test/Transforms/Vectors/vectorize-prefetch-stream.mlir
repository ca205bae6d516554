// A loop with a long body asks for what it reads 2 KiB later, in the next row
// where this one ends, and never behind the last row. Short bodies, and machines
// with narrow vectors, do not.
// RUN: aik-opt %s --aik-vectorize -canonicalize -split-input-file | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx2,+fma,+avx512f,+avx512bw", vector_bits = 512>} {
  // CHECK-LABEL: func.func @f(
  // CHECK-SAME: %[[X:[^:]*]]: memref<?x1024xf32>
  // CHECK: scf.forall (%[[I:.*]]) = (0)
  // CHECK: scf.for %[[R:.*]] = %c0 to %c4
  // CHECK: scf.for %[[J:.*]] = %c0 to %c1024
  // CHECK: %[[AHEAD:.*]] = arith.addi %[[J]], %c512
  // CHECK: %[[BEHIND:.*]] = arith.cmpi uge, %[[AHEAD]], %c1024
  // CHECK: %[[REST:.*]] = arith.addi %[[J]], %c-512
  // CHECK: %[[COLUMN:.*]] = arith.select %[[BEHIND]], %[[REST]], %[[AHEAD]]
  // CHECK: %[[BOUNDED:.*]] = arith.minui %[[COLUMN]], %c960
  // CHECK: %[[ROW:.*]] = arith.addi %[[R]], %[[I]]
  // CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]], %c1
  // CHECK: %[[WANTED:.*]] = arith.select %[[BEHIND]], %[[NEXT]], %[[ROW]]
  // CHECK: %[[ROWS:.*]] = memref.dim %[[X]], %c0
  // CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]], %c1
  // CHECK: %[[WITHIN:.*]] = arith.minui %[[WANTED]], %[[LAST]]
  // CHECK: memref.prefetch %[[X]][%[[WITHIN]], %[[BOUNDED]]], read, locality<3>, data
  // CHECK-COUNT-3: memref.prefetch %[[X]]
  // CHECK-NOT: memref.prefetch
  func.func @f(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>, %n: index) {
    scf.forall (%i) = (0) to (%n) step (4) {
      %t = memref.subview %x[%i, 0] [4, 1024] [1, 1] : memref<?x1024xf32> to memref<4x1024xf32, strided<[1024, 1], offset: ?>>
      %o = memref.subview %y[%i, 0] [4, 1024] [1, 1] : memref<?x1024xf32> to memref<4x1024xf32, strided<[1024, 1], offset: ?>>
      linalg.exp ins(%t : memref<4x1024xf32, strided<[1024, 1], offset: ?>>) outs(%o : memref<4x1024xf32, strided<[1024, 1], offset: ?>>)
    }
    return
  }
  // CHECK-LABEL: func.func @short(
  // CHECK-NOT: memref.prefetch
  // CHECK: return
  func.func @short(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) {
    linalg.sqrt ins(%x : memref<?x1024xf32>) outs(%y : memref<?x1024xf32>)
    return
  }
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64", arch = "x86_64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func.func @narrow(
  // CHECK-NOT: memref.prefetch
  // CHECK: return
  func.func @narrow(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>) {
    linalg.exp ins(%x : memref<?x1024xf32>) outs(%y : memref<?x1024xf32>)
    return
  }
}
