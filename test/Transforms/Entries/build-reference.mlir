// The program is kept a second time, as it was written, in @reference.
// RUN: aik-opt %s --aik-build-reference | FileCheck %s

// CHECK: module attributes {aikernel.targets = []} {
// CHECK-NEXT: func.func @f(
// CHECK-NEXT: aikernel.relu
// CHECK: func.func private @g(
// CHECK: module @reference {
// CHECK-NEXT: func.func @f(
// CHECK-NEXT: aikernel.relu
// CHECK: func.func private @g(
module attributes {aikernel.targets = []} {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = aikernel.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
