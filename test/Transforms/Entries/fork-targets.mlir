// All functions are copied into one module per target, in the targets' order;
// @reference and the list of functions stay where they are.
// RUN: aik-opt %s --aik-fork-targets | FileCheck %s

#v3 = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>
#arm = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>

// CHECK: module attributes {aikernel.functions = [],
// CHECK-NOT: func.func
// CHECK: module @reference
// CHECK: func.func @f(
// CHECK: module @target0 attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3"
// CHECK: func.func @f(
// CHECK: func.func private @f$kernel0(
// CHECK: module @target1 attributes {aikernel.target = #aikernel.target<"cpu:aarch64"
// CHECK: func.func @f(
// CHECK: func.func private @f$kernel0(
// CHECK-NOT: func.func
module attributes {aikernel.functions = [], aikernel.targets = [#v3, #arm]} {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = call @f$kernel0(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func private @f$kernel0(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  module @reference {
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }
  }
}
