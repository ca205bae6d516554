// RUN: aik-opt %s --canonicalize | FileCheck %s

!q = tensor<1x4x3x64xf32>
!k = tensor<1x4x5x64xf32>

// CHECK-LABEL: @default_scale
func.func @default_scale(%q: !q, %k: !k, %v: !k) -> !q {
  // CHECK: aikernel.attention %{{.*}}, %{{.*}}, %{{[^ ]*}} : (
  %o = aikernel.attention %q, %k, %v {scale = 0.125 : f32} : (!q, !k, !k) -> !q
  return %o : !q
}

// 1 / sqrt(48) has no f32, so what is written is kept.
// CHECK-LABEL: @rounded_scale
func.func @rounded_scale(%q: tensor<1x4x3x48xf32>) -> tensor<1x4x3x48xf32> {
  // CHECK: scale = 0.144337565 : f32
  %o = aikernel.attention %q, %q, %q {scale = 0.144337567 : f32} : (tensor<1x4x3x48xf32>, tensor<1x4x3x48xf32>, tensor<1x4x3x48xf32>) -> tensor<1x4x3x48xf32>
  return %o : tensor<1x4x3x48xf32>
}

// CHECK-LABEL: @dynamic_scale
func.func @dynamic_scale(%q: tensor<1x4x3x?xf32>) -> tensor<1x4x3x?xf32> {
  // CHECK: scale = 1.250000e-01 : f32
  %o = aikernel.attention %q, %q, %q {scale = 0.125 : f32} : (tensor<1x4x3x?xf32>, tensor<1x4x3x?xf32>, tensor<1x4x3x?xf32>) -> tensor<1x4x3x?xf32>
  return %o : tensor<1x4x3x?xf32>
}

// CHECK-LABEL: @one_query
func.func @one_query(%q: tensor<1x1x4x64xf32>, %k: tensor<1x?x4x64xf32>, %n: tensor<1xi32>) -> tensor<1x1x4x64xf32> {
  // CHECK: aikernel.attention %{{.*}}, %{{.*}}, %{{.*}} kv_len %{{.*}} {layout = #aikernel.layout_kind<bshd>} :
  %o = aikernel.attention %q, %k, %k kv_len %n {causal, layout = #aikernel.layout_kind<bshd>} : (tensor<1x1x4x64xf32>, tensor<1x?x4x64xf32>, tensor<1x?x4x64xf32>, tensor<1xi32>) -> tensor<1x1x4x64xf32>
  return %o : tensor<1x1x4x64xf32>
}

// CHECK-LABEL: @one_query_with_window
func.func @one_query_with_window(%q: tensor<1x4x1x64xf32>, %k: tensor<1x4x?x64xf32>) -> tensor<1x4x1x64xf32> {
  // CHECK: {causal, window = 4 : i64}
  %o = aikernel.attention %q, %k, %k {causal, window = 4 : i64} : (tensor<1x4x1x64xf32>, tensor<1x4x?x64xf32>, tensor<1x4x?x64xf32>) -> tensor<1x4x1x64xf32>
  return %o : tensor<1x4x1x64xf32>
}

// CHECK-LABEL: @nothing_masked
func.func @nothing_masked(%q: !q, %k: !k, %v: !k) -> !q {
  // CHECK-NEXT: aikernel.attention %{{.*}}, %{{.*}}, %{{[^ ]*}} : (
  %m = arith.constant dense<0.0> : tensor<3x5xf32>
  %n = arith.constant dense<5> : tensor<1xi32>
  %o = aikernel.attention %q, %k, %v mask %m kv_len %n : (!q, !k, !k, tensor<3x5xf32>, tensor<1xi32>) -> !q
  return %o : !q
}

// CHECK-LABEL: @something_masked
func.func @something_masked(%q: !q, %k: !k, %v: !k) -> !q {
  // CHECK: mask %{{.*}} kv_len
  %m = arith.constant dense<-1.0> : tensor<3x5xf32>
  %n = arith.constant dense<4> : tensor<1xi32>
  %o = aikernel.attention %q, %k, %v mask %m kv_len %n : (!q, !k, !k, tensor<3x5xf32>, tensor<1xi32>) -> !q
  return %o : !q
}
