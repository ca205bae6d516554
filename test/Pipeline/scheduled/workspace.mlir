// What lies between two kernels has a place in the workspace: its size is a
// number when shapes are known: y, and a place for packed operands that both
// products use.
// RUN: aikc %s --emit=scheduled --target=cpu:aarch64 --strip-reference -o - | FileCheck %s

// CHECK: module @target0
// CHECK: func.func @f(
// CHECK-SAME: %[[WS:[^:]*]]: memref<?xi8> {aikernel.workspace}
// CHECK-NOT: memref.alloc(
// CHECK: memref.view %[[WS]]
// CHECK: func.func @f$workspace(
// CHECK: arith.constant 20992 : i64
func.func @f(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>) -> tensor<64x32xf32> {
  %y = aikernel.matmul %x, %w : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %z = aikernel.matmul %y, %w : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  return %z : tensor<64x32xf32>
}
