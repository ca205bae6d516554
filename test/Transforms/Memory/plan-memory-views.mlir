// A buffer lives as long as its last view does: the second buffer may not take
// its place while a view of the first is still read.
// RUN: aik-opt %s --aik-plan-memory --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @f$workspace(
// CHECK: arith.constant 128 : i64
func.func @f(%x: memref<f32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[] : memref<f32>
  %first = memref.alloc() : memref<16xf32>
  %second = memref.alloc() : memref<16xf32>
  memref.store %v, %first[%c0] : memref<16xf32>
  %view = memref.subview %first[0] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1]>>
  memref.store %v, %second[%c0] : memref<16xf32>
  %a = memref.load %view[%c0] : memref<4xf32, strided<[1]>>
  %b = memref.load %second[%c0] : memref<16xf32>
  %s = arith.addf %a, %b : f32
  memref.store %s, %x[] : memref<f32>
  return
}

// Or what was chosen between it and another one.
// CHECK-LABEL: func.func @chosen$workspace(
// CHECK: arith.constant 192 : i64
func.func @chosen(%x: memref<f32>, %c: i1) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[] : memref<f32>
  %first = memref.alloc() : memref<16xf32>
  %other = memref.alloc() : memref<16xf32>
  %second = memref.alloc() : memref<16xf32>
  memref.store %v, %first[%c0] : memref<16xf32>
  memref.store %v, %other[%c0] : memref<16xf32>
  %either = arith.select %c, %first, %other : memref<16xf32>
  memref.store %v, %second[%c0] : memref<16xf32>
  %a = memref.load %either[%c0] : memref<16xf32>
  %b = memref.load %second[%c0] : memref<16xf32>
  %s = arith.addf %a, %b : f32
  memref.store %s, %x[] : memref<f32>
  return
}
