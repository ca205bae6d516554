// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case0(%q: tensor<8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{'aikernel.attention' op operand 'q' has rank 3 but must have rank 4}}
  %0 = aikernel.attention %q, %k, %v : (tensor<8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case1(%q: tensor<2x8x5x64xf32>, %k: tensor<3x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op operand 'k' has size 3 in dimension 0 (B) but operand 'q' has size 2 in dimension 0 (B)}}
  %0 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<3x4x7x64xf32>, tensor<2x4x7x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case2(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x63xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op operand 'k' has size 63 in dimension 3 (D) but operand 'q' has size 64 in dimension 3 (D)}}
  %0 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x4x7x63xf32>, tensor<2x4x7x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case3(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x8x7x32xf32>) {
  // expected-error @+1 {{op operand 'v' has size 8 in dimension 1 (Hkv) but operand 'k' has size 4 in dimension 1 (Hkv)}}
  %0 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x8x7x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case4(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x6x32xf32>) {
  // expected-error @+1 {{op operand 'v' has size 6 in dimension 2 (Skv) but operand 'k' has size 7 in dimension 2 (Skv)}}
  %0 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x6x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case5(%q: tensor<2x8x5x64xf32>, %k: tensor<2x3x7x64xf32>, %v: tensor<2x3x7x32xf32>) {
  // expected-error @+1 {{op operand 'q' has size 8 in dimension 1 (Hq), which is not a multiple of 3: operand 'k' has size 3 in dimension 1 (Hkv)}}
  %0 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x3x7x64xf32>, tensor<2x3x7x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case6(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op the result has size 64 in dimension 3 (Dv) but operand 'v' has size 32 in dimension 3 (Dv)}}
  %0 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> tensor<2x8x5x64xf32>
  return
}

// -----

func.func @case7(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op the result has size 4 in dimension 2 (Sq) but operand 'q' has size 5 in dimension 2 (Sq)}}
  %0 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> tensor<2x8x4x32xf32>
  return
}

// -----

func.func @case8(%q: tensor<2x5x8x64xf32>, %k: tensor<2x7x4x64xf32>, %v: tensor<2x7x4x32xf32>) {
  // expected-error @+1 {{op the result has size 5 in dimension 2 (Hq) but operand 'q' has size 8 in dimension 2 (Hq)}}
  %0 = aikernel.attention %q, %k, %v {layout = #aikernel.layout_kind<bshd>} : (tensor<2x5x8x64xf32>, tensor<2x7x4x64xf32>, tensor<2x7x4x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case9(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>, %m: tensor<1x1x1x5x7xf32>) {
  // expected-error @+1 {{op operand 'mask' has rank 5 but must have rank 0 to 4}}
  %0 = aikernel.attention %q, %k, %v mask %m : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>, tensor<1x1x1x5x7xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case10(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>, %m: tensor<5x6xf32>) {
  // expected-error @+1 {{op operand 'mask' has size 6 in dimension 1 (Skv) but operand 'k' has size 7 in dimension 2 (Skv), and neither is 1}}
  %0 = aikernel.attention %q, %k, %v mask %m : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>, tensor<5x6xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case11(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>, %m: tensor<5x7xi1>) {
  // expected-error @+1 {{op operand 'mask' has element type 'i1' but must have f32 or that of operand 'q', 'f32'}}
  %0 = aikernel.attention %q, %k, %v mask %m : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>, tensor<5x7xi1>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case12(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>, %n: tensor<3xi32>) {
  // expected-error @+1 {{op operand 'kv_len' has size 3 in dimension 0 (B) but operand 'q' has size 2 in dimension 0 (B)}}
  %0 = aikernel.attention %q, %k, %v kv_len %n : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>, tensor<3xi32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case13(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>, %n: tensor<2xi64>) {
  // expected-error @+1 {{op operand 'kv_len' has element type 'i64' but must have i32}}
  %0 = aikernel.attention %q, %k, %v kv_len %n : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>, tensor<2xi64>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case14(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>, %n: tensor<i32>) {
  // expected-error @+1 {{op operand 'kv_len' has rank 0 but must have rank 1}}
  %0 = aikernel.attention %q, %k, %v kv_len %n : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>, tensor<i32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case15(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{op operand 'sinks' has size 4 in dimension 0 (Hq) but operand 'q' has size 8 in dimension 1 (Hq)}}
  %0 = aikernel.attention %q, %k, %v sinks %s : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>, tensor<4xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case16(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>, %s: tensor<8xf16>) {
  // expected-error @+1 {{op operand 'sinks' has element type 'f16' but must have f32}}
  %0 = aikernel.attention %q, %k, %v sinks %s : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>, tensor<8xf16>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case17(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op result 'lse' has element type 'f16' but must have f32}}
  %0:2 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> (tensor<2x8x5x32xf32>, tensor<2x8x5xf16>)
  return
}

// -----

func.func @case18(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op result 'lse' has rank 4 but must have rank 3}}
  %0:2 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> (tensor<2x8x5x32xf32>, tensor<2x8x5x1xf32>)
  return
}

// -----

func.func @case19(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op result 'lse' has size 6 in dimension 2 (Sq) but operand 'q' has size 5 in dimension 2 (Sq)}}
  %0:2 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> (tensor<2x8x5x32xf32>, tensor<2x8x6xf32>)
  return
}

// -----

func.func @case20(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op operand 'k' has element type 'f16' but operand 'q' has 'f32'}}
  %0 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case21(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf16>) {
  // expected-error @+1 {{op operand 'v' has element type 'f16' but operand 'q' has 'f32'}}
  %0 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf16>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case22(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op the result has element type 'f16' but operand 'q' has 'f32'}}
  %0 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> tensor<2x8x5x32xf16>
  return
}

// -----

func.func @case23(%q: tensor<2x8x5x64xi8>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op operand 'q' has element type 'i8' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.attention %q, %k, %v : (tensor<2x8x5x64xi8>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case24(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op attribute 'window' is 16 but 'causal' is not given, and a window needs it}}
  %0 = aikernel.attention %q, %k, %v {window = 16 : i64} : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case25(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op attribute 'window' is 0 but must be positive}}
  %0 = aikernel.attention %q, %k, %v {causal, window = 0 : i64} : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case26(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op attribute 'softcap' is 0.000000e+00 but must be finite and positive}}
  %0 = aikernel.attention %q, %k, %v {softcap = 0.0 : f32} : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> tensor<2x8x5x32xf32>
  return
}

// -----

func.func @case27(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %v: tensor<2x4x7x32xf32>) {
  // expected-error @+1 {{op attribute 'scale' is INF but must be finite}}
  %0 = aikernel.attention %q, %k, %v {scale = 0x7F800000 : f32} : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x4x7x32xf32>) -> tensor<2x8x5x32xf32>
  return
}
