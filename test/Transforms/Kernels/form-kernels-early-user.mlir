// A kernel is called where its root stands. What another op needs before that
// place cannot come out of it, so it keeps a kernel of its own.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

// CHECK-LABEL: func.func private @f$kernel0(
// CHECK: linalg.exp
// CHECK-SAME: aikernel.root
// CHECK-NOT: linalg.add
// CHECK-LABEL: func.func private @f$kernel1(
// CHECK-NOT: linalg.exp
// CHECK: linalg.add
// CHECK-LABEL: func.func @f(
// CHECK: %[[EXP:.*]] = call @f$kernel0
// CHECK: %[[REVERSED:.*]] = tensor.insert_slice %[[EXP]]
// CHECK: call @f$kernel1(%[[EXP]], %[[REVERSED]]
func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e0 = tensor.empty() : tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %exp = linalg.exp ins(%a : tensor<8xf32>) outs(%e0 : tensor<8xf32>) -> tensor<8xf32>
  %other = tensor.insert_slice %exp into %b[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
  %y = linalg.add ins(%exp, %other : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
