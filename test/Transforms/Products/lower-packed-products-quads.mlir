// An instruction that multiplies squares keeps its sums as squares and takes
// them apart once, after the loop.
// RUN: aik-opt %s --aik-lower-packed-products | FileCheck %s

#none = affine_map<(b, m, n) -> ()>
#batch = affine_map<(b, m, n) -> (b)>
#out = affine_map<(b, m, n) -> (m, b, n)>
// CHECK-LABEL: func.func @batch(
// CHECK: scf.for
// CHECK: call @aik$tiles0(
func.func @batch(%p: memref<5x1x2x16x8x8xi8>, %q: memref<1x2x16x12x8xi8>, %k: index, %c: memref<16x5x24xi32>) {
  aikernel.packed_product %p, %q depth %k outs %c {instruction = "smmla", lhs_map = #batch, rhs_map = #none, out_map = #out} : (memref<5x1x2x16x8x8xi8>, memref<1x2x16x12x8xi8>, index, memref<16x5x24xi32>) -> ()
  return
}
// CHECK-LABEL: func.func private @aik$tiles0(
// CHECK-NOT: memref.prefetch {{.*}}, write
// CHECK-COUNT-4: vector.load {{.*}} vector<16xi8>
// CHECK-COUNT-24: llvm.call_intrinsic "llvm.aarch64.neon.smmla.v4i32.v16i8"
// CHECK: scf.yield
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5] : vector<4xi32>, vector<4xi32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [2, 3, 6, 7] : vector<4xi32>, vector<4xi32>
