// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case0(%ok: i1) {
  // expected-error @+1 {{'aikernel.check' op attribute 'code' is 0 but an error number is positive}}
  aikernel.check %ok, 0, "wrong"
  return
}

// -----

func.func @case1(%ok: i1) {
  // expected-error @+1 {{op attribute 'code' is -22 but an error number is positive}}
  aikernel.check %ok, -22, "wrong"
  return
}

// -----

func.func @case2(%ok: i1) {
  // expected-error @+1 {{op attribute 'message' is empty but must say what is wrong}}
  aikernel.check %ok, 22, ""
  return
}

// -----

func.func @no_name(%m: memref<4xf32>) {
  // expected-error @+1 {{'aikernel.reference_call' op attribute 'callee' is empty but must name a reference}}
  aikernel.reference_call "" ins(%m : memref<4xf32>) outs(%m : memref<4xf32>) {params = array<f64>}
  return
}

// -----

func.func @presence(%m: memref<4xf32>) {
  // expected-error @+1 {{op has 1 inputs but attribute 'present' tells of 2}}
  aikernel.reference_call "relu" ins(%m : memref<4xf32>) outs(%m : memref<4xf32>) {params = array<f64>, present = array<i1: true, true>}
  return
}

// -----

func.func @mixed(%t: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error @+1 {{op operand 0 has type 'tensor<4xf32>' but must be a ranked memref}}
  aikernel.reference_call "relu" ins(%t : tensor<4xf32>) outs(%m : memref<4xf32>) {params = array<f64>}
  return
}

// -----

func.func @rank(%m: memref<1x1x1x1x1x1x1x1x4xf32>) {
  // expected-error @+1 {{op operand 0 has rank 9 but the largest rank is 8}}
  aikernel.reference_call "relu" ins(%m : memref<1x1x1x1x1x1x1x1x4xf32>) outs(%m : memref<1x1x1x1x1x1x1x1x4xf32>) {params = array<f64>}
  return
}
