// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case0(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{'aikernel.softmax' op attribute 'axis' is 2 but operand 'x' has rank 2}}
  %0 = aikernel.softmax %x {axis = 2 : i64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @case1(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{op attribute 'axis' is -3 but operand 'x' has rank 2}}
  %0 = aikernel.softmax %x {axis = -3 : i64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @case2(%x: tensor<f32>) {
  // expected-error @+1 {{op operand 'x' has rank 0 but must have rank 1 to 8}}
  %0 = aikernel.softmax %x {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @case3(%x: tensor<3x4xi64>) {
  // expected-error @+1 {{op operand 'x' has element type 'i64' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.softmax %x {axis = 0 : i64} : (tensor<3x4xi64>) -> tensor<3x4xi64>
  return
}

// -----

func.func @case4(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{op the result has type 'tensor<3x5xf32>' but operand 'x' has type 'tensor<3x4xf32>'}}
  %0 = aikernel.softmax %x {axis = 0 : i64} : (tensor<3x4xf32>) -> tensor<3x5xf32>
  return
}
