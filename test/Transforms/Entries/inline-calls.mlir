// A call becomes the body of the function it names; a private function that
// nothing names any more is gone, a public one stays.
// RUN: aik-opt %s --aik-inline-calls | FileCheck %s

// CHECK-NOT: @double
func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @helper(
func.func @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: math.exp
  %y = math.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[TWICE:.*]] = arith.addf %[[X]], %[[X]]
  // CHECK-NEXT: %[[EXP:.*]] = math.exp %[[TWICE]]
  // CHECK-NEXT: return %[[EXP]]
  %0 = call @double(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @helper(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
