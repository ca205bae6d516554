// A product that is needed outside stays a kernel of its own: tiles of a later
// op would each hold only part of it.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

// CHECK-LABEL: func.func private @f$kernel0(
// CHECK: linalg.matmul
// CHECK-SAME: aikernel.root
// CHECK-LABEL: func.func private @f$kernel1(
// CHECK-NOT: linalg.matmul
// CHECK: linalg.exp
// CHECK-SAME: aikernel.root
// CHECK-LABEL: func.func @f(
// CHECK: %[[P:.*]] = call @f$kernel0
// CHECK: %[[E:.*]] = call @f$kernel1(%[[P]]
// CHECK: return %[[P]], %[[E]]
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %acc: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %e = tensor.empty() : tensor<4x16xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%acc : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.exp ins(%p : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %p, %y : tensor<4x16xf32>, tensor<4x16xf32>
}
