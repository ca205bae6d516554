// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case0(%a: tensor<8x32xf32>, %b: tensor<64x16xf32>) {
  // expected-error @+1 {{'aikernel.matmul' op operand 'b' has size 64 in dimension 0 (K) but operand 'a' has size 32 in dimension 1 (K)}}
  %0 = aikernel.matmul %a, %b : (tensor<8x32xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case1(%a: tensor<4x8xf32>, %b: tensor<16x5xf32>) {
  // expected-error @+1 {{op operand 'b' has size 5 in dimension 1 (K) but operand 'a' has size 4 in dimension 0 (K)}}
  %0 = aikernel.matmul %a, %b {transpose_a, transpose_b} : (tensor<4x8xf32>, tensor<16x5xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case2(%a: tensor<8x4xf32>, %b: tensor<4x16xf32>) {
  // expected-error @+1 {{op the result has size 9 in dimension 0 (M) but operand 'a' has size 8 in dimension 0 (M)}}
  %0 = aikernel.matmul %a, %b : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<9x16xf32>
  return
}

// -----

func.func @case3(%a: tensor<8x4xf32>, %b: tensor<4x16xf32>) {
  // expected-error @+1 {{op the result has size 17 in dimension 1 (N) but operand 'b' has size 16 in dimension 1 (N)}}
  %0 = aikernel.matmul %a, %b : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x17xf32>
  return
}

// -----

func.func @case4(%a: tensor<2x8x4xf32>, %b: tensor<3x4x16xf32>) {
  // expected-error @+1 {{op operand 'b' has size 3 in dimension 0 (batch) but operand 'a' has size 2 in dimension 0 (batch), and neither is 1}}
  %0 = aikernel.matmul %a, %b : (tensor<2x8x4xf32>, tensor<3x4x16xf32>) -> tensor<2x8x16xf32>
  return
}

// -----

func.func @case5(%a: tensor<1x8x4xf32>, %b: tensor<4x16xf32>) {
  // expected-error @+1 {{op the result has size 3 in dimension 0 (batch) but operand 'a' has size 1 in dimension 0 (batch)}}
  %0 = aikernel.matmul %a, %b : (tensor<1x8x4xf32>, tensor<4x16xf32>) -> tensor<3x8x16xf32>
  return
}

// -----

func.func @case6(%a: tensor<4xf32>, %b: tensor<4x16xf32>) {
  // expected-error @+1 {{op operand 'a' has rank 1 but must have rank 2 to 8}}
  %0 = aikernel.matmul %a, %b : (tensor<4xf32>, tensor<4x16xf32>) -> tensor<16xf32>
  return
}

// -----

func.func @case7(%a: tensor<8x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{op operand 'b' has rank 1 but must have rank 2 to 8}}
  %0 = aikernel.matmul %a, %b : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case8(%a: tensor<1x1x1x1x1x1x1x8x4xf32>, %b: tensor<4x16xf32>) {
  // expected-error @+1 {{op operand 'a' has rank 9 but must have rank 2 to 8}}
  %0 = aikernel.matmul %a, %b : (tensor<1x1x1x1x1x1x1x8x4xf32>, tensor<4x16xf32>) -> tensor<1x1x1x1x1x1x1x8x16xf32>
  return
}

// -----

func.func @case9(%a: tensor<2x8x4xf32>, %b: tensor<4x16xf32>) {
  // expected-error @+1 {{op the result has rank 2 but must have rank 3}}
  %0 = aikernel.matmul %a, %b : (tensor<2x8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case10(%a: tensor<8x4xi8>, %b: tensor<4x16xf32>) {
  // expected-error @+1 {{op operand 'a' has element type 'i8' but must have f64, f32, bf16, f16, f8E4M3FN or f8E5M2}}
  %0 = aikernel.matmul %a, %b : (tensor<8x4xi8>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case11(%a: tensor<8x4xf32>, %b: tensor<4x16xf8E4M3FNUZ>) {
  // expected-error @+1 {{op operand 'b' has element type 'f8E4M3FNUZ' but must have f64, f32, bf16, f16, f8E4M3FN or f8E5M2}}
  %0 = aikernel.matmul %a, %b : (tensor<8x4xf32>, tensor<4x16xf8E4M3FNUZ>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case12(%a: tensor<8x4xf32>, %b: tensor<4x16xf32>) {
  // expected-error @+1 {{op the result has element type 'f8E5M2' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.matmul %a, %b : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf8E5M2>
  return
}

// -----

func.func @case13(%a: tensor<8x4xf32, "x">, %b: tensor<4x16xf32>) {
  // expected-error @+1 {{op operand 'a' has the encoding "x" but must have none}}
  %0 = aikernel.matmul %a, %b : (tensor<8x4xf32, "x">, tensor<4x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case14(%a: tensor<*xf32>, %b: tensor<4x16xf32>) {
  // expected-error @+1 {{op operand #0 must be ranked tensor of any type values, but got 'tensor<*xf32>'}}
  %0 = aikernel.matmul %a, %b : (tensor<*xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return
}
