// A check returns at once with what aik_env's fail says, also from inside a
// loop, before what it guards. Equal texts are one constant.
// RUN: aik-opt %s --convert-scf-to-cf --aik-lower-checks --split-input-file | FileCheck %s

// CHECK: llvm.mlir.global internal constant @[[TEXT:.*]]("too short\00")
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: func.func @top(
// CHECK-SAME: %[[ENV:[^:]*]]: !llvm.ptr, %[[OK:[^:]*]]: i1
// CHECK: cf.cond_br %[[OK]], ^[[NEXT:.*]], ^[[FAIL:.*]]
// CHECK: ^[[FAIL]]:
// CHECK: llvm.mlir.addressof @[[TEXT]]
// CHECK: %[[CODE:.*]] = llvm.mlir.constant(22 : i32)
// fail is field 4 of aik_env.
// CHECK: llvm.getelementptr %[[ENV]][0, 4]
// CHECK: %[[STATUS:.*]] = llvm.call %{{.*}}(%[[ENV]], %[[CODE]], %{{.*}})
// CHECK: return %[[STATUS]]
// CHECK: ^[[NEXT]]:
// CHECK: cf.cond_br
func.func @top(%env: !llvm.ptr, %ok: i1) -> i32 {
  %c0 = arith.constant 0 : i32
  aikernel.check %ok, 22, "too short" env %env : !llvm.ptr
  aikernel.check %ok, 22, "too short" env %env : !llvm.ptr
  return %c0 : i32
}

// -----

// CHECK-LABEL: func.func @nested(
// CHECK: ^[[LOOP:.*]](%{{.*}}: index):
// CHECK: %[[OK:.*]] = arith.cmpi ult
// CHECK: cf.cond_br %[[OK]], ^[[NEXT:.*]], ^[[FAIL:.*]]
// CHECK: ^[[FAIL]]:
// CHECK: %[[STATUS:.*]] = llvm.call
// CHECK: return %[[STATUS]]
// CHECK: ^[[NEXT]]:
// CHECK: memref.load
// CHECK: cf.br ^[[LOOP]]
func.func @nested(%env: !llvm.ptr, %x: memref<?xindex>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %size = memref.dim %x, %c0 : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %ok = arith.cmpi ult, %i, %size : index
    aikernel.check %ok, 34, "out of bounds" env %env : !llvm.ptr
    %v = memref.load %x[%i] : memref<?xindex>
    memref.store %v, %x[%c0] : memref<?xindex>
  }
  return %zero : i32
}

// -----

// What a call returned is returned as it is.
// CHECK-LABEL: func.func @propagated(
// CHECK-SAME: %[[STATUS:[^:]*]]: i32
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[STATUS]], %{{.*}}
// CHECK: cf.cond_br %[[OK]], ^{{.*}}, ^[[FAIL:.*]]
// CHECK: ^[[FAIL]]:
// CHECK-NEXT: return %[[STATUS]]
func.func @propagated(%status: i32) -> i32 {
  %zero = arith.constant 0 : i32
  aikernel.propagate %status
  return %zero : i32
}

// -----

// A kernel's number goes into the status word unless an earlier check, which
// has a larger one, has failed in another block.
// CHECK-LABEL: gpu.func @kernel(
// CHECK-SAME: %[[STATUS:[^:]*]]: !llvm.ptr, %[[OK:[^:]*]]: i1
// CHECK: cf.cond_br %[[OK]], ^{{.*}}, ^[[FAIL:.*]]
// CHECK: ^[[FAIL]]:
// CHECK-NEXT: %[[NUMBER:.*]] = llvm.mlir.constant(3 : i32)
// CHECK-NEXT: llvm.atomicrmw umax %[[STATUS]], %[[NUMBER]] monotonic
// CHECK-NEXT: gpu.return
gpu.module @device {
  gpu.func @kernel(%status: !llvm.ptr, %ok: i1) kernel {
    aikernel.check %ok, 34, "negative" env %status : !llvm.ptr {aikernel.check_number = 3 : i32}
    gpu.return
  }
}

// -----

// What is allocated behind a check comes before it, with its size, as only the
// first block's memory can become registers; what has another size stays.
// CHECK-LABEL: gpu.func @allocates(
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-NEXT: %[[PLACE:.*]] = llvm.alloca %[[ONE]] x i32
// CHECK-NEXT: memref.alloca() : memref<2xf32, 5>
// CHECK: cf.cond_br
// CHECK: gpu.return
// CHECK: llvm.store %{{.*}}, %[[PLACE]]
// CHECK: llvm.alloca %{{.*}} x i64
gpu.module @device {
  gpu.func @allocates(%status: i32, %size: i32) kernel {
    aikernel.propagate %status
    %one = llvm.mlir.constant(1 : i32) : i32
    %place = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
    %row = memref.alloca() : memref<2xf32, 5>
    llvm.store %one, %place : i32, !llvm.ptr
    %more = llvm.alloca %size x i64 : (i32) -> !llvm.ptr
    gpu.return
  }
}
