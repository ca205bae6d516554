// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case0(%x: tensor<?x4xf32>, %g: tensor<5xf32>) {
  // expected-error @+1 {{'aikernel.rms_norm' op operand 'gamma' has size 5 in dimension 0 (N) but operand 'x' has size 4 in dimension 1 (N)}}
  %0 = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x4xf32>, tensor<5xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @case1(%x: tensor<?x4xf32>, %g: tensor<1x4xf32>) {
  // expected-error @+1 {{op operand 'gamma' has rank 2 but must have rank 1}}
  %0 = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @case2(%x: tensor<?x4xbf16>, %g: tensor<4xf16>) {
  // expected-error @+1 {{op operand 'gamma' has element type 'f16' but must have f32 or that of operand 'x', 'bf16'}}
  %0 = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x4xbf16>, tensor<4xf16>) -> tensor<?x4xbf16>
  return
}

// -----

func.func @case3(%x: tensor<f32>, %g: tensor<1xf32>) {
  // expected-error @+1 {{op operand 'x' has rank 0 but must have rank 1 to 8}}
  %0 = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<f32>, tensor<1xf32>) -> tensor<f32>
  return
}

// -----

func.func @case4(%x: tensor<4xi32>, %g: tensor<4xf32>) {
  // expected-error @+1 {{op operand 'x' has element type 'i32' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<4xi32>, tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @case5(%x: tensor<?x4xbf16>, %g: tensor<4xf32>) {
  // expected-error @+1 {{op the result has type 'tensor<?x4xf32>' but operand 'x' has type 'tensor<?x4xbf16>'}}
  %0 = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x4xbf16>, tensor<4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @case6(%x: tensor<?x4xf32>, %g: tensor<4xf32>) {
  // expected-error @+1 {{op attribute 'eps' is -1.000000e+00 but must be finite and not negative}}
  %0 = aikernel.rms_norm %x, %g {eps = -1.0 : f32} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @case7(%x: tensor<?x4xf32>, %g: tensor<4xf32>) {
  // expected-error @+1 {{op attribute 'eps' is nan but must be finite and not negative}}
  %0 = aikernel.rms_norm %x, %g {eps = 0x7FC00000 : f32} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @case8(%x: tensor<?x4xf32>, %g: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'eps' failed to satisfy constraint: 32-bit float attribute}}
  %0 = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f64} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @case9(%x: tensor<4xf32>, %g: tensor<4xf32>) {
  // expected-error @+1 {{'aikernel.rms_norm' op requires attribute 'eps'}}
  %0 = aikernel.rms_norm %x, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @case10(%x: tensor<2x4xf32>, %g: tensor<4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'aikernel.layer_norm' op operand 'beta' has size 3 in dimension 0 (N) but operand 'x' has size 4 in dimension 1 (N)}}
  %0 = aikernel.layer_norm %x, %g, %b {eps = 1.0e-5 : f32} : (tensor<2x4xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @case11(%x: tensor<2x4xf16>, %g: tensor<4xf16>, %b: tensor<4xf64>) {
  // expected-error @+1 {{op operand 'beta' has element type 'f64' but must have f32 or that of operand 'x', 'f16'}}
  %0 = aikernel.layer_norm %x, %g, %b {eps = 1.0e-5 : f32} : (tensor<2x4xf16>, tensor<4xf16>, tensor<4xf64>) -> tensor<2x4xf16>
  return
}

// -----

func.func @case12(%x: tensor<2x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{op attribute 'eps' is INF but must be finite and not negative}}
  %0 = aikernel.layer_norm %x, %g, %b {eps = 0x7F800000 : f32} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @case13(%x: tensor<f32>, %g: tensor<1xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{op operand 'x' has rank 0 but must have rank 1 to 8}}
  %0 = aikernel.layer_norm %x, %g, %b {eps = 1.0e-5 : f32} : (tensor<f32>, tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
  return
}

// -----

func.func @case14(%x: tensor<f32>) {
  // expected-error @+1 {{'aikernel.l2_norm' op operand 'x' has rank 0 but must have rank 1 to 8}}
  %0 = aikernel.l2_norm %x {eps = 1.0e-12 : f32} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @case15(%x: tensor<4xi8>) {
  // expected-error @+1 {{op operand 'x' has element type 'i8' but must have f64, f32, bf16 or f16}}
  %0 = aikernel.l2_norm %x {eps = 1.0e-12 : f32} : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @case16(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{op the result has type 'tensor<?x5xf32>' but operand 'x' has type 'tensor<?x4xf32>'}}
  %0 = aikernel.l2_norm %x {eps = 1.0e-12 : f32} : (tensor<?x4xf32>) -> tensor<?x5xf32>
  return
}

// -----

func.func @case17(%x: tensor<4xf32>) {
  // expected-error @+1 {{op attribute 'eps' is -1.000000e+00 but must be finite and not negative}}
  %0 = aikernel.l2_norm %x {eps = -1.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @case18(%x: tensor<4xf32>) {
  // expected-error @+1 {{'aikernel.l2_norm' op requires attribute 'eps'}}
  %0 = aikernel.l2_norm %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}
