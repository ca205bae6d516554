// RUN: aik-opt %s --aik-aikernel-to-reference --split-input-file | FileCheck %s

// Sizes of results come from operands; numbers come in the order of the
// reference.
// CHECK-LABEL: @rms_norm
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf32>, %[[G:[^:]*]]: tensor<64xf32>
func.func @rms_norm(%x: tensor<?x64xf32>, %g: tensor<64xf32>) -> tensor<?x64xf32> {
  // CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
  // CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x64xf32>
  // CHECK: %[[Y:.*]] = aikernel.reference_call "rms_norm" ins(%[[X]], %[[G]] : tensor<?x64xf32>, tensor<64xf32>) outs(%[[E]] : tensor<?x64xf32>) {params = array<f64: 5.000000e-01>} -> tensor<?x64xf32>
  // CHECK: return %[[Y]]
  %0 = aikernel.rms_norm %x, %g {eps = 0.5 : f32} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: @linear_family
func.func @linear_family(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %bias: tensor<4xf32>) -> tensor<4x4xf32> {
  // CHECK: "matmul" ins({{.*}}) outs({{.*}}) {params = array<f64: 1.000000e+00, 0.000000e+00>}
  %0 = aikernel.matmul %a, %b {transpose_a} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  // CHECK: "linear" ins(%{{[^,]*}}, %{{[^,]*}} : {{.*}}) outs({{.*}}) {params = array<f64: 4.000000e+00, 1.000000e+00>, present = array<i1: true, true, false>}
  %1 = aikernel.linear %a, %b {activation = #aikernel.activation<silu>, transpose_b} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  // CHECK: "linear" ins(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} : {{.*}}) outs({{.*}}) {params = array<f64: 2.000000e+00, 1.000000e+00>} ->
  %2 = aikernel.linear %a, %b bias %bias {activation = #aikernel.activation<gelu>, transpose_b} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @elementwise_family
func.func @elementwise_family(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: "relu" {{.*}} {params = array<f64>}
  %0 = aikernel.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "gelu" {{.*}} {params = array<f64: 1.000000e+00>}
  %1 = aikernel.gelu %0 {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "silu" {{.*}} {params = array<f64>}
  %2 = aikernel.silu %1 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "sigmoid" {{.*}} {params = array<f64>}
  %3 = aikernel.sigmoid %2 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "tanh" {{.*}} {params = array<f64>}
  %4 = aikernel.tanh %3 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "swiglu" {{.*}} {params = array<f64>}
  %5 = aikernel.swiglu %4, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "geglu" {{.*}} {params = array<f64: 0.000000e+00>}
  %6 = aikernel.geglu %5, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %6 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @norm_family
func.func @norm_family(%x: tensor<2x4xf32>, %g: tensor<4xf32>) -> tensor<2x4xf32> {
  // CHECK: "layer_norm" {{.*}} {params = array<f64: 2.500000e-01>}
  %0 = aikernel.layer_norm %x, %g, %g {eps = 0.25 : f32} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // CHECK: "softmax" {{.*}} {params = array<f64: 1.000000e+00>}
  %1 = aikernel.softmax %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "softmax" {{.*}} {params = array<f64: 0.000000e+00>}
  %2 = aikernel.softmax %1 {axis = 0 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// Scale, causal, window, softcap, layout; a scale that depends on a dynamic D
// is asked of the reference with NaN.
// CHECK-LABEL: @attention
func.func @attention(%q: tensor<1x2x3x16xf32>, %d: tensor<1x3x2x?xf32>, %n: tensor<1xi32>) -> (tensor<1x2x3x16xf32>, tensor<1x2x3xf32>) {
  // CHECK: %{{.*}}:2 = aikernel.reference_call "attention" ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<1x2x3x16xf32>, tensor<1x2x3xf32>) {params = array<f64: 2.500000e-01, 1.000000e+00, 2.000000e+00, 3.000000e+01, 0.000000e+00>, present = array<i1: true, true, true, false, true, false>} -> tensor<1x2x3x16xf32>, tensor<1x2x3xf32>
  %o, %lse = aikernel.attention %q, %q, %q kv_len %n {causal, window = 2 : i64, softcap = 30.0 : f32} : (tensor<1x2x3x16xf32>, tensor<1x2x3x16xf32>, tensor<1x2x3x16xf32>, tensor<1xi32>) -> (tensor<1x2x3x16xf32>, tensor<1x2x3xf32>)
  // CHECK: "attention" {{.*}} {params = array<f64: 0x7FF8000000000000, 0.000000e+00, 0.000000e+00, 0.000000e+00, 1.000000e+00>
  %p = aikernel.attention %d, %d, %d {layout = #aikernel.layout_kind<bshd>} : (tensor<1x3x2x?xf32>, tensor<1x3x2x?xf32>, tensor<1x3x2x?xf32>) -> tensor<1x3x2x?xf32>
  return %o, %lse : tensor<1x2x3x16xf32>, tensor<1x2x3xf32>
}

// -----

// Base, dim, style, layout, kind of scaling and five constants.
// CHECK-LABEL: @position_family
func.func @position_family(%x: tensor<1x2x3x16xf32>, %pos: tensor<1x2xi32>, %c: tensor<1x8x3x16xf32>, %p: tensor<1xi32>) -> tensor<1x8x3x16xf32> {
  // CHECK: "rope" {{.*}} {params = array<f64: 1.000000e+04, 1.600000e+01, 1.000000e+00, 1.000000e+00, 2.000000e+00, 8.000000e+00, 1.000000e+00, 4.000000e+00, 8.192000e+03, 0.000000e+00>}
  %0 = aikernel.rope %x, %pos {base = 1.0e4 : f32, style = #aikernel.rope_style<interleaved>, layout = #aikernel.layout_kind<bshd>, scaling = #aikernel.rope_scaling<llama3, 8.0, 1.0, 4.0, 8192.0>} : (tensor<1x2x3x16xf32>, tensor<1x2xi32>) -> tensor<1x2x3x16xf32>
  // CHECK: "rope" {{.*}} {params = array<f64: 1.000000e+04, 8.000000e+00, 0.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00>}
  %1 = aikernel.rope %0, %pos {base = 1.0e4 : f32, dim = 8 : i64, layout = #aikernel.layout_kind<bshd>} : (tensor<1x2x3x16xf32>, tensor<1x2xi32>) -> tensor<1x2x3x16xf32>
  // CHECK: "kv_append" {{.*}} {params = array<f64: 1.000000e+00>}
  %2 = aikernel.kv_append %c, %1, %p {layout = #aikernel.layout_kind<bshd>} : (tensor<1x8x3x16xf32>, tensor<1x2x3x16xf32>, tensor<1xi32>) -> tensor<1x8x3x16xf32>
  return %2 : tensor<1x8x3x16xf32>
}
