// f$run takes the environment, the arguments, the results and the workspace as
// pointers, makes memrefs of them and calls the body. f$prepare has nothing to
// do.
// RUN: aik-opt %s --aik-lower-entries | FileCheck %s

module attributes {aikernel.functions = [{args = [{}, {}], name = "f", type = (tensor<?x4xf32>, index) -> tensor<?x4xf32>}]} {
  // CHECK-LABEL: func.func private @f$run$body(
  // CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: memref<?x4xf32>, %{{[^:]*}}: index, %{{[^:]*}}: memref<?x4xf32>, %{{[^:]*}}: memref<?xi8>) -> i32
  // CHECK-NOT: aikernel.entry
  // CHECK: %[[OK:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: return %[[OK]]

  // CHECK-LABEL: func.func @f$prepare(
  // CHECK-SAME: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i64
  // CHECK-NEXT: %[[NONE:.*]] = llvm.mlir.constant(0 : i64)
  // CHECK-NEXT: return %[[NONE]]

  // CHECK-LABEL: func.func @f$run(
  // CHECK-SAME: %[[ENV:[^:]*]]: !llvm.ptr, %[[ARGS:[^:]*]]: !llvm.ptr, %[[RESULTS:[^:]*]]: !llvm.ptr, %[[WS:[^:]*]]: !llvm.ptr) -> i32
  // The first argument: its data, and the one size that is not known.
  // CHECK: llvm.getelementptr %[[ARGS]][0, 0] :
  // CHECK: llvm.getelementptr %[[ARGS]][0, 3, 0] :
  // CHECK-NOT: llvm.getelementptr %[[ARGS]][0, 3, 1]
  // The second: a scalar behind its data pointer.
  // CHECK: %[[DATA:.*]] = llvm.getelementptr %[[ARGS]][1, 0]
  // CHECK: llvm.load
  // CHECK: llvm.load {{.*}} -> i64
  // CHECK: llvm.getelementptr %[[RESULTS]][0, 0]
  // CHECK: %[[STATUS:.*]] = call @f$run$body(%[[ENV]],
  // CHECK: return %[[STATUS]] : i32
  func.func @f(%x: memref<?x4xf32>, %n: index, %out: memref<?x4xf32> {aikernel.result = 0 : i64}, %ws: memref<?xi8> {aikernel.workspace}) attributes {aikernel.entry = "run"} {
    return
  }
}
