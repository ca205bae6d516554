// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case0(%x: tensor<2x3x4xf32>, %w: tensor<5x6xf32>) {
  // expected-error @+1 {{'aikernel.linear' op operand 'w' has size 5 in dimension 0 (K) but operand 'x' has size 4 in dimension 2 (K)}}
  %0 = aikernel.linear %x, %w : (tensor<2x3x4xf32>, tensor<5x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @case1(%x: tensor<3x4xf32>, %w: tensor<6x5xf32>) {
  // expected-error @+1 {{op operand 'w' has size 5 in dimension 1 (K) but operand 'x' has size 4 in dimension 1 (K)}}
  %0 = aikernel.linear %x, %w {transpose_b} : (tensor<3x4xf32>, tensor<6x5xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @case2(%x: tensor<3x4xf32>, %w: tensor<4x6xf32>, %b: tensor<7xf32>) {
  // expected-error @+1 {{op operand 'bias' has size 7 in dimension 0 (N) but operand 'w' has size 6 in dimension 1 (N)}}
  %0 = aikernel.linear %x, %w bias %b : (tensor<3x4xf32>, tensor<4x6xf32>, tensor<7xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @case3(%x: tensor<3x4xf32>, %w: tensor<4x6xf32>, %b: tensor<1x6xf32>) {
  // expected-error @+1 {{op operand 'bias' has rank 2 but must have rank 1}}
  %0 = aikernel.linear %x, %w bias %b : (tensor<3x4xf32>, tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @case4(%x: tensor<3x4xf32>, %w: tensor<1x4x6xf32>) {
  // expected-error @+1 {{op operand 'w' has rank 3 but must have rank 2}}
  %0 = aikernel.linear %x, %w : (tensor<3x4xf32>, tensor<1x4x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @case5(%x: tensor<f32>, %w: tensor<4x6xf32>) {
  // expected-error @+1 {{op operand 'x' has rank 0 but must have rank 1 to 8}}
  %0 = aikernel.linear %x, %w : (tensor<f32>, tensor<4x6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @case6(%x: tensor<3x4xf32>, %w: tensor<4x6xf32>) {
  // expected-error @+1 {{op the result has size 2 in dimension 0 (d0) but operand 'x' has size 3 in dimension 0 (d0)}}
  %0 = aikernel.linear %x, %w : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @case7(%x: tensor<3x4xf32>, %w: tensor<4x6xf32>) {
  // expected-error @+1 {{op the result has rank 3 but must have rank 2}}
  %0 = aikernel.linear %x, %w : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @case8(%x: tensor<3x4xf32>, %w: tensor<4x6xf32>, %b: tensor<6xf8E5M2>) {
  // expected-error @+1 {{op operand 'bias' has element type 'f8E5M2' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.linear %x, %w bias %b : (tensor<3x4xf32>, tensor<4x6xf32>, tensor<6xf8E5M2>) -> tensor<3x6xf32>
  return
}

// -----

func.func @case9(%x: tensor<3x4xi32>, %w: tensor<4x6xf32>) {
  // expected-error @+1 {{op operand 'x' has element type 'i32' but must have f64, f32, bf16, f16, f8E4M3FN or f8E5M2}}
  %0 = aikernel.linear %x, %w : (tensor<3x4xi32>, tensor<4x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @case10(%x: tensor<3x4xf32>, %w: tensor<4x6xi8>) {
  // expected-error @+1 {{op operand 'w' has element type 'i8' but must have f64, f32, bf16, f16, f8E4M3FN or f8E5M2}}
  %0 = aikernel.linear %x, %w : (tensor<3x4xf32>, tensor<4x6xi8>) -> tensor<3x6xf32>
  return
}

// -----

func.func @case11(%x: tensor<3x4xf32>, %w: tensor<4x6xf32>) {
  // expected-error @+1 {{op the result has element type 'f8E4M3FN' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.linear %x, %w : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<3x6xf8E4M3FN>
  return
}
