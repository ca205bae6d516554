// RUN: aik-opt %s -aik-aikernel-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func @quantize(
// CHECK-SAME: %[[X:.*]]: tensor<?x512xbf16>
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x288xi8>
// CHECK: aikernel.reference_call "quantize" ins(%[[X]] : tensor<?x512xbf16>) outs(%[[E]] : tensor<?x288xi8>) {params = array<f64: 1.200000e+01, 0.000000e+00>}
func.func @quantize(%x: tensor<?x512xbf16>) -> tensor<?x288xi8> {
  %q = aikernel.quantize %x {format = #aikernel.quant<q4_k>} : (tensor<?x512xbf16>) -> tensor<?x288xi8>
  return %q : tensor<?x288xi8>
}

// CHECK-LABEL: func @grouped(
// CHECK: aikernel.reference_call "quantize" ins(%{{.*}} : tensor<4x64xf32>) outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x32xi8>, tensor<4x2xf16>, tensor<4x2xi8>) {params = array<f64: 1.040000e+02, 3.200000e+01>}
func.func @grouped(%x: tensor<4x64xf32>) -> (tensor<4x32xi8>, tensor<4x2xf16>, tensor<4x2xi8>) {
  %q, %s, %z = aikernel.quantize %x {format = #aikernel.quant<i4, group = 32>} : (tensor<4x64xf32>) -> (tensor<4x32xi8>, tensor<4x2xf16>, tensor<4x2xi8>)
  return %q, %s, %z : tensor<4x32xi8>, tensor<4x2xf16>, tensor<4x2xi8>
}
