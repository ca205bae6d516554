// f$shape and f$cost hold arithmetic only: nothing of the program is computed
// to find out how large its result is.
// RUN: aikc %s --emit=structured --target=cpu:aarch64 -o - | FileCheck %s

// CHECK-LABEL: func.func @f$shape(
// CHECK-NOT: linalg
// CHECK-NOT: call
// CHECK: return
func.func @f(%x: tensor<?x16xf32>, %w: tensor<16x32xf32>) -> tensor<?x32xf32> {
  %y = aikernel.linear %x, %w : (tensor<?x16xf32>, tensor<16x32xf32>) -> tensor<?x32xf32>
  %z = aikernel.relu %y : (tensor<?x32xf32>) -> tensor<?x32xf32>
  return %z : tensor<?x32xf32>
}
