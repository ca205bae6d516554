// Checks of sizes are in the function and in f$shape, before any work.
// RUN: aikc %s --emit=kernel --target=cpu:aarch64 -o - | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: aikernel.check
// CHECK: = aikernel.matmul
// CHECK-LABEL: func.func @f$shape(
// CHECK-NOT: = aikernel.matmul
// CHECK: aikernel.check
// CHECK-NOT: = aikernel.matmul
// CHECK: module @reference
func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c = aikernel.matmul %a, %b : (tensor<?x?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %c : tensor<?x8xf32>
}
