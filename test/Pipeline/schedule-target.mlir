// Each nested module goes through the schedule of its own target: loops on
// buffers with vectors of that target. @reference becomes calls of the scalar
// references.
// RUN: aik-opt %s --pass-pipeline='builtin.module(builtin.module(aik-schedule-target))' | FileCheck %s

#wide = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f", vector_bits = 512>
#narrow = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>
#id = affine_map<(d0) -> (d0)>

module {
  // CHECK-LABEL: module @target0
  // CHECK: func.func @f(
  // CHECK-SAME: memref<100000xf32>
  // CHECK-NOT: tensor<
  // CHECK: scf.forall
  // CHECK: arith.negf {{.*}} : vector<32xf32>
  module @target0 attributes {aikernel.target = #wide} {
    func.func private @f$kernel0(%x: tensor<100000xf32>, %e: tensor<100000xf32>) -> tensor<100000xf32> attributes {aikernel.kernel} {
      %y = linalg.negf {aikernel.root = array<i64: 0>} ins(%x : tensor<100000xf32>) outs(%e : tensor<100000xf32>) -> tensor<100000xf32>
      return %y : tensor<100000xf32>
    }
    func.func @f(%x: tensor<100000xf32>) -> tensor<100000xf32> attributes {aikernel.entry = "run"} {
      %e = tensor.empty() : tensor<100000xf32>
      %y = call @f$kernel0(%x, %e) : (tensor<100000xf32>, tensor<100000xf32>) -> tensor<100000xf32>
      return %y : tensor<100000xf32>
    }
  }
  // CHECK-LABEL: module @target1
  // CHECK: scf.forall
  // CHECK: arith.negf {{.*}} : vector<8xf32>
  module @target1 attributes {aikernel.target = #narrow} {
    func.func private @f$kernel0(%x: tensor<100000xf32>, %e: tensor<100000xf32>) -> tensor<100000xf32> attributes {aikernel.kernel} {
      %y = linalg.negf {aikernel.root = array<i64: 0>} ins(%x : tensor<100000xf32>) outs(%e : tensor<100000xf32>) -> tensor<100000xf32>
      return %y : tensor<100000xf32>
    }
    func.func @f(%x: tensor<100000xf32>) -> tensor<100000xf32> attributes {aikernel.entry = "run"} {
      %e = tensor.empty() : tensor<100000xf32>
      %y = call @f$kernel0(%x, %e) : (tensor<100000xf32>, tensor<100000xf32>) -> tensor<100000xf32>
      return %y : tensor<100000xf32>
    }
  }
  // CHECK-LABEL: module @reference
  // CHECK: aikernel.reference_call "relu"
  // CHECK-NOT: scf.forall
  module @reference {
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> attributes {aikernel.entry = "run"} {
      %y = aikernel.relu %x : (tensor<8xf32>) -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
  }
}
