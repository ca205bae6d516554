// RUN: aik-opt %s --aik-lower-reference-calls --split-input-file --verify-diagnostics

func.func @on_tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'aikernel.reference_call' op is on tensors but must be bufferized first}}
  %0 = aikernel.reference_call "relu" ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {params = array<f64>} -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unknown_type(%x: memref<4xi4>, %y: memref<4xf32>) {
  // expected-error @+1 {{op has an operand of type 'memref<4xi4>' but no reference takes that}}
  aikernel.reference_call "relu" ins(%x : memref<4xi4>) outs(%y : memref<4xf32>) {params = array<f64>}
  return
}
