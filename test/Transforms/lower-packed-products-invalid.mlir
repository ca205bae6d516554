// RUN: aik-opt %s --aik-lower-packed-products --verify-diagnostics

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
func.func @unknown(%p: memref<1x1x8x8x1xf32>, %q: memref<1x1x8x12x1xf32>, %k: index, %c: memref<8x12xf32>) {
  // expected-error @below {{names the instruction 'dream', which is not in the table}}
  aikernel.packed_product %p, %q depth %k outs %c {instruction = "dream", lhs_map = #none, rhs_map = #none, out_map = #id} : (memref<1x1x8x8x1xf32>, memref<1x1x8x12x1xf32>, index, memref<8x12xf32>) -> ()
  return
}
