// RUN: aik-opt %s -split-input-file -verify-diagnostics

func.func @rank(%q: tensor<4x4x16xf32>, %k: tensor<1x4x8x16xf32>, %s: f32, %i: index, %acc: tensor<1x4x4x16xf32>, %row: tensor<1x4x4xf32>) {
  // expected-error @+1 {{operand 'q' has rank 3, expected 4}}
  %r:3 = aikernel.online_attention %q, %k, %k scale %s key_offset %i head_offset %i group %i outs %acc, %row, %row : (tensor<4x4x16xf32>, tensor<1x4x8x16xf32>, tensor<1x4x8x16xf32>, f32, index, index, index, tensor<1x4x4x16xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> (tensor<1x4x4x16xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>)
  return
}

// -----

func.func @outputs(%q: tensor<1x4x4x16xf32>, %s: f32, %i: index, %acc: tensor<1x4x4x16xf32>, %row: tensor<1x4x4xf32>) {
  // expected-error @+1 {{needs three outputs and three results: acc, max and sum}}
  %r:2 = aikernel.online_attention %q, %q, %q scale %s key_offset %i head_offset %i group %i outs %acc, %row : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>, f32, index, index, index, tensor<1x4x4x16xf32>, tensor<1x4x4xf32>) -> (tensor<1x4x4x16xf32>, tensor<1x4x4xf32>)
  return
}

// -----

func.func @types(%q: tensor<1x4x4x16xf32>, %s: f32, %i: index, %acc: tensor<1x4x4x16xf16>, %row: tensor<1x4x4xf32>) {
  // expected-error @+1 {{output type 'tensor<1x4x4x16xf16>' does not have the type of 'scale', 'f32'}}
  %r:3 = aikernel.online_attention %q, %q, %q scale %s key_offset %i head_offset %i group %i outs %acc, %row, %row : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>, f32, index, index, index, tensor<1x4x4x16xf16>, tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> (tensor<1x4x4x16xf16>, tensor<1x4x4xf32>, tensor<1x4x4xf32>)
  return
}
