// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case0(%x: tensor<8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{'aikernel.rope' op operand 'x' has rank 3 but must have rank 4}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32} : (tensor<8x5x64xf32>, tensor<2x5xi32>) -> tensor<8x5x64xf32>
  return
}

// -----

func.func @case1(%x: tensor<2x8x5x64xf32>, %p: tensor<2x8xi32>) {
  // expected-error @+1 {{op operand 'pos' has size 8 in dimension 1 (S) but operand 'x' has size 5 in dimension 2 (S)}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32} : (tensor<2x8x5x64xf32>, tensor<2x8xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case2(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op operand 'pos' has size 5 in dimension 1 (S) but operand 'x' has size 8 in dimension 1 (S)}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32, layout = #aikernel.layout_kind<bshd>} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case3(%x: tensor<2x8x5x64xf32>, %p: tensor<5xi32>) {
  // expected-error @+1 {{op operand 'pos' has rank 1 but must have rank 2}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32} : (tensor<2x8x5x64xf32>, tensor<5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case4(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi64>) {
  // expected-error @+1 {{op operand 'pos' has element type 'i64' but must have i32}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32} : (tensor<2x8x5x64xf32>, tensor<2x5xi64>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case5(%x: tensor<2x8x5x64xi8>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op operand 'x' has element type 'i8' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32} : (tensor<2x8x5x64xi8>, tensor<2x5xi32>) -> tensor<2x8x5x64xi8>
  return
}

// -----

func.func @case6(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op the result has type 'tensor<2x8x5x32xf32>' but operand 'x' has type 'tensor<2x8x5x64xf32>'}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case7(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op attribute 'dim' is 63 but must be even and not negative}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32, dim = 63 : i64} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case8(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op attribute 'dim' is -2 but must be even and not negative}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32, dim = -2 : i64} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case9(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op attribute 'dim' is 66 but operand 'x' has size 64 in dimension 3 (D)}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32, dim = 66 : i64} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case10(%x: tensor<2x8x5x?xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op attribute 'dim' is not given but dimension 3 (D) of operand 'x' is dynamic}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32} : (tensor<2x8x5x?xf32>, tensor<2x5xi32>) -> tensor<2x8x5x?xf32>
  return
}

// -----

func.func @case11(%x: tensor<2x8x5x63xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op operand 'x' has size 63 in dimension 3 (D) but without 'dim' it must be even}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32} : (tensor<2x8x5x63xf32>, tensor<2x5xi32>) -> tensor<2x8x5x63xf32>
  return
}

// -----

func.func @case12(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op attribute 'base' is 0.000000e+00 but must be finite and positive}}
  %0 = aikernel.rope %x, %p {base = 0.0 : f32} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case13(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op attribute 'base' is 1.000000e+00 but scaling 'yarn' needs a base larger than 1}}
  %0 = aikernel.rope %x, %p {base = 1.0 : f32, scaling = #aikernel.rope_scaling<yarn, 4.0, 4096.0, 32.0, 1.0, 1.0>} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case14(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{rope_scaling 'linear' takes 1 constants but has 2}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32, scaling = #aikernel.rope_scaling<linear, 4.0, 1.0>} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case15(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{rope_scaling 'linear' needs constants from 1e-30 to 1e30 but has 0.000000e+00}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32, scaling = #aikernel.rope_scaling<linear, 0.0>} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case15_tiny(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{rope_scaling 'linear' needs constants from 1e-30 to 1e30 but has 9.999889e-321}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32, scaling = #aikernel.rope_scaling<linear, 1.0e-320>} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case16(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{rope_scaling 'llama3' has the low factor 4.000000e+00 but the high factor 1.000000e+00, which must be larger}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32, scaling = #aikernel.rope_scaling<llama3, 8.0, 4.0, 1.0, 8192.0>} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case17(%x: tensor<2x8x5x64xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{rope_scaling is none, linear, llama3 or yarn but was 'ntk'}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32, scaling = #aikernel.rope_scaling<ntk, 4.0>} : (tensor<2x8x5x64xf32>, tensor<2x5xi32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case18(%c: tensor<2x8x16x64xf32>, %n: tensor<2x4x3x64xf32>, %p: tensor<2xi32>) {
  // expected-error @+1 {{'aikernel.kv_append' op operand 'new' has size 4 in dimension 1 (H) but operand 'cache' has size 8 in dimension 1 (H)}}
  %0 = aikernel.kv_append %c, %n, %p : (tensor<2x8x16x64xf32>, tensor<2x4x3x64xf32>, tensor<2xi32>) -> tensor<2x8x16x64xf32>
  return
}

// -----

