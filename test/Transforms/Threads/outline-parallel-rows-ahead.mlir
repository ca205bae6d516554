// The first loop of an iteration, which only reads, runs beside the last one of
// the iteration before, which writes: a row is read while another is written.
// RUN: aik-opt %s --split-input-file --aik-outline-parallel | FileCheck %s

// What is left of writing after the rounds of reading comes behind them; the
// last row is written alone. A range without rows reads none.

// CHECK-LABEL: func.func private @sum$parallel0(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[B:.*]]: i64, %[[E:.*]]: i64)
// CHECK: %[[BEGIN:.*]] = arith.index_cast %[[B]]
// CHECK: %[[END:.*]] = arith.index_cast %[[E]]
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK: %[[ROW0:.*]] = memref.subview
// CHECK: %[[ENOUGH:.*]] = arith.select %[[ANY]], %c128, %c0
// CHECK: %[[FIRST:.*]] = scf.for %{{.*}} = %c0 to %[[ENOUGH]] step %c32 iter_args({{.*}}) -> (vector<32xf32>)
// CHECK:   vector.load %[[ROW0]]
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]] step %[[ONE:.*]] iter_args(%[[READ:.*]] = %[[FIRST]])
// CHECK-NOT: scf.for
// CHECK:   vector.reduction <add>, %[[READ]]
// CHECK:   %[[NEXT:.*]] = arith.addi %[[I]], %[[ONE]]
// CHECK:   %[[HAS:.*]] = arith.cmpi slt, %[[NEXT]], %[[END]]
// CHECK:   %[[GIVEN:.*]] = scf.if %[[HAS]] -> (vector<32xf32>) {
// CHECK:     %[[AT:.*]] = arith.muli %[[NEXT]]
// CHECK:     %[[PLACE:.*]] = arith.addi %{{.*}}, %[[AT]]
// CHECK:     %[[ROW1:.*]] = memref.subview %{{.*}}[%[[PLACE]], 0]
// CHECK:     %[[BOTH:.*]] = scf.for %{{.*}} = %{{.*}} to %c128 step %{{.*}} iter_args
// CHECK:       vector.store
// CHECK-NOT:   memref.prefetch %{{.*}}locality<2>
// CHECK:       vector.store
// CHECK:       vector.load %[[ROW1]]{{.*}} vector<32xf32>
// CHECK:       memref.prefetch %[[ROW1]]{{.*}}, read, locality<3>
// CHECK:       memref.prefetch %[[ROW1]]{{.*}}, read, locality<3>
// CHECK:       arith.addf
// CHECK:     scf.for %{{.*}} = %c128 to %c144 step %c16 {
// CHECK:       vector.store
// CHECK:     scf.yield %[[BOTH]]
// CHECK:   } else {
// CHECK:     scf.for %{{.*}} = %c0 to %c144 step %c16 {
// CHECK:       memref.prefetch %{{.*}}locality<2>
// CHECK:       vector.store
// CHECK:   scf.yield %[[GIVEN]]
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  func.func @sum(%x: memref<8x144xf32>, %y: memref<8x144xf32>) attributes {aikernel.entry = "run"} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c144 = arith.constant 144 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<32xf32>
    scf.forall (%i) in (8) {
      %stack = memref.alloca() : memref<1xf32>
      memref.store %zero, %stack[%c0] : memref<1xf32>
      %row = memref.subview %x[%i, 0] [1, 144] [1, 1] : memref<8x144xf32> to memref<1x144xf32, strided<[144, 1], offset: ?>>
      %read = scf.for %j = %c0 to %c128 step %c32 iter_args(%s = %zeros) -> (vector<32xf32>) {
        %v = vector.load %row[%c0, %j] : memref<1x144xf32, strided<[144, 1], offset: ?>>, vector<32xf32>
        %t = arith.addf %s, %v : vector<32xf32>
        scf.yield %t : vector<32xf32>
      }
      %sum = vector.reduction <add>, %read : vector<32xf32> into f32
      memref.store %sum, %stack[%c0] : memref<1xf32>
      scf.for %j = %c0 to %c144 step %c16 {
        %f = memref.load %stack[%c0] : memref<1xf32>
        %b = vector.broadcast %f : f32 to vector<16xf32>
        %v = vector.load %row[%c0, %j] : memref<1x144xf32, strided<[144, 1], offset: ?>>, vector<16xf32>
        memref.prefetch %x[%i, %j], read, locality<2>, data : memref<8x144xf32>
        %m = arith.mulf %v, %b : vector<16xf32>
        vector.store %m, %y[%i, %j] : memref<8x144xf32>, vector<16xf32>
      }
    }
    return
  }
}

// -----

// A length that is not known: both loops go over whole rounds of it. Without a
// target nothing is asked for ahead, and what the loop asks for stays.

