// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case0(%q: tensor<8x35xi8>) {
  // expected-error @+1 {{'aikernel.dequantize' op operand 'q' has size 35 in dimension 1 (bytes), which is not a multiple of 18}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x35xi8>) -> tensor<8x?xf32>
  return
}

// -----

func.func @case1(%q: tensor<8x36xi8>) {
  // expected-error @+1 {{op operand 'q' has size 36 in dimension 1 (bytes) but the result has size 32 in dimension 1 (K), which takes 18}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x36xi8>) -> tensor<8x32xf32>
  return
}

// -----

func.func @case2(%q: tensor<8x?xi8>) {
  // expected-error @+1 {{op the result has size 128 in dimension 1 (K), which is not a multiple of 256}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<q6_k>} : (tensor<8x?xi8>) -> tensor<8x128xf32>
  return
}

// -----

func.func @case3(%q: tensor<8x36xi8>) {
  // expected-error @+1 {{op the result has size 7 in dimension 0 (d0) but operand 'q' has size 8 in dimension 0 (d0)}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x36xi8>) -> tensor<7x64xf32>
  return
}

// -----

func.func @case4(%q: tensor<i8>) {
  // expected-error @+1 {{op operand 'q' has rank 0 but must have rank 1 to 8}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<i8>) -> tensor<f32>
  return
}

// -----

func.func @case5(%q: tensor<8x36xf32>) {
  // expected-error @+1 {{op operand 'q' has element type 'f32' but must have i8}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x36xf32>) -> tensor<8x64xf32>
  return
}

// -----

func.func @case6(%q: tensor<8x36xi8>) {
  // expected-error @+1 {{op the result has element type 'i8' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<8x36xi8>) -> tensor<8x64xi8>
  return
}

// -----

func.func @case7(%q: tensor<8x16xi8>) {
  // expected-error @+1 {{op attribute 'format' is i4, which needs operand 'scales', but there is none}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<i4, group = 32>} : (tensor<8x16xi8>) -> tensor<8x32xf32>
  return
}

// -----

