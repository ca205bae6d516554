// A memref argument stays what it is: the program writes to it by itself. And
// an argument that is returned as it came is copied into its destination.
// RUN: aik-opt %s --aik-add-destinations | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[M:[^:]*]]: memref<4xf32>, %[[X:[^:]*]]: memref<4xf32>, {{.*}}, %[[OUT:[^:]*]]: memref<4xf32> {aikernel.result = 0 : i64}
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[X]]
// CHECK-NOT: bufferization.to_tensor
// CHECK: memref.store %{{.*}}, %[[M]]
// CHECK: bufferization.materialize_in_destination %[[T]] in restrict writable %[[OUT]]
func.func @f(%m: memref<4xf32>, %x: tensor<4xf32>, %i: index, %v: f32) -> tensor<4xf32> attributes {aikernel.entry = "run"} {
  memref.store %v, %m[%i] : memref<4xf32>
  return %x : tensor<4xf32>
}
