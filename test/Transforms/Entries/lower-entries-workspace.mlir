// f$workspace returns the number that the body stored, or its negative status;
// f$cost stores two numbers in a row.
// RUN: aik-opt %s --aik-lower-entries | FileCheck %s

module attributes {aikernel.functions = [{args = [{}, {}], name = "f", type = (tensor<?x4xf32>, index) -> tensor<?x4xf32>}]} {
  // CHECK-LABEL: func.func @f$workspace(
  // CHECK-SAME: !llvm.ptr, %{{[^:]*}}: !llvm.ptr) -> i64
  // CHECK: %[[SIZE:.*]] = llvm.alloca %{{.*}} x i64
  // CHECK: %[[STATUS:.*]] = call @f$workspace$body
  // CHECK: %[[BYTES:.*]] = llvm.load %[[SIZE]]
  // CHECK: %[[FAILED:.*]] = llvm.icmp "ne" %[[STATUS]],
  // CHECK: %[[WIDE:.*]] = llvm.sext %[[STATUS]] : i32 to i64
  // CHECK: %[[RESULT:.*]] = llvm.select %[[FAILED]], %[[WIDE]], %[[BYTES]]
  // CHECK: return %[[RESULT]]
  func.func @f$workspace(%x: memref<?x4xf32>, %n: index, %size: memref<i64> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "workspace"} {
    return
  }
  // CHECK-LABEL: func.func @f$cost(
  // CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %[[COST:[^:]*]]: !llvm.ptr) -> i32
  // CHECK: llvm.getelementptr %[[COST]][0] : (!llvm.ptr) -> !llvm.ptr, i64
  // CHECK: llvm.getelementptr %[[COST]][1] : (!llvm.ptr) -> !llvm.ptr, i64
  func.func @f$cost(%x: memref<?x4xf32>, %n: index, %flops: memref<i64> {aikernel.result = 0 : i64}, %bytes: memref<i64> {aikernel.result = 1 : i64}) attributes {aikernel.entry = "cost"} {
    return
  }
}
