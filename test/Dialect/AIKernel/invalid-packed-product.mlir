// RUN: aik-opt %s -split-input-file -verify-diagnostics

func.func @dims(%a: tensor<8x8xf32>, %e: tensor<1x1x8x8x1xf32>) {
  // expected-error @+1 {{panel_dim 1 and depth_dim 1 are not two dimensions of a tensor of rank 2}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 1 : i64, depth_dim = 1 : i64} : (tensor<8x8xf32>, tensor<1x1x8x8x1xf32>) -> tensor<1x1x8x8x1xf32>
  return
}

// -----

func.func @rank(%a: tensor<8x8xf32>, %e: tensor<1x8x8x1xf32>) {
  // expected-error @+1 {{'dest' has rank 4, expected 5}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<8x8xf32>, tensor<1x8x8x1xf32>) -> tensor<1x8x8x1xf32>
  return
}

// -----

func.func @dynamic(%a: tensor<8x8xf32>, %e: tensor<1x1x8x?x1xf32>) {
  // expected-error @+1 {{the last three sizes of 'dest' must be static}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<8x8xf32>, tensor<1x1x8x?x1xf32>) -> tensor<1x1x8x?x1xf32>
  return
}

// -----

func.func @empty_rows(%a: tensor<8x8xf32>, %e: tensor<1x1x8x0x1xf32>) {
  // expected-error @+1 {{the last three sizes of 'dest' must be static and not 0}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<8x8xf32>, tensor<1x1x8x0x1xf32>) -> tensor<1x1x8x0x1xf32>
  return
}

// -----

func.func @empty_block(%a: tensor<8x8xf32>, %e: tensor<1x1x0x8x1xf32>) {
  // expected-error @+1 {{the last three sizes of 'dest' must be static and not 0}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<8x8xf32>, tensor<1x1x0x8x1xf32>) -> tensor<1x1x0x8x1xf32>
  return
}

// -----

func.func @out_map(%p: tensor<1x1x8x8x1xf32>, %k: index, %c: tensor<8x8xf32>) {
  // expected-error @+1 {{'out_map' must permute the loops onto the 2 dimensions of 'out'}}
  %r = aikernel.packed_product %p, %p depth %k outs %c {instruction = "x", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, m)>} : (tensor<1x1x8x8x1xf32>, tensor<1x1x8x8x1xf32>, index, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @operand_rank(%p: tensor<1x1x8x8x1xf32>, %q: tensor<2x1x1x8x8x1xf32>, %k: index, %c: tensor<8x8xf32>) {
  // expected-error @+1 {{a packed operand has rank 6, expected 5}}
  %r = aikernel.packed_product %p, %q depth %k outs %c {instruction = "x", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>} : (tensor<1x1x8x8x1xf32>, tensor<2x1x1x8x8x1xf32>, index, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @indexed_by_rows(%p: tensor<8x1x1x8x8x1xf32>, %q: tensor<1x1x8x8x1xf32>, %k: index, %c: tensor<8x8xf32>) {
  // expected-error @+1 {{a packed operand may be indexed by batch loops alone}}
  %r = aikernel.packed_product %p, %q depth %k outs %c {instruction = "x", lhs_map = affine_map<(m, n) -> (m)>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>} : (tensor<8x1x1x8x8x1xf32>, tensor<1x1x8x8x1xf32>, index, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @steps(%a: tensor<8x8xf32>, %e: tensor<1x1x8x8x1xf32>) {
  // expected-error @+1 {{step_multiple 3 does not divide the steps of a block}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64, step_multiple = 3 : i64} : (tensor<8x8xf32>, tensor<1x1x8x8x1xf32>) -> tensor<1x1x8x8x1xf32>
  return
}

// -----

func.func @sign(%a: tensor<8x8xf32>, %e: tensor<1x1x8x8x1xf32>) {
  // expected-error @+1 {{only 8-bit integers may have their sign flipped}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64, flip_sign} : (tensor<8x8xf32>, tensor<1x1x8x8x1xf32>) -> tensor<1x1x8x8x1xf32>
  return
}

// -----

func.func @steps_of_parts(%a: tensor<8x8xf32>, %e: tensor<1x1x9x8x1xbf16>) {
  // expected-error @+1 {{the 9 steps of a block are not as many for each of 3 parts and one more}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64, parts = 3 : i64} : (tensor<8x8xf32>, tensor<1x1x9x8x1xbf16>) -> tensor<1x1x9x8x1xbf16>
  return
}

// -----

func.func @parts_of_bf16(%a: tensor<8x8xbf16>, %e: tensor<1x1x25x8x1xbf16>) {
  // expected-error @+1 {{only f32 is packed in parts, three of bf16}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64, parts = 3 : i64} : (tensor<8x8xbf16>, tensor<1x1x25x8x1xbf16>) -> tensor<1x1x25x8x1xbf16>
  return
}

// -----

func.func @two_parts(%a: tensor<8x8xf32>, %e: tensor<1x1x17x8x1xbf16>) {
  // expected-error @+1 {{only f32 is packed in parts, three of bf16}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64, parts = 2 : i64} : (tensor<8x8xf32>, tensor<1x1x17x8x1xbf16>) -> tensor<1x1x17x8x1xbf16>
  return
}

// -----

func.func @narrow_parts(%a: tensor<8x8xf32>, %e: tensor<1x1x25x8x1xbf16>) {
  // expected-error @+1 {{a step of parts has fewer than 64 numbers}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64, parts = 3 : i64} : (tensor<8x8xf32>, tensor<1x1x25x8x1xbf16>) -> tensor<1x1x25x8x1xbf16>
  return
}

// -----

func.func @no_steps_of_parts(%a: tensor<8x8xf32>, %e: tensor<1x1x1x32x32xbf16>) {
  // expected-error @+1 {{the 1 steps of a block are not as many for each of 3 parts and one more}}
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64, parts = 3 : i64} : (tensor<8x8xf32>, tensor<1x1x1x32x32xbf16>) -> tensor<1x1x1x32x32xbf16>
  return
}
