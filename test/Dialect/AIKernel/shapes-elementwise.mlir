// RUN: aik-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s

// A chain of ops that keep shapes has the shape of its start.
// CHECK-LABEL: @chain
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x64xf32>
func.func @chain(%x: tensor<?x64xf32>, %g: tensor<64xf32>) -> index {
  %c0 = arith.constant 0 : index
  %0 = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %1 = aikernel.layer_norm %0, %g, %g {eps = 1.0e-5 : f32} : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %2 = aikernel.softmax %1 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %3 = aikernel.relu %2 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %4 = aikernel.gelu %3 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %5 = aikernel.silu %4 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %6 = aikernel.sigmoid %5 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %7 = aikernel.tanh %6 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %8 = aikernel.swiglu %7, %x : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %9 = aikernel.geglu %8, %x : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  // CHECK-NOT: aikernel
  // CHECK: %[[D:.*]] = tensor.dim %[[X]], %c0
  // CHECK: return %[[D]]
  %d = tensor.dim %9, %c0 : tensor<?x64xf32>
  return %d : index
}
