// A donated argument lives in the memory of its result: it is copied there
// unless the caller gave the same memory twice, and written in place. Its size
// is still asked of the argument, which f$workspace has too.
// RUN: aik-opt %s --aik-add-destinations | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf32>,
// CHECK-NOT: aikernel.donate
// CHECK-SAME: %[[OUT:[^:]*]]: memref<?xf32> {aikernel.donor = 0 : i64, aikernel.result = 0 : i64}
// CHECK: memref.dim %[[X]]
// CHECK-DAG: %[[FROM:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK-DAG: %[[TO:.*]] = memref.extract_aligned_pointer_as_index %[[OUT]]
// CHECK: %[[DIFFER:.*]] = arith.cmpi ne, %[[FROM]], %[[TO]]
// CHECK: scf.if %[[DIFFER]] {
// CHECK-NEXT: memref.copy %[[X]], %[[OUT]]
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[OUT]] restrict writable
// CHECK: %[[NEW:.*]] = tensor.insert %{{.*}} into %[[T]]
// CHECK: %[[BUFFER:.*]] = bufferization.to_buffer %[[NEW]]
// CHECK: arith.cmpi ne
// CHECK: scf.if
// CHECK-NEXT: memref.copy %[[BUFFER]], %[[OUT]]
func.func @f(%x: tensor<?xf32> {aikernel.donate = 0 : i64}, %v: f32) -> tensor<?xf32> attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %last = arith.subi %n, %c1 : index
  %y = tensor.insert %v into %x[%last] : tensor<?xf32>
  return %y : tensor<?xf32>
}
