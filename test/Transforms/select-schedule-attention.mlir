// Attention works on 32 queries of one head of one batch, 64 keys at a time.
// RUN: aik-opt %s --aik-select-schedule | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: @attention
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [1, 1, 64, 0], inner = 120>
  func.func private @attention(%q: tensor<1x2x100x16xf32>, %k: tensor<1x2x200x16xf32>, %v: tensor<1x2x200x16xf32>, %scale: f32, %acc: tensor<1x2x100x16xf32>, %max: tensor<1x2x100xf32>, %sum: tensor<1x2x100xf32>) -> tensor<1x2x100x16xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {aikernel.root = array<i64: 0, 1, 2>} : (tensor<1x2x100x16xf32>, tensor<1x2x200x16xf32>, tensor<1x2x200x16xf32>, f32, index, index, index, tensor<1x2x100x16xf32>, tensor<1x2x100xf32>, tensor<1x2x100xf32>) -> (tensor<1x2x100x16xf32>, tensor<1x2x100xf32>, tensor<1x2x100xf32>)
    return %r#0 : tensor<1x2x100x16xf32>
  }
}
