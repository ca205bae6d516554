// A result of the program that no cache will hold is stored past them where its
// address allows that.
// RUN: aik-opt %s --aik-vectorize -split-input-file | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx2,+fma,+avx512f,+avx512bw,+avx512vnni,+avx512vbmi", vector_bits = 512>} {
  // CHECK-LABEL: func.func @large(
  // CHECK-SAME: %{{.*}}: memref<8192x1024xf32>, %[[Y:[^:]*]]: memref<8192x1024xf32>
  // CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[Y]]
  // CHECK: %[[REST:.*]] = arith.andi %[[ADDRESS]], %c63
  // CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]], %c0
  // CHECK: scf.if %[[ALIGNED]] {
  // CHECK: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
  // CHECK: } else {
  // CHECK: vector.store
  // CHECK-NOT: nontemporal
  // CHECK: return
  func.func @large(%x: memref<8192x1024xf32>, %y: memref<8192x1024xf32> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "run"} {
    scf.forall (%i) in (8192) {
      %t = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<8192x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      %o = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<8192x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      linalg.sqrt ins(%t : memref<1x1024xf32, strided<[1024, 1], offset: ?>>) outs(%o : memref<1x1024xf32, strided<[1024, 1], offset: ?>>)
    }
    return
  }
  // One that is smaller, not a result, donated, or of rows that are no whole
  // lines.
  // CHECK-LABEL: func.func @others(
  // CHECK-NOT: nontemporal
  // CHECK: return
  func.func @others(%x: memref<8192x1024xf32>, %a: memref<8191x1024xf32> {aikernel.result = 0 : i64}, %b: memref<8192x1024xf32>, %c: memref<8192x1024xf32> {aikernel.result = 1 : i64, aikernel.donor = 0 : i64}, %d: memref<8192x1032xf32> {aikernel.result = 2 : i64}) attributes {aikernel.entry = "run"} {
    scf.forall (%i) in (8191) {
      %t = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<8192x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      %o = memref.subview %a[%i, 0] [1, 1024] [1, 1] : memref<8191x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      %p = memref.subview %b[%i, 0] [1, 1024] [1, 1] : memref<8192x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      %q = memref.subview %c[%i, 0] [1, 1024] [1, 1] : memref<8192x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      %r = memref.subview %d[%i, 0] [1, 1024] [1, 1] : memref<8192x1032xf32> to memref<1x1024xf32, strided<[1032, 1], offset: ?>>
      linalg.sqrt ins(%t : memref<1x1024xf32, strided<[1024, 1], offset: ?>>) outs(%o : memref<1x1024xf32, strided<[1024, 1], offset: ?>>)
      linalg.sqrt ins(%t : memref<1x1024xf32, strided<[1024, 1], offset: ?>>) outs(%p : memref<1x1024xf32, strided<[1024, 1], offset: ?>>)
      linalg.sqrt ins(%t : memref<1x1024xf32, strided<[1024, 1], offset: ?>>) outs(%q : memref<1x1024xf32, strided<[1024, 1], offset: ?>>)
      linalg.sqrt ins(%t : memref<1x1024xf32, strided<[1024, 1], offset: ?>>) outs(%r : memref<1x1024xf32, strided<[1032, 1], offset: ?>>)
    }
    return
  }
  // One that is read again.
  // CHECK-LABEL: func.func @again(
  // CHECK-NOT: nontemporal
  // CHECK: return
  func.func @again(%x: memref<8192x1024xf32>, %y: memref<8192x1024xf32> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "run"} {
    scf.forall (%i) in (8192) {
      %t = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<8192x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      %o = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<8192x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      linalg.sqrt ins(%t : memref<1x1024xf32, strided<[1024, 1], offset: ?>>) outs(%o : memref<1x1024xf32, strided<[1024, 1], offset: ?>>)
      linalg.sqrt ins(%o : memref<1x1024xf32, strided<[1024, 1], offset: ?>>) outs(%o : memref<1x1024xf32, strided<[1024, 1], offset: ?>>)
    }
    return
  }
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func.func @neon(
  // CHECK-NOT: nontemporal
  // CHECK: return
  func.func @neon(%x: memref<8192x1024xf32>, %y: memref<8192x1024xf32> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "run"} {
    scf.forall (%i) in (8192) {
      %t = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<8192x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      %o = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<8192x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      linalg.sqrt ins(%t : memref<1x1024xf32, strided<[1024, 1], offset: ?>>) outs(%o : memref<1x1024xf32, strided<[1024, 1], offset: ?>>)
    }
    return
  }
}

// -----

// With VNNI and without VBMI only more than four threads do so, or as many as
// nobody knows (0); others ask for the lines that they overwrite, a kilobyte
// ahead, one by one.

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx2,+fma,+avx512f,+avx512bw,+avx512vnni", vector_bits = 512>} {
  // CHECK-LABEL: func.func @asks(
  // CHECK: %[[ENV:.*]] = aikernel.env
  // CHECK: %[[THREADS:.*]] = scf.if {{.*}} -> (index)
  // CHECK: %[[OTHERS:.*]] = arith.subi %[[THREADS]], %c1
  // CHECK: %[[MANY:.*]] = arith.cmpi uge, %[[OTHERS]], %c4
  // CHECK: scf.forall
  // CHECK: %[[ALIGNED:.*]] = arith.cmpi eq
  // CHECK: %[[PAST:.*]] = arith.andi %[[ALIGNED]], %[[MANY]]
  // CHECK: scf.if %[[PAST]] {
  // CHECK-NOT: memref.prefetch
  // CHECK: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
  // CHECK: } else {
  // CHECK: scf.for %[[J:.*]] = %{{.*}} step %c32
  // CHECK: %[[AHEAD:.*]] = arith.addi %[[J]], %c256
  // CHECK: %[[FIRST:.*]] = arith.addi %[[AHEAD]], %c0
  // CHECK: memref.prefetch %[[O:.*]][%[[I:.*]], %[[FIRST]]], write, locality<3>, data
  // CHECK: %[[SECOND:.*]] = arith.addi %[[AHEAD]], %c16
  // CHECK: memref.prefetch %[[O]][%[[I]], %[[SECOND]]], write, locality<3>, data
  // CHECK: vector.store %{{.*}}, %[[O]][%[[I]], %[[J]]] : {{.*}}vector<32xf32>
  // CHECK-NOT: nontemporal
  // CHECK: return
  func.func @asks(%x: memref<8192x1024xf32>, %y: memref<8192x1024xf32> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "run"} {
    scf.forall (%i) in (8192) {
      %t = memref.subview %x[%i, 0] [1, 1024] [1, 1] : memref<8192x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      %o = memref.subview %y[%i, 0] [1, 1024] [1, 1] : memref<8192x1024xf32> to memref<1x1024xf32, strided<[1024, 1], offset: ?>>
      linalg.sqrt ins(%t : memref<1x1024xf32, strided<[1024, 1], offset: ?>>) outs(%o : memref<1x1024xf32, strided<[1024, 1], offset: ?>>)
    }
    return
  }
}
