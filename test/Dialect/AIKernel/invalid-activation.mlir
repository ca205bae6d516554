// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case0(%x: tensor<4xf32>) {
  // expected-error @+1 {{'aikernel.relu' op the result has type 'tensor<4xf16>' but operand 'x' has type 'tensor<4xf32>'}}
  %0 = aikernel.relu %x : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @case1(%x: tensor<4xf32>) {
  // expected-error @+1 {{op the result has type 'tensor<5xf32>' but operand 'x' has type 'tensor<4xf32>'}}
  %0 = aikernel.gelu %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @case2(%x: tensor<4xi32>) {
  // expected-error @+1 {{op operand 'x' has element type 'i32' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.silu %x : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @case3(%x: tensor<4xf8E5M2>) {
  // expected-error @+1 {{op operand 'x' has element type 'f8E5M2' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.sigmoid %x : (tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  return
}

// -----

func.func @case4(%x: tensor<1x1x1x1x1x1x1x1x4xf32>) {
  // expected-error @+1 {{op operand 'x' has rank 9 but the largest rank is 8}}
  %0 = aikernel.tanh %x : (tensor<1x1x1x1x1x1x1x1x4xf32>) -> tensor<1x1x1x1x1x1x1x1x4xf32>
  return
}

// -----

func.func @case5(%x: tensor<4xf32>) {
  // expected-error @+1 {{op the result has type 'tensor<?xf32>' but operand 'x' has type 'tensor<4xf32>'}}
  %0 = aikernel.tanh %x : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @case6(%g: tensor<4xf32>, %u: tensor<5xf32>) {
  // expected-error @+1 {{'aikernel.swiglu' op operand 'up' has size 5 in dimension 0 (d0) but operand 'gate' has size 4 in dimension 0 (d0)}}
  %0 = aikernel.swiglu %g, %u : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @case7(%g: tensor<4xf32>, %u: tensor<4xf16>) {
  // expected-error @+1 {{op operand 'up' has element type 'f16' but operand 'gate' has 'f32'}}
  %0 = aikernel.swiglu %g, %u : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @case8(%g: tensor<4xf32>, %u: tensor<1x4xf32>) {
  // expected-error @+1 {{op operand 'up' has rank 2 but must have rank 1}}
  %0 = aikernel.geglu %g, %u : (tensor<4xf32>, tensor<1x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @case9(%g: tensor<4xf32>, %u: tensor<4xf32>) {
  // expected-error @+1 {{op the result has type 'tensor<4xf16>' but operand 'gate' has type 'tensor<4xf32>'}}
  %0 = aikernel.geglu %g, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @case10(%g: tensor<4xi8>, %u: tensor<4xi8>) {
  // expected-error @+1 {{op operand 'gate' has element type 'i8' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.geglu %g, %u : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return
}
