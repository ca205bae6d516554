// The sums of a tile in tile registers stay on the stack, also where they are
// larger than what other loops may have there. Other sums, and those beside a
// product whose code has buffers of its own, get a part for each iteration.
// RUN: aik-opt %s --aik-promote-scratch | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func @product(
// CHECK-NOT: memref.alloc(
// CHECK: scf.forall
// CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<524288xi8>
func.func @product(%p: memref<1x16x8x32x32xbf16>, %q: memref<1x8x128x32x2xbf16>, %k: index) {
  scf.forall (%i) in (4) {
    %c = memref.alloc() : memref<512x256xf32>
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x16x8x32x32xbf16>, memref<1x8x128x32x2xbf16>, index, memref<512x256xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @with_another(
// CHECK: memref.alloc(
// CHECK: scf.forall
// CHECK-NOT: memref.alloca
func.func @with_another(%p: memref<1x16x8x32x32xbf16>, %q: memref<1x8x128x32x2xbf16>, %k: index, %a: memref<8x8xf32>, %b: memref<8x8xf32>, %o: memref<8x8xf32>) {
  scf.forall (%i) in (4) {
    %c = memref.alloc() : memref<512x256xf32>
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x16x8x32x32xbf16>, memref<1x8x128x32x2xbf16>, index, memref<512x256xf32>) -> ()
    linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%o : memref<8x8xf32>)
  }
  return
}

// CHECK-LABEL: func.func @in_rows(
// CHECK: memref.alloc(
// CHECK: scf.forall
// CHECK-NOT: memref.alloca
func.func @in_rows(%p: memref<1x64x256x8x1xf32>, %q: memref<1x6x256x48x1xf32>, %k: index) {
  scf.forall (%i) in (4) {
    %c = memref.alloc() : memref<512x256xf32>
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x64x256x8x1xf32>, memref<1x6x256x48x1xf32>, index, memref<512x256xf32>) -> ()
  }
  return
}