func.func @case19(%c: tensor<2x8x16x64xf32>, %n: tensor<2x8x17x64xf32>, %p: tensor<2xi32>) {
  // expected-error @+1 {{op operand 'new' has size 17 in dimension 2 (S) but operand 'cache' has room for 16}}
  %0 = aikernel.kv_append %c, %n, %p : (tensor<2x8x16x64xf32>, tensor<2x8x17x64xf32>, tensor<2xi32>) -> tensor<2x8x16x64xf32>
  return
}

// -----

func.func @case20(%c: tensor<2x8x16x64xf32>, %n: tensor<2x8x3x32xf32>, %p: tensor<2xi32>) {
  // expected-error @+1 {{op operand 'new' has size 32 in dimension 3 (D) but operand 'cache' has size 64 in dimension 3 (D)}}
  %0 = aikernel.kv_append %c, %n, %p : (tensor<2x8x16x64xf32>, tensor<2x8x3x32xf32>, tensor<2xi32>) -> tensor<2x8x16x64xf32>
  return
}

// -----

func.func @case21(%c: tensor<2x8x16x64xf32>, %n: tensor<8x3x64xf32>, %p: tensor<2xi32>) {
  // expected-error @+1 {{op operand 'new' has rank 3 but must have rank 4}}
  %0 = aikernel.kv_append %c, %n, %p : (tensor<2x8x16x64xf32>, tensor<8x3x64xf32>, tensor<2xi32>) -> tensor<2x8x16x64xf32>
  return
}

// -----

func.func @case22(%c: tensor<2x8x16x64xf32>, %n: tensor<2x8x3x64xf32>, %p: tensor<3xi32>) {
  // expected-error @+1 {{op operand 'pos' has size 3 in dimension 0 (B) but operand 'cache' has size 2 in dimension 0 (B)}}
  %0 = aikernel.kv_append %c, %n, %p : (tensor<2x8x16x64xf32>, tensor<2x8x3x64xf32>, tensor<3xi32>) -> tensor<2x8x16x64xf32>
  return
}

// -----

func.func @case23(%c: tensor<2x8x16x64xf32>, %n: tensor<2x8x3x64xf32>, %p: tensor<2xindex>) {
  // expected-error @+1 {{op operand 'pos' has element type 'index' but must have i32}}
  %0 = aikernel.kv_append %c, %n, %p : (tensor<2x8x16x64xf32>, tensor<2x8x3x64xf32>, tensor<2xindex>) -> tensor<2x8x16x64xf32>
  return
}

// -----

func.func @case24(%c: tensor<2x8x16x64xf32>, %n: tensor<2x8x3x64xf16>, %p: tensor<2xi32>) {
  // expected-error @+1 {{op operand 'new' has element type 'f16' but operand 'cache' has 'f32'}}
  %0 = aikernel.kv_append %c, %n, %p : (tensor<2x8x16x64xf32>, tensor<2x8x3x64xf16>, tensor<2xi32>) -> tensor<2x8x16x64xf32>
  return
}

// -----

func.func @case25(%c: tensor<2x8x16x64xi8>, %n: tensor<2x8x3x64xi8>, %p: tensor<2xi32>) {
  // expected-error @+1 {{op operand 'cache' has element type 'i8' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.kv_append %c, %n, %p : (tensor<2x8x16x64xi8>, tensor<2x8x3x64xi8>, tensor<2xi32>) -> tensor<2x8x16x64xi8>
  return
}

// -----

func.func @case26(%c: tensor<2x8x16x64xf32>, %n: tensor<2x8x3x64xf32>, %p: tensor<2xi32>) {
  // expected-error @+1 {{op the result has type 'tensor<2x8x?x64xf32>' but operand 'cache' has type 'tensor<2x8x16x64xf32>'}}
  %0 = aikernel.kv_append %c, %n, %p : (tensor<2x8x16x64xf32>, tensor<2x8x3x64xf32>, tensor<2xi32>) -> tensor<2x8x?x64xf32>
  return
}

// -----

func.func @many_features(%x: tensor<2x8x5x?xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op attribute 'dim' is 1099511627776 but is at most 65536}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32, dim = 1099511627776 : i64} : (tensor<2x8x5x?xf32>, tensor<2x5xi32>) -> tensor<2x8x5x?xf32>
  return
}

// -----

func.func @large_head(%x: tensor<2x8x5x131072xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{op operand 'x' has size 131072 in dimension 3 (D) but without 'dim' it is at most 65536}}
  %0 = aikernel.rope %x, %p {base = 1.0e4 : f32} : (tensor<2x8x5x131072xf32>, tensor<2x5xi32>) -> tensor<2x8x5x131072xf32>
  return
}
