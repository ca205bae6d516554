// f$shape fills the results' tensors: the sizes that the body stores, and the
// element type, the rank and dense strides.
// RUN: aik-opt %s --aik-lower-entries | FileCheck %s

module attributes {aikernel.functions = [{args = [{}, {}], name = "f", type = (tensor<?x4xf32>, index) -> tensor<?x4xf32>}]} {
  // CHECK-LABEL: func.func @f$shape(
  // CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %[[RESULTS:[^:]*]]: !llvm.ptr) -> i32
  // The two numbers go to dims[0] and dims[1] of result 0.
  // CHECK: llvm.getelementptr %[[RESULTS]][0, 3, 0]
  // CHECK: llvm.getelementptr %[[RESULTS]][0, 3, 1]
  // CHECK: call @f$shape$body
  // CHECK: llvm.getelementptr %[[RESULTS]][0, 1]
  // CHECK: %[[RANK:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[RANK_AT:.*]] = llvm.getelementptr %[[RESULTS]][0, 2]
  // CHECK: llvm.store %[[RANK]], %[[RANK_AT]]
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
  // CHECK: %[[LAST:.*]] = llvm.getelementptr %[[RESULTS]][0, 4, 1]
  // CHECK: llvm.store %[[ONE]], %[[LAST]]
  // CHECK: %[[STRIDE:.*]] = llvm.mul %[[ONE]], %{{.*}}
  // CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[RESULTS]][0, 4, 0]
  // CHECK: llvm.store %[[STRIDE]], %[[FIRST]]
  func.func @f$shape(%x: memref<?x4xf32>, %n: index, %rows: memref<i64> {aikernel.result = 0 : i64}, %columns: memref<i64> {aikernel.result = 1 : i64}) attributes {aikernel.entry = "shape"} {
    return
  }
}
