// The argument is donated to the result that it names, not to the first one.
// RUN: aik-opt %s --aik-add-destinations | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[CACHE:[^:]*]]: memref<8xf32>, %[[X:[^:]*]]: memref<8xf32>
// CHECK-SAME: %[[FIRST:[^:]*]]: memref<8xf32> {aikernel.result = 0 : i64}, %[[SECOND:[^:]*]]: memref<8xf32> {aikernel.donor = 0 : i64, aikernel.result = 1 : i64}
// CHECK: memref.copy %[[CACHE]], %[[SECOND]]
// CHECK: bufferization.to_tensor %[[SECOND]] restrict writable
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[FIRST]]
func.func @f(%cache: tensor<8xf32> {aikernel.donate = 1 : i64}, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {aikernel.entry = "run"} {
  %y = math.exp %x : tensor<8xf32>
  %new = arith.addf %cache, %x : tensor<8xf32>
  return %y, %new : tensor<8xf32>, tensor<8xf32>
}
