// Tile registers write the last sums of an epilogue to a buffer of two tiles,
// from which it reads them while the next tile is multiplied, a few rows in each
// round; those of other blocks stay in the matrix of sums. Where all panels
// of columns together leave L2 the next panels are asked for, and lines of the
// result before they are written.
// RUN: aik-opt %s --aik-lower-packed-products | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bf16,+amx-tile,+amx-bf16", vector_bits = 512>} {
  func.func @rounded(%p: memref<2x2x8x32x32xbf16>, %q: memref<2x2x128x32x2xbf16>, %k: index, %y: memref<64x64xbf16>) {
    %c = memref.alloca() : memref<64x64xf32>
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x2x8x32x32xbf16>, memref<2x2x128x32x2xbf16>, index, memref<64x64xf32>) -> ()
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : memref<64x64xf32>) outs(%y : memref<64x64xbf16>) {
    ^bb0(%sum: f32, %old: bf16):
      %r = arith.truncf %sum : f32 to bf16
      linalg.yield %r : bf16
    }
    return
  }
  func.func @far(%p: memref<2x64x8x32x32xbf16>, %all: memref<2x64x128x32x2xbf16>, %k: index, %n: index, %c: memref<64x64xf32>) {
    %q = memref.subview %all[0, %n, 0, 0, 0] [2, 2, 128, 32, 2] [1, 1, 1, 1, 1] : memref<2x64x128x32x2xbf16> to memref<2x2x128x32x2xbf16, strided<[524288, 8192, 64, 2, 1], offset: ?>>
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x64x8x32x32xbf16>, memref<2x2x128x32x2xbf16, strided<[524288, 8192, 64, 2, 1], offset: ?>>, index, memref<64x64xf32>) -> ()
    return
  }
  func.func @far_rounded(%p: memref<2x2x8x32x32xbf16>, %all: memref<2x64x128x32x2xbf16>, %k: index, %n: index, %y: memref<64x64xbf16>) {
    %q = memref.subview %all[0, %n, 0, 0, 0] [2, 2, 128, 32, 2] [1, 1, 1, 1, 1] : memref<2x64x128x32x2xbf16> to memref<2x2x128x32x2xbf16, strided<[524288, 8192, 64, 2, 1], offset: ?>>
    %c = memref.alloca() : memref<64x64xf32>
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x2x8x32x32xbf16>, memref<2x2x128x32x2xbf16, strided<[524288, 8192, 64, 2, 1], offset: ?>>, index, memref<64x64xf32>) -> ()
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : memref<64x64xf32>) outs(%y : memref<64x64xbf16>) {
    ^bb0(%sum: f32, %old: bf16):
      %r = arith.truncf %sum : f32 to bf16
      linalg.yield %r : bf16
    }
    return
  }

  // CHECK-LABEL: func.func private @aik$tiles0(
  // CHECK-NOT: memref.prefetch
  // CHECK: memref.alloca() {alignment = 64 : i64} : memref<32x32xf32>
  // CHECK: %[[BUFFER:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64x32xf32>
  // CHECK: %[[FIRST:.*]] = arith.andi %arg3
  // CHECK: %[[LAST:.*]] = arith.cmpi eq
  // The first block, which may be the last: nothing is added to.
  // CHECK: scf.if %[[FIRST]] {
  // CHECK-NEXT: scf.if %[[LAST]] {
  // CHECK: %[[ROUNDS:.*]] = arith.muli %{{[0-9]+}}, %c2_{{.*}} : index
  // CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[M:.*]], %c0
  // CHECK: %[[ALL:.*]] = arith.select %[[NONE]], %c0{{.*}}, %c32
  // CHECK: arith.maxsi %[[ROUNDS]]
  // CHECK: arith.ceildivui %[[ALL]]
  // A half of the tile after the other: 16 rows, for which each step loads one
  // tile on the left and two on the right, each just before it is multiplied.
  // CHECK: scf.for %[[HALF:.*]] = %c0{{.*}} to %c2{{.*}} step %c1
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilezero.internal"
  // CHECK: scf.for %[[STEP:.*]] = %{{.*}} iter_args(
  // CHECK: %[[BEFORE:.*]] = arith.muli %[[HALF]], %{{.*}}
  // CHECK: %[[ROUND:.*]] = arith.addi %[[BEFORE]], %[[STEP]]
  // CHECK: %[[ROWS:.*]] = llvm.call_intrinsic "llvm.x86.tileloaddt164.internal"
  // CHECK: %[[LEFT:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
  // CHECK: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"{{.*}} %[[ROWS]], %[[LEFT]])
  // CHECK: %[[RIGHT:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
  // CHECK: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"{{.*}} %[[ROWS]], %[[RIGHT]])
  // CHECK: scf.for
  // CHECK: %[[SUMS:.*]] = vector.load %[[BUFFER]]{{.*}} vector<32xf32>
  // CHECK: arith.truncf %[[SUMS]]
  // CHECK: scf.yield
  // CHECK: memref.extract_aligned_pointer_as_index %[[BUFFER]]
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilestored64.internal"
  // Without steps nothing was read yet.
  // CHECK: scf.for
  // CHECK: vector.load %[[BUFFER]]
  // CHECK: } else {
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilezero.internal"
  // CHECK: memref.extract_aligned_pointer_as_index %arg4
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilestored64.internal"
  // Another block adds to what is there.
  // CHECK: scf.if %[[LAST]] {
  // CHECK: memref.extract_aligned_pointer_as_index %arg4
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
  // CHECK: vector.load %[[BUFFER]]
  // CHECK: memref.extract_aligned_pointer_as_index %[[BUFFER]]
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tilestored64.internal"
  // The last whole tile of these columns.
  // CHECK: %[[SOME:.*]] = arith.cmpi ugt,
  // CHECK: %[[FULL:.*]] = arith.andi %{{.*}}, %[[SOME]]
  // CHECK: %[[WAITS:.*]] = arith.andi %[[LAST]], %[[FULL]]
  // CHECK: scf.if %[[WAITS]] {
  // CHECK: vector.load %[[BUFFER]]
  // CHECK-NOT: memref.prefetch

  // CHECK-LABEL: func.func private @aik$tiles1(
  // The next panel of columns, of the next block after the last column.
  // CHECK: %[[BLOCK:.*]] = arith.select %{{.*}}, %c0{{.*}}, %{{.*}} : index
  // CHECK: %[[NOW:.*]] = arith.divui %{{.*}}, %c32
  // CHECK: %[[NEXT:.*]] = arith.addi %[[NOW]], %c1
  // CHECK: %[[STAYS:.*]] = arith.cmpi slt, %[[NEXT]], %{{.*}} : index
  // CHECK: %[[AFTER:.*]] = arith.select %{{.*}}, %[[NEXT]], %c0
  // CHECK: %[[ATBLOCK:.*]] = arith.select %[[STAYS]], %{{.*}}, %[[BLOCK]]
  // CHECK: %[[PANEL:.*]] = arith.select %[[STAYS]], %[[NEXT]], %[[AFTER]]
  // CHECK: %[[RIGHT:.*]] = memref.subview %arg1[%[[ATBLOCK]], %[[PANEL]], 0, 0]
  // CHECK: %[[LEFT:.*]] = memref.subview %arg0[%[[BLOCK]],
  // A line at a time, in each round.
  // CHECK: scf.for {{.*}} iter_args(
  // CHECK: scf.for %{{.*}} step %c1
  // CHECK: memref.prefetch %[[RIGHT]]{{.*}}, read, locality<2>, data
  // CHECK: scf.for %{{.*}} step %c1
  // CHECK: memref.prefetch %[[LEFT]]{{.*}}, read, locality<2>, data
  // CHECK: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"

  // The rows of this tile, after the same of the one before are written.
  // CHECK-LABEL: func.func private @aik$tiles2(
  // CHECK: %[[BUFFER:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64x32xf32>
  // CHECK: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
  // CHECK: vector.load %[[BUFFER]]
  // CHECK: vector.store {{.*}} %arg5[%{{.*}}, %[[COLUMN:[a-z0-9]*]]]
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to
  // CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[M:.*]], %[[I]]
  // CHECK-NEXT: memref.prefetch %arg5[%[[ROW]], %[[COLUMN]]], write, locality<3>, data
  // CHECK-NOT: write
  // CHECK: memref.extract_aligned_pointer_as_index %[[BUFFER]]
}
