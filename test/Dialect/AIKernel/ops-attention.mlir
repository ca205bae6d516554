// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @everything
func.func @everything(%q: tensor<2x?x8x64xbf16>, %k: tensor<2x?x2x64xbf16>, %v: tensor<2x?x2x64xbf16>, %m: tensor<1x1x?x?xf32>, %n: tensor<2xi32>, %s: tensor<8xf32>) -> tensor<2x?x8x64xbf16> {
  // CHECK: aikernel.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} kv_len %{{.*}} sinks %{{.*}} {causal, layout = #aikernel.layout_kind<bshd>, scale = 1.250000e-01 : f32, softcap = 3.000000e+01 : f32, window = 64 : i64} : (tensor<2x?x8x64xbf16>, tensor<2x?x2x64xbf16>, tensor<2x?x2x64xbf16>, tensor<1x1x?x?xf32>, tensor<2xi32>, tensor<8xf32>) -> tensor<2x?x8x64xbf16>
  %o = aikernel.attention %q, %k, %v mask %m kv_len %n sinks %s {causal, layout = #aikernel.layout_kind<bshd>, scale = 0.125 : f32, softcap = 3.0e1 : f32, window = 64 : i64} : (tensor<2x?x8x64xbf16>, tensor<2x?x2x64xbf16>, tensor<2x?x2x64xbf16>, tensor<1x1x?x?xf32>, tensor<2xi32>, tensor<8xf32>) -> tensor<2x?x8x64xbf16>
  return %o : tensor<2x?x8x64xbf16>
}

// CHECK-LABEL: @with_lse
func.func @with_lse(%q2: tensor<1x8x?x64xf32>, %k2: tensor<1x8x?x64xf32>, %v2: tensor<1x8x?x64xf32>) -> (tensor<1x8x?x64xf32>, tensor<1x8x?xf32>) {
  // CHECK: %{{.*}}, %{{.*}} = aikernel.attention %{{.*}}, %{{.*}}, %{{.*}} {causal} : (tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>) -> (tensor<1x8x?x64xf32>, tensor<1x8x?xf32>)
  %o2, %lse = aikernel.attention %q2, %k2, %v2 {causal} : (tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>) -> (tensor<1x8x?x64xf32>, tensor<1x8x?xf32>)
  return %o2, %lse : tensor<1x8x?x64xf32>, tensor<1x8x?xf32>
}

// Optional operands are told apart without the others; Dv may differ from D.
// CHECK-LABEL: @some
func.func @some(%q: tensor<?x4x3x16xf32>, %k: tensor<?x1x5x16xf32>, %v: tensor<?x1x5x8xf32>, %m: tensor<3x5xf32>, %n: tensor<?xi32>, %s: tensor<4xf32>) -> tensor<?x4x3x8xf32> {
  // CHECK: aikernel.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{[^ ]*}} : (
  %0 = aikernel.attention %q, %k, %v mask %m : (tensor<?x4x3x16xf32>, tensor<?x1x5x16xf32>, tensor<?x1x5x8xf32>, tensor<3x5xf32>) -> tensor<?x4x3x8xf32>
  // CHECK: aikernel.attention %{{.*}}, %{{.*}}, %{{.*}} kv_len %{{[^ ]*}} : (
  %1 = aikernel.attention %q, %k, %v kv_len %n : (tensor<?x4x3x16xf32>, tensor<?x1x5x16xf32>, tensor<?x1x5x8xf32>, tensor<?xi32>) -> tensor<?x4x3x8xf32>
  // CHECK: aikernel.attention %{{.*}}, %{{.*}}, %{{.*}} sinks %{{[^ ]*}} : (
  %2 = aikernel.attention %q, %k, %v sinks %s : (tensor<?x4x3x16xf32>, tensor<?x1x5x16xf32>, tensor<?x1x5x8xf32>, tensor<4xf32>) -> tensor<?x4x3x8xf32>
  return %2 : tensor<?x4x3x8xf32>
}

// A mask of size 1 says nothing of how many heads there are.
// CHECK-LABEL: @one_mask
func.func @one_mask(%q: tensor<1x?x3x8xf32>, %k: tensor<1x2x5x8xf32>, %m: tensor<1x1x1x5xf32>) -> tensor<1x?x3x8xf32> {
  // CHECK: aikernel.attention
  %0 = aikernel.attention %q, %k, %k mask %m : (tensor<1x?x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x1x1x5xf32>) -> tensor<1x?x3x8xf32>
  return %0 : tensor<1x?x3x8xf32>
}
