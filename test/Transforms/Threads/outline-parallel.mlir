// A parallel loop becomes a function of (captures, begin, end), and the call of
// aik_env's parallel_for with a frame on the stack that holds the captures.
// RUN: aik-opt %s --aik-outline-parallel | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[N:[^:]*]]: index, %[[V:[^:]*]]: f32
// CHECK: %[[FRAME:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(
// CHECK-NOT: scf.forall
// CHECK: llvm.store %[[V]], %{{.*}} : f32, !llvm.ptr
// CHECK: %[[ENV:.*]] = aikernel.env
// CHECK: %[[COUNT:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[BODY:.*]] = constant @f$parallel0 : (!llvm.ptr, i64, i64) -> i32
// CHECK: %[[CALLEE:.*]] = builtin.unrealized_conversion_cast %[[BODY]]
// parallel_for is field 3 of aik_env.
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[ENV]][0, 3] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i32, i32, ptr, ptr, ptr, ptr, ptr, i32, i32)>
// CHECK: %[[FOR:.*]] = llvm.load %[[SLOT]]
// CHECK: llvm.call %[[FOR]](%[[ENV]], %[[COUNT]], %[[CALLEE]], %[[FRAME]])

// CHECK-LABEL: func.func private @f$parallel0(
// CHECK-SAME: %[[CAPTURES:[^:]*]]: !llvm.ptr, %[[BEGIN:[^:]*]]: i64, %[[END:[^:]*]]: i64) -> i32
// CHECK: llvm.getelementptr %[[CAPTURES]][0, 0]
// CHECK-DAG: %[[FROM:.*]] = arith.index_cast %[[BEGIN]]
// CHECK-DAG: %[[TO:.*]] = arith.index_cast %[[END]]
// CHECK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]]
// CHECK: %[[OFFSET:.*]] = arith.muli %[[I]],
// CHECK: %[[WHERE:.*]] = arith.addi %{{.*}}, %[[OFFSET]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[WHERE]]]
// CHECK: %[[OK:.*]] = arith.constant 0 : i32
// CHECK: return %[[OK]]
func.func @f(%n: index, %v: f32, %m: memref<?xf32>) attributes {aikernel.entry = "run"} {
  scf.forall (%i) = (0) to (%n) step (16) {
    memref.store %v, %m[%i] : memref<?xf32>
  }
  return
}
