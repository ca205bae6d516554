// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @rms_norm
func.func @rms_norm(%x: tensor<?x4096xbf16>, %g: tensor<4096xbf16>, %f: tensor<4096xf32>) -> tensor<?x4096xbf16> {
  // CHECK: aikernel.rms_norm %{{.*}}, %{{.*}} {eps = 9.99999974E-6 : f32} : (tensor<?x4096xbf16>, tensor<4096xbf16>) -> tensor<?x4096xbf16>
  %y = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x4096xbf16>, tensor<4096xbf16>) -> tensor<?x4096xbf16>
  // CHECK: aikernel.rms_norm %{{.*}}, %{{.*}} {eps = 0.000000e+00 : f32} : (tensor<?x4096xbf16>, tensor<4096xf32>) -> tensor<?x4096xbf16>
  %z = aikernel.rms_norm %y, %f {eps = 0.0 : f32} : (tensor<?x4096xbf16>, tensor<4096xf32>) -> tensor<?x4096xbf16>
  return %z : tensor<?x4096xbf16>
}

// CHECK-LABEL: @layer_norm
func.func @layer_norm(%x: tensor<2x?x512xf32>, %g: tensor<512xf32>, %b: tensor<512xf32>) -> tensor<2x?x512xf32> {
  // CHECK: aikernel.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {eps = 9.99999997E-7 : f32} : (tensor<2x?x512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<2x?x512xf32>
  %y = aikernel.layer_norm %x, %g, %b {eps = 1.0e-6 : f32} : (tensor<2x?x512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<2x?x512xf32>
  return %y : tensor<2x?x512xf32>
}

// CHECK-LABEL: @l2_norm
func.func @l2_norm(%x: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // CHECK: aikernel.l2_norm %{{[^ ]*}} {eps = 9.99999996E-13 : f32} : (tensor<?x128xf32>) -> tensor<?x128xf32>
  %y = aikernel.l2_norm %x {eps = 1.0e-12 : f32} : (tensor<?x128xf32>) -> tensor<?x128xf32>
  // CHECK: aikernel.l2_norm %{{[^ ]*}} {eps = 0.000000e+00 : f32} : (tensor<?x128xf32>) -> tensor<?x128xf32>
  %z = aikernel.l2_norm %y {eps = 0.0 : f32} : (tensor<?x128xf32>) -> tensor<?x128xf32>
  return %z : tensor<?x128xf32>
}

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<4x?x8xf32>) -> tensor<4x?x8xf32> {
  // CHECK: aikernel.softmax %{{.*}} {axis = 1 : i64} : (tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
  %y = aikernel.softmax %x {axis = 1 : i64} : (tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
  // CHECK: aikernel.softmax %{{[^ ]*}} : (tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
  %z = aikernel.softmax %y {axis = -1 : i64} : (tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
  return %z : tensor<4x?x8xf32>
}

// CHECK-LABEL: @l2_norm_example
func.func @l2_norm_example(%x: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // CHECK: aikernel.l2_norm %{{.*}} {eps = 9.99999996E-13 : f32} : (tensor<?x128xf32>) -> tensor<?x128xf32>
  %y = aikernel.l2_norm %x {eps = 1.0e-12 : f32} : (tensor<?x128xf32>) -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}
