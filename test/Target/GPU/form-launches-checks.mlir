// Checks of what is in tensors: those that all threads see alike share a kernel,
// one of many elements has blocks to share its loop.
// RUN: aik-opt %s --aik-form-launches | FileCheck %s

// CHECK: gpu.func @f_0
// CHECK: %[[A:.*]] = memref.load
// CHECK: %[[FIRST:.*]] = arith.cmpi sge, %[[A]]
// CHECK: %[[B:.*]] = memref.load
// CHECK: %[[SECOND:.*]] = arith.cmpi sle, %[[B]]
// CHECK: aikernel.check %[[FIRST]], 34, "first"
// CHECK: aikernel.check %[[SECOND]], 34, "second"
// CHECK: gpu.return
// CHECK: gpu.func @f_1
// CHECK: %[[ALL:.*]] = scf.for
// CHECK: } {aikernel.spread}
// CHECK: aikernel.check %[[ALL]], 34, "all"
// CHECK: gpu.return
// CHECK: gpu.func @f_2
// CHECK: linalg.generic {{.*}} attrs = {aikernel.spread}

// A copy to where only the device knows has blocks for its elements.
// CHECK-LABEL: func.func @f(
// CHECK: gpu.launch_func @device::@f_0 blocks in (%c1{{[_0-9]*}}, %c1
// CHECK: gpu.launch_func @device::@f_1 blocks in (%c32{{[_0-9]*}}, %c1
// CHECK: gpu.launch_func @device::@f_2 blocks in (%c16{{[_0-9]*}}, %c1
// CHECK-NOT: gpu.launch_func
func.func @f(%p: memref<2xi32>, %n: memref<8192xi32>, %x: memref<32768xf32>, %y: memref<65536xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8192 = arith.constant 8192 : index
  %zero = arith.constant 0 : i32
  %most = arith.constant 32768 : i32
  %true = arith.constant true
  %a = memref.load %p[%c0] : memref<2xi32>
  %first = arith.cmpi sge, %a, %zero : i32
  aikernel.check %first, 34, "first"
  %b = memref.load %p[%c1] : memref<2xi32>
  %second = arith.cmpi sle, %b, %most : i32
  aikernel.check %second, 34, "second"
  %all = scf.for %i = %c0 to %c8192 step %c1 iter_args(%so = %true) -> (i1) {
    %v = memref.load %n[%i] : memref<8192xi32>
    %is = arith.cmpi sge, %v, %zero : i32
    %both = arith.andi %so, %is : i1
    scf.yield %both : i1
  }
  aikernel.check %all, 34, "all"
  %at = arith.index_cast %a : i32 to index
  %place = memref.subview %y[%at] [32768] [1] : memref<65536xf32> to memref<32768xf32, strided<[1], offset: ?>>
  memref.copy %x, %place : memref<32768xf32> to memref<32768xf32, strided<[1], offset: ?>>
  return
}
