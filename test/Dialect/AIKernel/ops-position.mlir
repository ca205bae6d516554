// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @rope
func.func @rope(%x: tensor<1x?x8x128xf16>, %pos: tensor<1x?xi32>) -> tensor<1x?x8x128xf16> {
  // CHECK: aikernel.rope %{{.*}}, %{{.*}} {base = 1.000000e+04 : f32, dim = 64 : i64, layout = #aikernel.layout_kind<bshd>, scaling = #aikernel.rope_scaling<llama3, 8.000000e+00, 1.000000e+00, 4.000000e+00, 8.192000e+03>, style = #aikernel.rope_style<interleaved>} : (tensor<1x?x8x128xf16>, tensor<1x?xi32>) -> tensor<1x?x8x128xf16>
  %y = aikernel.rope %x, %pos {base = 1.0e4 : f32, dim = 64 : i64, layout = #aikernel.layout_kind<bshd>, scaling = #aikernel.rope_scaling<llama3, 8.0, 1.0, 4.0, 8192.0>, style = #aikernel.rope_style<interleaved>} : (tensor<1x?x8x128xf16>, tensor<1x?xi32>) -> tensor<1x?x8x128xf16>
  return %y : tensor<1x?x8x128xf16>
}

// CHECK-LABEL: @rope_scalings
func.func @rope_scalings(%x: tensor<1x8x5x128xf32>, %pos: tensor<1x5xi32>) -> tensor<1x8x5x128xf32> {
  // CHECK: aikernel.rope %{{.*}}, %{{.*}} {base = 1.000000e+04 : f32} :
  %0 = aikernel.rope %x, %pos {base = 1.0e4 : f32, style = #aikernel.rope_style<half>} : (tensor<1x8x5x128xf32>, tensor<1x5xi32>) -> tensor<1x8x5x128xf32>
  // CHECK: scaling = #aikernel.rope_scaling<none>
  %1 = aikernel.rope %0, %pos {base = 1.0e4 : f32, scaling = #aikernel.rope_scaling<none>} : (tensor<1x8x5x128xf32>, tensor<1x5xi32>) -> tensor<1x8x5x128xf32>
  // CHECK: scaling = #aikernel.rope_scaling<linear, 4.000000e+00>
  %2 = aikernel.rope %1, %pos {base = 1.0e4 : f32, scaling = #aikernel.rope_scaling<linear, 4.0>} : (tensor<1x8x5x128xf32>, tensor<1x5xi32>) -> tensor<1x8x5x128xf32>
  // CHECK: scaling = #aikernel.rope_scaling<yarn, 4.000000e+00, 4.096000e+03, 3.200000e+01, 1.000000e+00, 1.1386294361119891>
  %3 = aikernel.rope %2, %pos {base = 1.0e4 : f32, scaling = #aikernel.rope_scaling<yarn, 4.0, 4096.0, 32.0, 1.0, 1.1386294361119891>} : (tensor<1x8x5x128xf32>, tensor<1x5xi32>) -> tensor<1x8x5x128xf32>
  return %3 : tensor<1x8x5x128xf32>
}

// CHECK-LABEL: @kv_append
func.func @kv_append(%cache: tensor<2x1024x8x64xf16>, %new: tensor<2x?x8x64xf16>, %pos: tensor<2xi32>) -> tensor<2x1024x8x64xf16> {
  // CHECK: aikernel.kv_append %{{.*}}, %{{.*}}, %{{.*}} {layout = #aikernel.layout_kind<bshd>} : (tensor<2x1024x8x64xf16>, tensor<2x?x8x64xf16>, tensor<2xi32>) -> tensor<2x1024x8x64xf16>
  %c = aikernel.kv_append %cache, %new, %pos {layout = #aikernel.layout_kind<bshd>} : (tensor<2x1024x8x64xf16>, tensor<2x?x8x64xf16>, tensor<2xi32>) -> tensor<2x1024x8x64xf16>
  return %c : tensor<2x1024x8x64xf16>
}

// CHECK-LABEL: @kv_append_bhsd
func.func @kv_append_bhsd(%cache: tensor<?x8x?x64xf32>, %new: tensor<?x8x1x64xf32>, %pos: tensor<?xi32>) -> tensor<?x8x?x64xf32> {
  // CHECK: aikernel.kv_append %{{.*}}, %{{.*}}, %{{[^ ]*}} : (tensor<?x8x?x64xf32>
  %c = aikernel.kv_append %cache, %new, %pos : (tensor<?x8x?x64xf32>, tensor<?x8x1x64xf32>, tensor<?xi32>) -> tensor<?x8x?x64xf32>
  return %c : tensor<?x8x?x64xf32>
}
