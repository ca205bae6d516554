// The schedule is read, never guessed: a missing one and one that does not fit
// the root are errors.
// RUN: aik-opt %s --aik-tile-and-fuse --split-input-file --verify-diagnostics

func.func private @none(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> attributes {aikernel.kernel} {
  // expected-error @+1 {{is the root of a kernel but has no schedule}}
  %0 = linalg.exp {aikernel.root = array<i64: 0>} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func private @short(%x: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {aikernel.kernel} {
  // expected-error @+1 {{has 2 loops but its schedule has 1 tile sizes}}
  %0 = linalg.exp {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [4]>} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// A product takes its sum in the blocks in which its operands are packed.
#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
func.func private @blocks(%p: tensor<2x8x252x8x1xf32>, %q: tensor<2x2x252x48x1xf32>, %o: tensor<64x96xf32>) -> tensor<64x96xf32> attributes {aikernel.kernel} {
  %k = arith.constant 500 : index
  // expected-error @+1 {{is not packed here in blocks of 252}}
  %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [32, 48], inner = 252>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id} : (tensor<2x8x252x8x1xf32>, tensor<2x2x252x48x1xf32>, index, tensor<64x96xf32>) -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}

// -----

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
func.func private @other_blocks(%a: tensor<64x500xf32>, %b: tensor<500x96xf32>, %o: tensor<64x96xf32>) -> tensor<64x96xf32> attributes {aikernel.kernel} {
  %k = arith.constant 500 : index
  %e = tensor.empty() : tensor<2x8x252x8x1xf32>
  %f = tensor.empty() : tensor<2x2x252x48x1xf32>
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<64x500xf32>, tensor<2x8x252x8x1xf32>) -> tensor<2x8x252x8x1xf32>
  %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<500x96xf32>, tensor<2x2x252x48x1xf32>) -> tensor<2x2x252x48x1xf32>
  // expected-error @+1 {{is not packed here in blocks of 128}}
  %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [32, 48], inner = 128>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id} : (tensor<2x8x252x8x1xf32>, tensor<2x2x252x48x1xf32>, index, tensor<64x96xf32>) -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}

// -----

// Nor otherwise within its tile.
#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
func.func private @other_length(%a: tensor<64x700xbf16>, %b: tensor<700x100xbf16>, %o: tensor<64x100xf32>) -> tensor<64x100xf32> attributes {aikernel.kernel} {
  %k = arith.constant 700 : index
  %e = tensor.empty() : tensor<2x2x16x32x32xbf16>
  %f = tensor.empty() : tensor<2x4x256x32x2xbf16>
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<64x700xbf16>, tensor<2x2x16x32x32xbf16>) -> tensor<2x2x16x32x32xbf16>
  %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (tensor<700x100xbf16>, tensor<2x4x256x32x2xbf16>) -> tensor<2x4x256x32x2xbf16>
  // expected-error @+1 {{is not packed here in blocks of 256}}
  %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [64, 64], inner = 256>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<2x2x16x32x32xbf16>, tensor<2x4x256x32x2xbf16>, index, tensor<64x100xf32>) -> tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}

// -----

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
func.func private @panels(%p: tensor<1x2x16x32x32xbf16>, %q: tensor<1x4x256x32x2xbf16>, %o: tensor<64x100xf32>) -> tensor<64x100xf32> attributes {aikernel.kernel} {
  %k = arith.constant 500 : index
  // expected-error @+1 {{has panels of 32 but its schedule has tiles of 48}}
  %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [64, 48]>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x2x16x32x32xbf16>, tensor<1x4x256x32x2xbf16>, index, tensor<64x100xf32>) -> tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}

// -----

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
func.func private @below(%p: tensor<1x2x16x32x32xbf16>, %q: tensor<1x4x256x32x2xbf16>, %o: tensor<64x100xf32>) -> tensor<64x100xf32> attributes {aikernel.kernel} {
  %k = arith.constant 500 : index
  // expected-error @+1 {{has a schedule with sizes below zero}}
  %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [-32, 32]>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x2x16x32x32xbf16>, tensor<1x4x256x32x2xbf16>, index, tensor<64x100xf32>) -> tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}

// -----

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
func.func private @no_tiles(%p: tensor<1x2x16x32x32xbf16>, %q: tensor<1x4x256x32x2xbf16>, %o: tensor<64x100xf32>) -> tensor<64x100xf32> attributes {aikernel.kernel} {
  %k = arith.constant 500 : index
  // expected-error @+1 {{takes blocks of 512 in its tiles, of which there are none}}
  %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [0, 0], inner = 512>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x2x16x32x32xbf16>, tensor<1x4x256x32x2xbf16>, index, tensor<64x100xf32>) -> tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}

// -----

// Of batches each tile would pack the first.
#b = affine_map<(b, m, n) -> (b)>
#id = affine_map<(b, m, n) -> (b, m, n)>
func.func private @batches(%a: tensor<3x64x700xbf16>, %b: tensor<3x700x100xbf16>, %o: tensor<3x64x100xf32>) -> tensor<3x64x100xf32> attributes {aikernel.kernel} {
  %k = arith.constant 700 : index
  %e = tensor.empty() : tensor<3x2x2x16x32x32xbf16>
  %f = tensor.empty() : tensor<3x2x4x256x32x2xbf16>
  %p = aikernel.pack_panels %a outs %e {panel_dim = 1 : i64, depth_dim = 2 : i64} : (tensor<3x64x700xbf16>, tensor<3x2x2x16x32x32xbf16>) -> tensor<3x2x2x16x32x32xbf16>
  %q = aikernel.pack_panels %b outs %f {panel_dim = 2 : i64, depth_dim = 1 : i64, step_multiple = 16 : i64} : (tensor<3x700x100xbf16>, tensor<3x2x4x256x32x2xbf16>) -> tensor<3x2x4x256x32x2xbf16>
  // expected-error @+1 {{is not packed here in blocks of 512}}
  %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1, 2>, aikernel.schedule = #aikernel.schedule<tiles = [1, 64, 64], inner = 512>, instruction = "tdpbf16ps", lhs_map = #b, rhs_map = #b, out_map = #id, overwrite} : (tensor<3x2x2x16x32x32xbf16>, tensor<3x2x4x256x32x2xbf16>, index, tensor<3x64x100xf32>) -> tensor<3x64x100xf32>
  return %y : tensor<3x64x100xf32>
}
