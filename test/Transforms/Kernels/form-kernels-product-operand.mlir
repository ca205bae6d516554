// An op that makes the operand of a product is a kernel of its own, and so is
// the first of two products: computing it per tile would repeat it.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

// CHECK-LABEL: func.func private @f$kernel0(
// CHECK: linalg.exp
// CHECK-SAME: aikernel.root
// CHECK-LABEL: func.func private @f$kernel1(
// CHECK-NOT: linalg.exp
// CHECK-COUNT-1: linalg.matmul
// CHECK-LABEL: func.func private @f$kernel2(
// CHECK-COUNT-1: linalg.matmul
// CHECK-LABEL: func.func @f(
// CHECK: %[[X:.*]] = call @f$kernel0
// CHECK: %[[P:.*]] = call @f$kernel1({{.*}}%[[X]]
// CHECK: call @f$kernel2(%[[P]]
func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %acc: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %x = linalg.exp ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%b, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%acc : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%p, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%acc : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %q : tensor<8x8xf32>
}
