// Views by constants are made in the body again, from what they are views of:
// sizes and strides that come from memory would not be known there.
// RUN: aik-opt %s --aik-outline-parallel | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: llvm.alloca %{{.*}} x !llvm.struct<(struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, i64)>
// CHECK-LABEL: func.func private @f$parallel0(
// CHECK: %[[WORKSPACE:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xi8>
// CHECK: %[[ANY:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?x4xf32, strided<[4, 1]>>
// CHECK: %[[WHOLE:.*]] = memref.view %[[WORKSPACE]][%c64{{[_0-9]*}}][] : memref<?xi8> to memref<8x4xf32>
// CHECK: %[[CAST:.*]] = memref.cast %[[WHOLE]] : memref<8x4xf32> to memref<?x?xf32
// CHECK: %[[PART:.*]] = memref.cast %[[ANY]]
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[CAST]]
// CHECK: memref.store %{{.*}}, %[[PART]]
func.func @f(%n: index, %workspace: memref<?xi8>) attributes {aikernel.entry = "run"} {
  %v = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %whole = memref.view %workspace[%c64][] : memref<?xi8> to memref<8x4xf32>
  %cast = memref.cast %whole : memref<8x4xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  %any = memref.subview %whole[0, 0] [%n, 4] [1, 1] : memref<8x4xf32> to memref<?x4xf32, strided<[4, 1]>>
  %part = memref.cast %any : memref<?x4xf32, strided<[4, 1]>> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  scf.forall (%i) = (0) to (%n) step (1) {
    memref.store %v, %cast[%i, %c0] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    memref.store %v, %part[%i, %c0] : memref<?x4xf32, strided<[4, 1], offset: ?>>
  }
  return
}

// So is a memref whose type tells all but where it is: only that is kept.

// CHECK-LABEL: func.func @known(
// CHECK: llvm.alloca %{{.*}} x !llvm.struct<(ptr, struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>)>
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %arg0
// CHECK: %[[AT:.*]] = llvm.extractvalue %[[X]][1]
// CHECK: llvm.store %[[AT]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK-LABEL: func.func private @known$parallel0(
// CHECK: %[[HERE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.insertvalue %[[HERE]], %{{.*}}[1]
// CHECK: %[[STRIDE:.*]] = llvm.mlir.constant(4 : index)
// CHECK: llvm.insertvalue %[[STRIDE]], %{{.*}}[4, 0]
// CHECK: builtin.unrealized_conversion_cast %{{.*}} to memref<8x4xf32>
// CHECK: builtin.unrealized_conversion_cast %{{.*}} to memref<8x4xf32, strided<[4, 1], offset: ?>>
func.func @known(%x: memref<8x4xf32>, %y: memref<8x4xf32, strided<[4, 1], offset: ?>>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (8) {
    %v = memref.load %x[%i, %c0] : memref<8x4xf32>
    memref.store %v, %y[%i, %c0] : memref<8x4xf32, strided<[4, 1], offset: ?>>
  }
  return
}
