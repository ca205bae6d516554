// RUN: aik-opt %s --aik-lower-packed-products --split-input-file --verify-diagnostics

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
func.func @unknown(%p: memref<1x1x8x8x1xf32>, %q: memref<1x1x8x12x1xf32>, %k: index, %c: memref<8x12xf32>) {
  // expected-error @below {{names the instruction 'dream', which is not in the table}}
  aikernel.packed_product %p, %q depth %k outs %c {instruction = "dream", lhs_map = #none, rhs_map = #none, out_map = #id} : (memref<1x1x8x8x1xf32>, memref<1x1x8x12x1xf32>, index, memref<8x12xf32>) -> ()
  return
}

// -----

func.func @width(%a: memref<1x8x4x8x1xf32>, %b: memref<1x6x4x0x1xf32>, %k: index, %c: memref<64x64xf32>) {
  // expected-error @below {{is not packed for the instruction 'fmla.f32'}}
  aikernel.packed_product %a, %b depth %k outs %c {instruction = "fmla.f32", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>} : (memref<1x8x4x8x1xf32>, memref<1x6x4x0x1xf32>, index, memref<64x64xf32>) -> ()
  return
}

// -----

func.func @depth(%a: memref<1x8x4x8x2xf32>, %b: memref<1x6x4x12x1xf32>, %k: index, %c: memref<64x64xf32>) {
  // expected-error @below {{is not packed for the instruction 'fmla.f32'}}
  aikernel.packed_product %a, %b depth %k outs %c {instruction = "fmla.f32", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>} : (memref<1x8x4x8x2xf32>, memref<1x6x4x12x1xf32>, index, memref<64x64xf32>) -> ()
  return
}

// -----

func.func @without_parts(%a: memref<1x2x8x32x32xbf16>, %b: memref<1x2x128x32x2xbf16>, %k: index, %c: memref<64x64xf32>) {
  // expected-error @below {{is not packed for the instruction 'tdpbf16ps.f32'}}
  aikernel.packed_product %a, %b depth %k outs %c {instruction = "tdpbf16ps.f32", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>} : (memref<1x2x8x32x32xbf16>, memref<1x2x128x32x2xbf16>, index, memref<64x64xf32>) -> ()
  return
}

// -----

func.func @empty_parts(%a: memref<1x2x1x32x32xbf16>, %b: memref<1x2x16x32x2xbf16>, %k: index, %c: memref<64x64xf32>) {
  // expected-error @below {{is not packed for the instruction 'tdpbf16ps.f32'}}
  aikernel.packed_product %a, %b depth %k outs %c {instruction = "tdpbf16ps.f32", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>} : (memref<1x2x1x32x32xbf16>, memref<1x2x16x32x2xbf16>, index, memref<64x64xf32>) -> ()
  return
}
