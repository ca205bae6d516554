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

// -----

func.func @part_outputs(%q: memref<1x2x1x16xbf16>, %s: f32, %i: index, %accs: memref<1x3x2x16xf32>, %rows: memref<1x3x2xf32>) {
  // expected-error @+1 {{needs three parts and three outputs: acc, max and sum}}
  %done = aikernel.attention_part %q, %q, %q scale %s keys %i to %i head %i part %i of %i parts %accs, %rows, %rows outs %accs, %rows : (memref<1x2x1x16xbf16>, memref<1x2x1x16xbf16>, memref<1x2x1x16xbf16>, f32, index, index, index, index, index, memref<1x3x2x16xf32>, memref<1x3x2xf32>, memref<1x3x2xf32>, memref<1x3x2x16xf32>, memref<1x3x2xf32>) -> i1
  return
}

// -----

func.func @part_rank(%q: memref<2x1x16xbf16>, %s: f32, %i: index, %accs: memref<1x3x2x16xf32>, %rows: memref<1x3x2xf32>) {
  // expected-error @+1 {{q, k, v and accumulators have rank 4, not 3}}
  %done = aikernel.attention_part %q, %q, %q scale %s keys %i to %i head %i part %i of %i parts %accs, %rows, %rows outs %accs, %rows, %rows : (memref<2x1x16xbf16>, memref<2x1x16xbf16>, memref<2x1x16xbf16>, f32, index, index, index, index, index, memref<1x3x2x16xf32>, memref<1x3x2xf32>, memref<1x3x2xf32>, memref<1x3x2x16xf32>, memref<1x3x2xf32>, memref<1x3x2xf32>) -> i1
  return
}

// -----

func.func @part_rows(%q: memref<1x2x1x16xbf16>, %s: f32, %i: index, %accs: memref<1x3x2x16xf32>) {
  // expected-error @+1 {{maximums and sums have rank 3, not 4}}
  %done = aikernel.attention_part %q, %q, %q scale %s keys %i to %i head %i part %i of %i parts %accs, %accs, %accs outs %accs, %accs, %accs : (memref<1x2x1x16xbf16>, memref<1x2x1x16xbf16>, memref<1x2x1x16xbf16>, f32, index, index, index, index, index, memref<1x3x2x16xf32>, memref<1x3x2x16xf32>, memref<1x3x2x16xf32>, memref<1x3x2x16xf32>, memref<1x3x2x16xf32>, memref<1x3x2x16xf32>) -> i1
  return
}

// -----

func.func @part_sizes(%q: memref<1x?x1x16xbf16>, %s: f32, %i: index, %accs: memref<1x3x2x16xf32>, %rows: memref<1x3x2xf32>) {
  // expected-error @+1 {{needs constant numbers of heads, queries and features}}
  %done = aikernel.attention_part %q, %q, %q scale %s keys %i to %i head %i part %i of %i parts %accs, %rows, %rows outs %accs, %rows, %rows : (memref<1x?x1x16xbf16>, memref<1x?x1x16xbf16>, memref<1x?x1x16xbf16>, f32, index, index, index, index, index, memref<1x3x2x16xf32>, memref<1x3x2xf32>, memref<1x3x2xf32>, memref<1x3x2x16xf32>, memref<1x3x2xf32>, memref<1x3x2xf32>) -> i1
  return
}

// -----

func.func @part_counters(%q: memref<1x2x1x16xbf16>, %s: f32, %i: index, %accs: memref<1x3x2x16xf32>, %rows: memref<1x3x2xf32>, %counters: memref<1x3xi32>) {
  // expected-error @+1 {{counts arrived blocks in a vector of i64, not 'memref<1x3xi32>'}}
  %done = aikernel.attention_part %q, %q, %q scale %s keys %i to %i head %i part %i of %i parts %accs, %rows, %rows, %counters outs %accs, %rows, %rows : (memref<1x2x1x16xbf16>, memref<1x2x1x16xbf16>, memref<1x2x1x16xbf16>, f32, index, index, index, index, index, memref<1x3x2x16xf32>, memref<1x3x2xf32>, memref<1x3x2xf32>, memref<1x3xi32>, memref<1x3x2x16xf32>, memref<1x3x2xf32>, memref<1x3x2xf32>) -> i1
  return
}
