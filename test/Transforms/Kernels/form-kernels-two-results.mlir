// What a group computes and others need too becomes a further result of the
// kernel, with a destination of its own: a sum that is both normed and kept.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

// CHECK-LABEL: func.func private @f$kernel0(
// CHECK-SAME: -> (tensor<8xf32>, tensor<8xf32>)
// CHECK: %[[SUM:.*]] = linalg.add
// CHECK: %[[EXP:.*]] = linalg.exp
// CHECK-SAME: aikernel.root
// CHECK: return %[[SUM]], %[[EXP]]
// CHECK-LABEL: func.func @f(
// CHECK-DAG: %[[E0:.*]] = tensor.empty
// CHECK-DAG: %[[E1:.*]] = tensor.empty
// CHECK: %[[R:.*]]:2 = call @f$kernel0({{.*}}%[[E0]], %[[E1]])
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %sum = linalg.add ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %exp = linalg.exp ins(%sum : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %sum, %exp : tensor<8xf32>, tensor<8xf32>
}