func.func @case8(%q: tensor<8x36xi8>, %s: tensor<8x2xf32>) {
  // expected-error @+1 {{op operand 'scales' is given but attribute 'format' is q4_0, which has its scales in its blocks}}
  %0 = aikernel.dequantize %q scales %s {format = #aikernel.quant<q4_0>} : (tensor<8x36xi8>, tensor<8x2xf32>) -> tensor<8x64xf32>
  return
}

// -----

func.func @case9(%q: tensor<8x16xi8>, %s: tensor<8x2xf32>) {
  // expected-error @+1 {{op operand 'scales' has size 2 in dimension 1 (groups) but the result has size 32 in dimension 1 (K), which takes 1}}
  %0 = aikernel.dequantize %q scales %s {format = #aikernel.quant<i4, group = 32>} : (tensor<8x16xi8>, tensor<8x2xf32>) -> tensor<8x32xf32>
  return
}

// -----

func.func @case10(%q: tensor<8x16xi8>, %s: tensor<8x2xf32>) {
  // expected-error @+1 {{op operand 'scales' has size 2 in dimension 1 (groups) but operand 'q' has size 16 in dimension 1 (bytes), which does not go with it}}
  %0 = aikernel.dequantize %q scales %s {format = #aikernel.quant<i4, group = 32>} : (tensor<8x16xi8>, tensor<8x2xf32>) -> tensor<8x?xf32>
  return
}

// -----

func.func @case11(%q: tensor<8x32xi8>, %s: tensor<8x1xf64>) {
  // expected-error @+1 {{op operand 'scales' has element type 'f64' but must have f32, bf16 or f16}}
  %0 = aikernel.dequantize %q scales %s {format = #aikernel.quant<i8, group = 32>} : (tensor<8x32xi8>, tensor<8x1xf64>) -> tensor<8x32xf32>
  return
}

// -----

func.func @case12(%q: tensor<8x32xi8>, %s: tensor<8x1xf32>, %z: tensor<8x1xi32>) {
  // expected-error @+1 {{op operand 'zeros' has element type 'i32' but must have i8}}
  %0 = aikernel.dequantize %q scales %s zeros %z {format = #aikernel.quant<i8, group = 32>} : (tensor<8x32xi8>, tensor<8x1xf32>, tensor<8x1xi32>) -> tensor<8x32xf32>
  return
}

// -----

func.func @case13(%q: tensor<8x36xi8>) {
  // expected-error @+1 {{quant is q4_0, q4_1, q5_0, q5_1, q8_0, q4_k, q5_k, q6_k, mxfp4, i4 or i8 but was 'q3_k'}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<q3_k>} : (tensor<8x36xi8>) -> tensor<8x64xf32>
  return
}

// -----

func.func @case14(%q: tensor<8x36xi8>) {
  // expected-error @+1 {{quant 'q4_0' has blocks of its own but is given the group 32}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<q4_0, group = 32>} : (tensor<8x36xi8>) -> tensor<8x64xf32>
  return
}

// -----

func.func @case15(%q: tensor<8x36xi8>) {
  // expected-error @+1 {{quant 'i4' needs a group that is a multiple of 8 up to 65536 but has 0}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<i4>} : (tensor<8x36xi8>) -> tensor<8x64xf32>
  return
}

// -----

func.func @case16(%q: tensor<8x36xi8>) {
  // expected-error @+1 {{quant 'i8' needs a group that is a multiple of 8 up to 65536 but has 12}}
  %0 = aikernel.dequantize %q {format = #aikernel.quant<i8, group = 12>} : (tensor<8x36xi8>) -> tensor<8x64xf32>
  return
}

// -----

func.func @case17(%q: tensor<8x36xi8>) {
  // expected-error @+1 {{attribute 'format' failed to satisfy constraint}}
  %0 = aikernel.dequantize %q {format = 4 : i32} : (tensor<8x36xi8>) -> tensor<8x64xf32>
  return
}

// -----

func.func @case18(%x: tensor<8x33xf32>) {
  // expected-error @+1 {{'aikernel.quantize' op operand 'x' has size 33 in dimension 1 (K), which is not a multiple of 32}}
  %0 = aikernel.quantize %x {format = #aikernel.quant<q8_0>} : (tensor<8x33xf32>) -> tensor<8x?xi8>
  return
}

// -----

func.func @case19(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{op the result has size 34 in dimension 1 (bytes) but operand 'x' has size 64 in dimension 1 (K), which takes 68}}
  %0 = aikernel.quantize %x {format = #aikernel.quant<q8_0>} : (tensor<8x64xf32>) -> tensor<8x34xi8>
  return
}

// -----

func.func @case20(%x: tensor<8x64xi8>) {
  // expected-error @+1 {{op operand 'x' has element type 'i8' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.quantize %x {format = #aikernel.quant<q8_0>} : (tensor<8x64xi8>) -> tensor<8x68xi8>
  return
}

// -----

func.func @case21(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{op has 2 results but attribute 'format' is q8_0, which has one}}
  %0:2 = aikernel.quantize %x {format = #aikernel.quant<q8_0>} : (tensor<8x64xf32>) -> (tensor<8x68xi8>, tensor<8x2xf32>)
  return
}

// -----

func.func @case22(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{op has 1 result but attribute 'format' is i8, which has two (with scales) or three (with zero points)}}
  %0 = aikernel.quantize %x {format = #aikernel.quant<i8, group = 32>} : (tensor<8x64xf32>) -> tensor<8x64xi8>
  return
}

// -----

func.func @case23(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{op result 'scales' has size 3 in dimension 1 (groups) but operand 'x' has size 64 in dimension 1 (K), which takes 2}}
  %0:2 = aikernel.quantize %x {format = #aikernel.quant<i8, group = 32>} : (tensor<8x64xf32>) -> (tensor<8x64xi8>, tensor<8x3xf32>)
  return
}

// -----

func.func @case24(%x: tensor<64xf32>, %w: tensor<8x18xi8>) {
  // expected-error @+1 {{'aikernel.quant_gemv' op operand 'w' has size 18 in dimension 1 (bytes) but operand 'x' has size 64 in dimension 0 (K), which takes 36}}
  %0 = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_0>} : (tensor<64xf32>, tensor<8x18xi8>) -> tensor<8xf32>
  return
}

// -----

func.func @case25(%x: tensor<2x64xf32>, %w: tensor<8x36xi8>) {
  // expected-error @+1 {{op operand 'x' has rank 2 but must have rank 1}}
  %0 = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_0>} : (tensor<2x64xf32>, tensor<8x36xi8>) -> tensor<8xf32>
  return
}

// -----

func.func @case26(%x: tensor<64xf32>, %w: tensor<8x36xi8>) {
  // expected-error @+1 {{op the result has size 9 in dimension 0 (N) but operand 'w' has size 8 in dimension 0 (N)}}
  %0 = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_0>} : (tensor<64xf32>, tensor<8x36xi8>) -> tensor<9xf32>
  return
}

// -----

func.func @case27(%x: tensor<64xf8E5M2>, %w: tensor<8x36xi8>) {
  // expected-error @+1 {{op operand 'x' has element type 'f8E5M2' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_0>} : (tensor<64xf8E5M2>, tensor<8x36xi8>) -> tensor<8xf32>
  return
}

// -----

func.func @case28(%x: tensor<64xf32>, %w: tensor<8x36xi8>) {
  // expected-error @+1 {{'aikernel.quant_gemv' op requires attribute 'format'}}
  %0 = aikernel.quant_gemv %x, %w : (tensor<64xf32>, tensor<8x36xi8>) -> tensor<8xf32>
  return
}

// -----

func.func @case29(%x: tensor<64xf32>, %w: tensor<8x64xi8>) {
  // expected-error @+1 {{op attribute 'format' is i8, which needs operand 'scales', but there is none}}
  %0 = aikernel.quant_gemv %x, %w {format = #aikernel.quant<i8, group = 32>} : (tensor<64xf32>, tensor<8x64xi8>) -> tensor<8xf32>
  return
}

// -----

func.func @case30(%x: tensor<3x64xf32>, %w: tensor<8x36xi8>) {
  // expected-error @+1 {{'aikernel.quant_matmul' op the result has size 4 in dimension 0 (M) but operand 'x' has size 3 in dimension 0 (M)}}
  %0 = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_0>} : (tensor<3x64xf32>, tensor<8x36xi8>) -> tensor<4x8xf32>
  return
}

// -----

func.func @case31(%x: tensor<3x64xf32>, %w: tensor<2x8x36xi8>) {
  // expected-error @+1 {{op operand 'w' has rank 3 but must have rank 2}}
  %0 = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_0>} : (tensor<3x64xf32>, tensor<2x8x36xi8>) -> tensor<3x8xf32>
  return
}

// -----

func.func @case32(%x: tensor<3x64xf32>, %w: tensor<8x32xi8>, %s: tensor<9x2xf32>) {
  // expected-error @+1 {{op operand 'scales' has size 9 in dimension 0 (N) but operand 'w' has size 8 in dimension 0 (N)}}
  %0 = aikernel.quant_matmul %x, %w scales %s {format = #aikernel.quant<i4, group = 32>} : (tensor<3x64xf32>, tensor<8x32xi8>, tensor<9x2xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @case33(%a: tensor<3x8xi8>, %b: tensor<7x4xi8>, %s: tensor<1xf32>) {
  // expected-error @+1 {{'aikernel.int8_matmul' op operand 'b' has size 7 in dimension 0 (K) but operand 'a' has size 8 in dimension 1 (K)}}
  %0 = aikernel.int8_matmul %a, %b, %s, %s : (tensor<3x8xi8>, tensor<7x4xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @case34(%a: tensor<3x8xi8>, %b: tensor<8x4xi8>, %s: tensor<1xf32>, %t: tensor<2xf32>) {
  // expected-error @+1 {{op operand 'scale_a' has size 2 in dimension 0 (M) but operand 'a' has size 3 in dimension 0 (M), and neither is 1}}
  %0 = aikernel.int8_matmul %a, %b, %t, %s : (tensor<3x8xi8>, tensor<8x4xi8>, tensor<2xf32>, tensor<1xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @case35(%a: tensor<3x8xi8>, %b: tensor<8x4xi8>, %s: tensor<1xf32>, %t: tensor<f32>) {
  // expected-error @+1 {{op operand 'scale_b' has rank 0 but must have rank 1}}
  %0 = aikernel.int8_matmul %a, %b, %s, %t : (tensor<3x8xi8>, tensor<8x4xi8>, tensor<1xf32>, tensor<f32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @case36(%a: tensor<3x8xi8>, %b: tensor<8x4xi8>, %s: tensor<1xf32>, %t: tensor<1xi32>) {
  // expected-error @+1 {{op operand 'zero_a' has element type 'i32' but must have i8}}
  %0 = aikernel.int8_matmul %a, %b, %s, %s zero_a %t : (tensor<3x8xi8>, tensor<8x4xi8>, tensor<1xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @case37(%a: tensor<3x8xui8>, %b: tensor<8x4xi8>, %s: tensor<1xf32>) {
  // expected-error @+1 {{op operand 'a' has element type 'ui8' but must have i8}}
  %0 = aikernel.int8_matmul %a, %b, %s, %s : (tensor<3x8xui8>, tensor<8x4xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @case38(%a: tensor<3x8xi8>, %b: tensor<8x4xi8>, %s: tensor<1xf32>) {
  // expected-error @+1 {{op the result has element type 'i32' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.int8_matmul %a, %b, %s, %s : (tensor<3x8xi8>, tensor<8x4xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x4xi32>
  return
}
