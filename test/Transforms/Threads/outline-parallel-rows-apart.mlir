// Rows that are not read ahead: outline-parallel-rows-ahead.mlir has those that
// are. There the first loop would be the one that reads the first row.
// RUN: aik-opt %s --split-input-file --aik-outline-parallel | FileCheck %s

// The stack is the thread's: what an iteration keeps there is not read ahead,

// CHECK-LABEL: func.func private @stack$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @stack(%x: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %stack = memref.alloca() : memref<64xf32>
    %one = memref.load %x[%i, %c0] : memref<8x64xf32>
    memref.store %one, %stack[%i] : memref<64xf32>
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %stack[%j] : memref<64xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c64 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// nor what may be there.

// CHECK-LABEL: func.func private @chosen$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @chosen(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %c: i1) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %one = memref.alloca() : memref<64xf32>
    %other = memref.alloca() : memref<64xf32>
    %stack = arith.select %c, %one, %other : memref<64xf32>
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %stack[%j] : memref<64xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c64 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// What an iteration itself writes first is not there yet in the one before.

// CHECK-LABEL: func.func private @written$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @written(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %f: f32) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    memref.store %f, %x[%i, %c0] : memref<8x64xf32>
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x64xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c64 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// A check comes before what it is for.

// CHECK-LABEL: func.func private @checked$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @checked(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %good: i1) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    aikernel.check %good, 22, "not good"
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x64xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c64 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// Where a row is may have been written, too.

// CHECK-LABEL: func.func private @place$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @place(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %rows: memref<8xindex>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %row = memref.load %rows[%i] : memref<8xindex>
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%row, %j] : memref<8x64xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c64 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// Rows that have lengths of their own do not end together.

// CHECK-LABEL: func.func private @ragged$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @ragged(%x: memref<8x?xf32>, %y: memref<8x?xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %n = arith.muli %i, %c16 : index
    %r = arith.remui %n, %c16 : index
    %whole = arith.subi %n, %r : index
    %read = scf.for %j = %c0 to %whole step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x?xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %whole step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x?xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// Writing has fewer rounds than reading,

// CHECK-LABEL: func.func private @fewer$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @fewer(%x: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  %c48 = arith.constant 48 : index
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x64xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c48 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// or such that do not fill those of reading,

// CHECK-LABEL: func.func private @uneven$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @uneven(%x: memref<8x96xf32>, %y: memref<8x96xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c96 = arith.constant 96 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c0 to %c96 step %c24 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x96xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c96 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x96xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// or so many that its body would be written out too often.

// CHECK-LABEL: func.func private @many$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @many(%x: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x64xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c64 step %c2 {
      vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// Reading leaves out the first numbers,

// CHECK-LABEL: func.func private @late$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @late(%x: memref<8x80xf32>, %y: memref<8x80xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  %c80 = arith.constant 80 : index
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c16 to %c80 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x80xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c80 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x80xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// or ends within a round.

// CHECK-LABEL: func.func private @partial$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @partial(%x: memref<8x88xf32>, %y: memref<8x88xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c72 = arith.constant 72 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c0 to %c72 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x88xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c72 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x88xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// A column does not lie along memory.

// CHECK-LABEL: func.func private @column$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @column(%x: memref<64x32xf32>, %y: memref<8x64xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%j, %i] : memref<64x32xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c64 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// Numbers of 16 bits take long enough by themselves.

// CHECK-LABEL: func.func private @narrow$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @narrow(%x: memref<8x64xf16>, %y: memref<8x64xf16>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf16>
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf16>) {
      %v = vector.load %x[%i, %j] : memref<8x64xf16>, vector<16xf16>
      %t = arith.addf %s, %v : vector<16xf16>
      scf.yield %t : vector<16xf16>
    }
    scf.for %j = %c0 to %c64 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x64xf16>, vector<16xf16>
    }
  }
  return
}

// -----

// So do those without a width,

// CHECK-LABEL: func.func private @indices$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @indices(%x: memref<8x64xindex>, %y: memref<8x64xindex>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0> : vector<16xindex>
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xindex>) {
      %v = vector.load %x[%i, %j] : memref<8x64xindex>, vector<16xindex>
      %t = arith.addi %s, %v : vector<16xindex>
      scf.yield %t : vector<16xindex>
    }
    scf.for %j = %c0 to %c64 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x64xindex>, vector<16xindex>
    }
  }
  return
}

// -----

// and vectors of them.

// CHECK-LABEL: func.func private @vectors$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @vectors(%x: memref<8x64xvector<16xf32>>, %y: memref<8x64xvector<16xf32>>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x64xvector<16xf32>>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c64 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x64xvector<16xf32>>, vector<16xf32>
    }
  }
  return
}

// -----

// Rows are written by indices.

// CHECK-LABEL: func.func private @counted$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @counted(%x: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c0_i32 = arith.constant 0 : i32
  %c16_i32 = arith.constant 16 : i32
  %c64_i32 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x64xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0_i32 to %c64_i32 step %c16_i32 : i32 {
      %k = arith.index_cast %j : i32 to index
      vector.store %read, %y[%i, %k] : memref<8x64xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// Few rounds are not worth it.

// CHECK-LABEL: func.func private @short$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @short(%x: memref<8x48xf32>, %y: memref<8x48xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %read = scf.for %j = %c0 to %c48 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x48xf32>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c48 step %c16 {
      vector.store %read, %y[%i, %j] : memref<8x48xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// Both arms of a choice must write whole rows.

// CHECK-LABEL: func.func private @arm$parallel0(
// CHECK: scf.for
// CHECK-NEXT: arith.muli
func.func @arm(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %aligned: i1) attributes {aikernel.entry = "run"} {
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
        vector.store %read, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
      }
    } else {
      vector.store %read, %y[%i, %c0] : memref<8x64xf32>, vector<16xf32>
    }
  }
  return
}
