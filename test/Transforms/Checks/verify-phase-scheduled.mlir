// After the schedule there are neither tensors nor linalg.
// RUN: aik-opt %s --aik-verify-phase=phase=scheduled --split-input-file --verify-diagnostics

func.func @tensor(%m: memref<4xf32>) {
  // expected-error @+1 {{AIK-E0009: the phase 'scheduled' ended with this operation: a tensor was not bufferized}}
  %t = arith.constant dense<0.0> : tensor<4xf32>
  return
}

// -----

func.func @linalg(%m: memref<4xf32>, %v: f32) {
  // expected-error @+1 {{AIK-E0009: the phase 'scheduled' ended with this operation: the dialect 'linalg' may not remain}}
  linalg.fill ins(%v : f32) outs(%m : memref<4xf32>)
  return
}
