// Packing becomes a loop over pieces, parallel in an entry; a product becomes a
// call of loops around a register tile; equal ones share a function.
// RUN: aik-opt %s --aik-lower-packed-products | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func.func @pack(
  // CHECK: scf.forall (%[[PANEL:.*]], %[[BLOCK:.*]]) in (13, 2) {
  // CHECK: func.call @aik$pack0(
  // CHECK-SAME: (memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?x?x8xf32, strided<[?, ?, 8, 1], offset: ?>>) -> ()
  func.func @pack(%a: memref<100x300xf32>, %p: memref<2x13x150x8x1xf32>) attributes {aikernel.entry = "run"} {
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<100x300xf32>, memref<2x13x150x8x1xf32>) -> ()
    return
  }

  // Along the rows of the source, whatever its layout: 21 panels of 12 columns
  // are 1008 bytes of a row. Blocks of the sum are cut, too, so that there are
  // pieces for many threads: the last slice of a block is short.
  // CHECK-LABEL: func.func @pack_across(
  // CHECK: scf.forall (%[[BLOCK:[^,]*]], %[[SLICE:[^,]*]], %[[GROUP:.*]]) in (2, 10, 2) {
  // CHECK: %[[WIDTH:.*]] = arith.constant 252 : index
  // CHECK: %[[COLUMN:.*]] = arith.muli %[[GROUP]], %[[WIDTH]]
  // CHECK: %[[LENGTH:.*]] = arith.constant 16 : index
  // CHECK: %[[BEFORE:.*]] = arith.muli %[[SLICE]], %[[LENGTH]]
  // CHECK: arith.constant 150 : index
  // CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[BEFORE]]
  // CHECK: %[[HERE:.*]] = arith.minsi %{{.*}}, %[[LEFT]]
  // CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %[[BEFORE]]
  // CHECK: func.call @aik$pack1(
  func.func @pack_across(%b: memref<300x260xf32>, %q: memref<2x22x150x12x1xf32>) attributes {aikernel.entry = "run"} {
    aikernel.pack_panels %b outs %q {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<300x260xf32>, memref<2x22x150x12x1xf32>) -> ()
    return
  }

  // CHECK-LABEL: func.func @product(
  // CHECK: call @aik$tiles2(
  // CHECK: call @aik$tiles2(
  // CHECK: call @aik$tiles2(
  func.func @product(%p: memref<2x13x150x8x1xf32>, %q: memref<2x5x150x12x1xf32>, %k: index, %c: memref<100x50xf32>) {
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x13x150x8x1xf32>, memref<2x5x150x12x1xf32>, index, memref<100x50xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x13x150x8x1xf32>, memref<2x5x150x12x1xf32>, index, memref<100x50xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id} : (memref<2x13x150x8x1xf32>, memref<2x5x150x12x1xf32>, index, memref<100x50xf32>) -> ()
    return
  }

  // Rows that are contiguous along the sum are transposed four by four.
  // CHECK-LABEL: func.func private @aik$pack0(
  // CHECK-SAME: passthrough = ["noinline"]
  // CHECK: %[[LOW:.*]] = vector.shuffle %[[R0:.*]], %[[R1:.*]] [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
  // CHECK: %[[LOW2:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
  // CHECK: %[[HIGH:.*]] = vector.shuffle %[[R0]], %[[R1]] [2, 6, 3, 7] : vector<4xf32>, vector<4xf32>
  // CHECK: %[[HIGH2:.*]] = vector.shuffle %{{.*}}, %{{.*}} [2, 6, 3, 7] : vector<4xf32>, vector<4xf32>
  // CHECK: %[[COLUMN:.*]] = vector.shuffle %[[LOW]], %[[LOW2]] [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
  // CHECK: vector.shuffle %[[LOW]], %[[LOW2]] [2, 3, 6, 7] : vector<4xf32>, vector<4xf32>
  // CHECK: vector.shuffle %[[HIGH]], %[[HIGH2]] [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
  // CHECK: vector.shuffle %[[HIGH]], %[[HIGH2]] [2, 3, 6, 7] : vector<4xf32>, vector<4xf32>
  // CHECK: vector.store %[[COLUMN]]

  // Those that are contiguous across panels are packed four steps of all panels
  // at a time, which are three lines of each; single steps follow.
  // CHECK-LABEL: func.func private @aik$pack1(
  // CHECK: scf.for %[[FIRST:.*]] = %{{.*}} to %[[EVEN:.*]] step %[[FOUR:.*]] {
  // CHECK-NEXT: {{.*}}constant 4
  // CHECK-NEXT: %[[LAST:.*]] = arith.addi %[[FIRST]]
  // CHECK: scf.for %[[PANEL:.*]] =
  // CHECK: scf.for %[[STEP:.*]] = %[[FIRST]] to %[[LAST]] step
  // CHECK: vector.store %{{.*}}, %arg1[%{{.*}}, %[[PANEL]], %[[STEP]], %{{.*}}]
  // CHECK: scf.for %[[PANEL:.*]] =
  // CHECK: scf.for %[[STEP:.*]] = %[[EVEN]] to
  // CHECK: vector.store %{{.*}}, %arg1[%{{.*}}, %[[PANEL]], %[[STEP]], %{{.*}}]

  // The whole tile: 8 rows of 3 vectors, each factor a lane. Two steps at a
  // time, column by column; beside the sums the loop carries the left operand
  // of the next step and two of the three vectors of the right one. The step
  // after the last round takes those; single steps follow.
  // CHECK-LABEL: func.func private @aik$tiles2(
  // CHECK: arith.maxsi
  // CHECK: scf.if {{.*}} -> ({{(vector<4xf32>, ){24}index}}) {
  // CHECK: %[[FIRST:.*]]:28 = scf.for {{.*}} -> ({{(vector<4xf32>, ){27}vector<4xf32>}}) {
  // CHECK: memref.prefetch
  // CHECK: vector.load
  // CHECK-COUNT-5: arith.addf
  // CHECK-NOT: arith.addf
  // CHECK: vector.load
  // CHECK-COUNT-5: arith.addf
  // CHECK-NOT: arith.addf
  // CHECK: vector.load
  // CHECK-NOT: memref.prefetch
  // CHECK: scf.yield
  // CHECK: vector.extract %[[FIRST]]#24[0] : f32 from vector<4xf32>
  // CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  // CHECK: vector.extract %{{.*}}[3] : f32 from vector<4xf32>
  // CHECK: scf.yield
  // Four and eight columns of the last panel have tiles of their own, but not
  // for one row.
  // CHECK: arith.cmpi sgt, %{{.*}}, %c1{{(_[0-9]+)?}} : index
  // CHECK: arith.cmpi sle, %[[WIDTH:.*]], %c4{{(_[0-9]+)?}} : index
  // CHECK: scf.if {{.*}} -> ({{(vector<4xf32>, ){8}index}}) {
  // CHECK: arith.cmpi sle, %[[WIDTH]], %c8{{(_[0-9]+)?}} : index
  // CHECK: scf.if {{.*}} -> ({{(vector<4xf32>, ){16}index}}) {
}
