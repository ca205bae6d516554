// An entry takes memrefs and writes its results into further arguments; nothing
// is returned.
// RUN: aik-opt %s --aik-add-destinations | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:[^:]*]]: memref<4xf32> {aikernel.name = "x"}, %[[N:[^:]*]]: index
// CHECK-SAME: %[[OUT:[^:]*]]: memref<4xf32> {aikernel.result = 0 : i64}
// CHECK-NOT: ->
// CHECK-SAME: attributes {aikernel.entry = "run"}
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[X]] restrict :
// CHECK: %[[Y:.*]] = math.exp %[[T]]
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable %[[OUT]]
// CHECK: return{{$}}
func.func @f(%x: tensor<4xf32> {aikernel.name = "x"}, %n: index) -> tensor<4xf32> attributes {aikernel.entry = "run"} {
  %y = math.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// What is no entry stays on tensors.
// CHECK-LABEL: func.func private @kernel(
// CHECK-SAME: tensor<4xf32>) -> tensor<4xf32>
func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