// CHECK-LABEL: func.func private @unknown$parallel0(
// CHECK: %[[FIRST:.*]] = scf.for
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK:   scf.if
// CHECK:     %[[R:.*]] = arith.remui %[[N:.*]], %c32
// CHECK:     %[[WHOLE:.*]] = arith.subi %[[N]], %[[R]]
// CHECK:     scf.for %{{.*}} = %{{.*}} to %[[WHOLE]]
// CHECK:       memref.prefetch %{{.*}}locality<2>
// CHECK-NOT:   memref.prefetch %{{.*}}locality<3>
// CHECK:       arith.maximumf
// CHECK:     scf.for %{{.*}} = %[[WHOLE]] to
// CHECK:       vector.store
func.func @unknown(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %low = arith.constant dense<0xFF800000> : vector<32xf32>
  scf.forall (%i) in (%m) {
    %r32 = arith.remui %n, %c32 : index
    %n32 = arith.subi %n, %r32 : index
    %read = scf.for %j = %c0 to %n32 step %c32 iter_args(%s = %low) -> (vector<32xf32>) {
      %v = vector.load %x[%i, %j] : memref<?x?xf32>, vector<32xf32>
      %t = arith.maximumf %s, %v : vector<32xf32>
      scf.yield %t : vector<32xf32>
    }
    %max = vector.reduction <maximumf>, %read : vector<32xf32> into f32
    %r16 = arith.remui %n, %c16 : index
    %n16 = arith.subi %n, %r16 : index
    scf.for %j = %c0 to %n16 step %c16 {
      %b = vector.broadcast %max : f32 to vector<16xf32>
      memref.prefetch %x[%i, %j], read, locality<2>, data : memref<?x?xf32>
      vector.store %b, %y[%i, %j] : memref<?x?xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// Where results go past the caches if they are aligned, both ways of writing
// read the next row.

// CHECK-LABEL: func.func private @arms$parallel0(
// CHECK: %[[FIRST:.*]] = scf.for
// CHECK: scf.for {{.*}} iter_args(%[[READ:.*]] = %[[FIRST]])
// CHECK:   %[[GIVEN:.*]] = scf.if %{{.*}} -> (vector<16xf32>) {
// CHECK:     %[[THEN:.*]] = scf.if
// CHECK:       vector.store {{.*}} nontemporal
// CHECK:     } else {
// CHECK:       vector.store {{.*}} nontemporal
// CHECK:     scf.yield %[[THEN]]
// CHECK:   } else {
// CHECK:     %[[ELSE:.*]] = scf.if
// CHECK-NOT: nontemporal
// CHECK:     scf.yield %[[ELSE]]
// CHECK:   scf.yield %[[GIVEN]]
func.func @arms(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %aligned: i1) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x64xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.if %aligned {
      scf.for %j = %c0 to %c64 step %c16 {
        vector.store %read, %y[%i, %j] {alignment = 64 : i64, nontemporal = true} : memref<8x64xf32>, vector<16xf32>
      }
    } else {
      scf.for %j = %c0 to %c64 step %c16 {
        vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
      }
    }
  }
  return
}

// -----

// With AVX-512 and what may be a small L1 rows are asked for shortly ahead, too,
// 512 bytes.

// CHECK-LABEL: func.func private @small$parallel0(
// CHECK: scf.if %{{.*}} -> (vector<16xf32>) {
// CHECK:   scf.for %[[J:.*]] = %{{.*}} to %c64
// CHECK-NOT: locality<2>
// CHECK:     vector.store
// CHECK:     vector.load %[[X:.*]][%[[I:.*]], %[[J]]]
// CHECK:     %[[LATER:.*]] = arith.addi %[[J]], %c128
// CHECK:     memref.prefetch %[[X]][%[[I]], %[[LATER]]], read, locality<3>
// CHECK: } else {
// CHECK:   memref.prefetch %{{.*}}locality<2>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f", vector_bits = 512>} {
  func.func @small(%x: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {aikernel.entry = "run"} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zeros = arith.constant dense<0.0> : vector<16xf32>
    scf.forall (%i) in (8) {
      %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
        %v = vector.load %x[%i, %j] : memref<8x64xf32>, vector<16xf32>
        %t = arith.addf %s, %v : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      scf.for %j = %c0 to %c64 step %c16 {
        memref.prefetch %x[%i, %j], read, locality<2>, data : memref<8x64xf32>
        vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
      }
    }
    return
  }
}

// -----

// With tile registers L1 is larger, and what the loop asks for stays.

// CHECK-LABEL: func.func private @large$parallel0(
// CHECK: scf.if %{{.*}} -> (vector<16xf32>) {
// CHECK:   memref.prefetch %{{.*}}locality<2>
// CHECK-NOT: locality<3>
// CHECK: return
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f,+amx-tile", vector_bits = 512>} {
  func.func @large(%x: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {aikernel.entry = "run"} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zeros = arith.constant dense<0.0> : vector<16xf32>
    scf.forall (%i) in (8) {
      %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
        %v = vector.load %x[%i, %j] : memref<8x64xf32>, vector<16xf32>
        %t = arith.addf %s, %v : vector<16xf32>
        scf.yield %t : vector<16xf32>
      }
      scf.for %j = %c0 to %c64 step %c16 {
        memref.prefetch %x[%i, %j], read, locality<2>, data : memref<8x64xf32>
        vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
      }
    }
    return
  }
}
