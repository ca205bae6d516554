// RUN: aik-opt %s -aik-aikernel-to-linalg | FileCheck %s

// No op of the vocabulary is left, and what is not ours stays.

// CHECK-LABEL: func @block(
// CHECK-NOT: {{= aikernel\.}}
// CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<?x64xf32>
// CHECK-NOT: {{= aikernel\.}}
// CHECK: return
func.func @block(%x: tensor<?x64xf32>, %g: tensor<64xf32>, %w1: tensor<64x128xf32>, %w2: tensor<64x128xf32>, %w3: tensor<128x64xf32>) -> tensor<?x64xf32> {
  %n = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %gate = aikernel.matmul %n, %w1 : (tensor<?x64xf32>, tensor<64x128xf32>) -> tensor<?x128xf32>
  %up = aikernel.matmul %n, %w2 : (tensor<?x64xf32>, tensor<64x128xf32>) -> tensor<?x128xf32>
  %h = aikernel.swiglu %gate, %up : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
  %y = aikernel.matmul %h, %w3 : (tensor<?x128xf32>, tensor<128x64xf32>) -> tensor<?x64xf32>
  %r = arith.addf %x, %y : tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// Attention leaves its internal form, for tiling.
// CHECK-LABEL: func @attention(
// CHECK-NOT: aikernel.attention
// CHECK: aikernel.online_attention
// CHECK-NOT: {{= aikernel\.}}
// CHECK: return
func.func @attention(%q: tensor<1x2x8x16xf32>, %k: tensor<1x2x8x16xf32>, %v: tensor<1x2x8x16xf32>) -> tensor<1x2x8x16xf32> {
  %o = aikernel.attention %q, %k, %v : (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>) -> tensor<1x2x8x16xf32>
  return %o : tensor<1x2x8x16xf32>
}
