// Tile registers read rows where they are, if these begin at lines of the cache,
// which is known when the code runs; then they are not packed. A panel of rows
// stays in L1 and the panels of columns go by it. Vectors of AVX-512 read single
// elements of rows in place, wherever these begin.
// RUN: aik-opt %s --aik-lower-packed-products | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bf16,+amx-tile,+amx-bf16", vector_bits = 512>} {
  // CHECK-LABEL: func.func @rows(
  // CHECK: memref.extract_aligned_pointer_as_index %arg0
  // CHECK: %[[BOTH:.*]] = arith.ori
  // CHECK: %[[LOW:.*]] = arith.andi %[[BOTH]], %c63
  // CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[LOW]], %c0
  // CHECK: scf.if %[[ALIGNED]] {
  // CHECK-NEXT: } else {
  // CHECK: call @aik$pack0(
  // CHECK: scf.forall (%[[M:.*]]) in (8) {
  // CHECK: %[[ROWS:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [%c32{{.*}}, %c96{{.*}}], strides: [%c96{{.*}}, 1]
  // CHECK: %[[HERE:.*]] = arith.cmpi eq, %{{.*}}, %c0
  // CHECK-NEXT: scf.if %[[HERE]] {
  // CHECK-NEXT: func.call @aik$tiles2(%[[ROWS]],
  // CHECK-NEXT: } else {
  // CHECK-NEXT: func.call @aik$tiles3(
  func.func @rows(%a: memref<256x96xbf16>, %q: memref<1x2x48x32x2xbf16>, %y: memref<256x64xbf16>) {
    %k = arith.constant 96 : index
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x96xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    scf.forall (%m) in (8) {
      %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%m)
      %c = memref.alloca() : memref<32x64xf32>
      %part = memref.subview %p[0, %m, 0, 0, 0] [1, 1, 3, 32, 32] [1, 1, 1, 1, 1] : memref<1x8x3x32x32xbf16> to memref<1x1x3x32x32xbf16, strided<[24576, 3072, 1024, 32, 1], offset: ?>>
      aikernel.packed_product %part, %q depth %k outs %c {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x1x3x32x32xbf16, strided<[24576, 3072, 1024, 32, 1], offset: ?>>, memref<1x2x48x32x2xbf16>, index, memref<32x64xf32>) -> ()
      %out = memref.subview %y[%row, 0] [32, 64] [1, 1] : memref<256x64xbf16> to memref<32x64xbf16, strided<[64, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : memref<32x64xf32>) outs(%out : memref<32x64xbf16, strided<[64, 1], offset: ?>>) {
      ^bb0(%sum: f32, %old: bf16):
        %r = arith.truncf %sum : f32 to bf16
        linalg.yield %r : bf16
      }
    }
    return
  }

  // Without an epilogue, and what is written to afterwards.
  // CHECK-LABEL: func.func @plain(
  // CHECK: call @aik$tiles4(
  // CHECK: call @aik$tiles5(
  // CHECK: linalg.fill
  func.func @plain(%a: memref<256x96xbf16>, %q: memref<1x3x48x32x2xbf16>, %c: memref<256x96xf32>) {
    %k = arith.constant 96 : index
    %z = arith.constant 0.0 : bf16
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x96xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x3x32x32xbf16>, memref<1x3x48x32x2xbf16>, index, memref<256x96xf32>) -> ()
    linalg.fill ins(%z : bf16) outs(%a : memref<256x96xbf16>)
    return
  }

  // Somebody writes to the rows before the product is done: packed, they stay
  // while columns go by, too.
  // CHECK-LABEL: func.func @written(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: call @aik$tiles5(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: return
  func.func @written(%a: memref<256x96xbf16>, %q: memref<1x3x48x32x2xbf16>, %c: memref<256x96xf32>) {
    %k = arith.constant 96 : index
    %z = arith.constant 0.0 : bf16
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x96xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    linalg.fill ins(%z : bf16) outs(%a : memref<256x96xbf16>)
    aikernel.packed_product %p, %q depth %k outs %c {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x3x32x32xbf16>, memref<1x3x48x32x2xbf16>, index, memref<256x96xf32>) -> ()
    return
  }

  // Their memory may be that of a result.
  // CHECK-LABEL: func.func @donated(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: call @aik$tiles5(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: return
  func.func @donated(%a: memref<256x96xbf16>, %q: memref<1x3x48x32x2xbf16>, %c: memref<256x96xf32>, %y: memref<256x96xbf16> {aikernel.result = 0 : i64, aikernel.donor = 0 : i64}) attributes {aikernel.entry = "run"} {
    %k = arith.constant 96 : index
    %z = arith.constant 0.0 : bf16
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x96xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x3x32x32xbf16>, memref<1x3x48x32x2xbf16>, index, memref<256x96xf32>) -> ()
    return
  }

  // The rows have another name, by which they may be written to.
  // CHECK-LABEL: func.func @chosen(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: call @aik$tiles5(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: return
  func.func @chosen(%which: i1, %x: memref<256x96xbf16>, %z: memref<256x96xbf16>, %q: memref<1x3x48x32x2xbf16>, %c: memref<256x96xf32>) {
    %k = arith.constant 96 : index
    %a = arith.select %which, %x, %z : memref<256x96xbf16>
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x96xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x3x32x32xbf16>, memref<1x3x48x32x2xbf16>, index, memref<256x96xf32>) -> ()
    return
  }

  // What is done to the sums of a tile is written over rows of others.
  // CHECK-LABEL: func.func @epilogue(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: call @aik$tiles3(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: return
  func.func @epilogue(%a: memref<256x96xbf16>, %q: memref<1x3x48x32x2xbf16>) {
    %k = arith.constant 96 : index
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    %c = memref.alloc() : memref<256x96xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x96xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x3x32x32xbf16>, memref<1x3x48x32x2xbf16>, index, memref<256x96xf32>) -> ()
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : memref<256x96xf32>) outs(%a : memref<256x96xbf16>) {
    ^bb0(%sum: f32, %old: bf16):
      %r = arith.truncf %sum : f32 to bf16
      linalg.yield %r : bf16
    }
    return
  }

  // Tiles were chosen for packed rows.
  // CHECK-LABEL: func.func @other_tiles(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: call @aik$tiles6(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: return
  func.func @other_tiles(%a: memref<256x96xbf16>, %q: memref<1x3x48x32x2xbf16>, %c: memref<256x96xf32>) {
    %k = arith.constant 96 : index
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x96xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x3x32x32xbf16>, memref<1x3x48x32x2xbf16>, index, memref<256x96xf32>) -> ()
    return
  }

  // Another product reads what is packed, and can read the rows in place, too.
  // CHECK-LABEL: func.func @shared(
  // CHECK: scf.if
  // CHECK-NEXT: } else {
  // CHECK: call @aik$pack0(
  // CHECK: call @aik$tiles4(
  // CHECK: call @aik$tiles5(
  // CHECK: call @aik$tiles4(
  // CHECK: call @aik$tiles5(
  func.func @shared(%a: memref<256x96xbf16>, %q: memref<1x3x48x32x2xbf16>, %c: memref<256x96xf32>, %d: memref<256x96xf32>) {
    %k = arith.constant 96 : index
    %z = arith.constant 0.0 : bf16
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x96xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x3x32x32xbf16>, memref<1x3x48x32x2xbf16>, index, memref<256x96xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %d {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x3x32x32xbf16>, memref<1x3x48x32x2xbf16>, index, memref<256x96xf32>) -> ()
    return
  }

  // Another product needs what is packed.
  // CHECK-LABEL: func.func @shared_with_packed(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: call @aik$tiles5(
  // CHECK: call @aik$tiles6(
  // CHECK: return
  func.func @shared_with_packed(%a: memref<256x96xbf16>, %q: memref<1x3x48x32x2xbf16>, %c: memref<256x96xf32>, %d: memref<256x96xf32>) {
    %k = arith.constant 96 : index
    %z = arith.constant 0.0 : bf16
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x96xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x3x32x32xbf16>, memref<1x3x48x32x2xbf16>, index, memref<256x96xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %d {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x3x32x32xbf16>, memref<1x3x48x32x2xbf16>, index, memref<256x96xf32>) -> ()
    return
  }

  // The last step is not whole.
  // CHECK-LABEL: func.func @ragged(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: return
  func.func @ragged(%a: memref<256x72xbf16>, %q: memref<1x3x48x32x2xbf16>, %c: memref<256x96xf32>) {
    %k = arith.constant 96 : index
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x72xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x3x32x32xbf16>, memref<1x3x48x32x2xbf16>, index, memref<256x96xf32>) -> ()
    return
  }

  // Sums of several blocks go to and fro.
  // CHECK-LABEL: func.func @long(
  // CHECK-NOT: memref.extract_aligned_pointer_as_index
  // CHECK: return
  func.func @long(%a: memref<256x2048xbf16>, %q: memref<4x1x256x32x2xbf16>, %c: memref<256x32xf32>) {
    %k = arith.constant 2048 : index
    %p = memref.alloc() : memref<4x8x16x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x2048xbf16>, memref<4x8x16x32x32xbf16>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<4x8x16x32x32xbf16>, memref<4x1x256x32x2xbf16>, index, memref<256x32xf32>) -> ()
    return
  }

  // Elements of these rows go into all lanes.
  // CHECK-LABEL: func.func @broadcast(
  // CHECK-NOT: @aik$pack
  // CHECK: call @aik$tiles[[BROADCAST:[0-9]+]](%{{.*}}) : (memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?x?x48xf32
  // CHECK-NOT: @aik$pack
  // CHECK: return
  func.func @broadcast(%a: memref<16x384xf32>, %q: memref<1x2x384x48x1xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 384 : index
    %p = memref.alloc() : memref<1x2x384x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<16x384xf32>, memref<1x2x384x8x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x384x8x1xf32>, memref<1x2x384x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }

  // A panel would go beyond the last row.
  // CHECK-LABEL: func.func @few_rows(
  // CHECK: @aik$pack
  // CHECK: return
  func.func @few_rows(%a: memref<20x384xf32>, %q: memref<1x2x384x48x1xf32>, %c: memref<20x96xf32>) {
    %k = arith.constant 384 : index
    %p = memref.alloc() : memref<1x3x384x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<20x384xf32>, memref<1x3x384x8x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x3x384x8x1xf32>, memref<1x2x384x48x1xf32>, index, memref<20x96xf32>) -> ()
    return
  }

  // The same for vectors: written to, by another name, and a block of the sum.
  // CHECK-LABEL: func.func @broadcast_written(
  // CHECK: @aik$pack
  // CHECK: return
  func.func @broadcast_written(%a: memref<16x384xf32>, %q: memref<1x2x384x48x1xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 384 : index
    %z = arith.constant 0.0 : f32
    %p = memref.alloc() : memref<1x2x384x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<16x384xf32>, memref<1x2x384x8x1xf32>) -> ()
    linalg.fill ins(%z : f32) outs(%a : memref<16x384xf32>)
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x384x8x1xf32>, memref<1x2x384x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }
  // CHECK-LABEL: func.func @broadcast_chosen(
  // CHECK: @aik$pack
  // CHECK: return
  func.func @broadcast_chosen(%which: i1, %x: memref<16x384xf32>, %z: memref<16x384xf32>, %q: memref<1x2x384x48x1xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 384 : index
    %a = arith.select %which, %x, %z : memref<16x384xf32>
    %p = memref.alloc() : memref<1x2x384x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<16x384xf32>, memref<1x2x384x8x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x384x8x1xf32>, memref<1x2x384x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }
  // CHECK-LABEL: func.func @broadcast_block(
  // CHECK: @aik$pack
  // CHECK: return
  func.func @broadcast_block(%a: memref<16x768xf32>, %q: memref<1x2x384x48x1xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 384 : index
    %p = memref.alloc() : memref<2x2x384x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<16x768xf32>, memref<2x2x384x8x1xf32>) -> ()
    %s = memref.subview %p[1, 0, 0, 0, 0] [1, 2, 384, 8, 1] [1, 1, 1, 1, 1] : memref<2x2x384x8x1xf32> to memref<1x2x384x8x1xf32, strided<[6144, 3072, 8, 1, 1], offset: 6144>>
    aikernel.packed_product %s, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x384x8x1xf32, strided<[6144, 3072, 8, 1, 1], offset: 6144>>, memref<1x2x384x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }

  // Rows of 8 KiB.
  // CHECK-LABEL: func.func @apart(
  // CHECK: @aik$pack
  // CHECK: return
  func.func @apart(%a: memref<16x2048xf32>, %q: memref<1x2x2048x48x1xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 2048 : index
    %p = memref.alloc() : memref<1x2x2048x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<16x2048xf32>, memref<1x2x2048x8x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x2048x8x1xf32>, memref<1x2x2048x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }

  // Several products of the same rows, none of which needs them packed.
  // CHECK-LABEL: func.func @broadcast_shared(
  // CHECK-NOT: @aik$pack
  // CHECK: call @aik$tiles[[BROADCAST]](
  // CHECK: call @aik$tiles[[BROADCAST]](
  // CHECK-NOT: @aik$pack
  // CHECK: return
  func.func @broadcast_shared(%a: memref<16x384xf32>, %q: memref<1x2x384x48x1xf32>, %c: memref<16x96xf32>, %d: memref<16x96xf32>) {
    %k = arith.constant 384 : index
    %p = memref.alloc() : memref<1x2x384x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<16x384xf32>, memref<1x2x384x8x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x384x8x1xf32>, memref<1x2x384x48x1xf32>, index, memref<16x96xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %d {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x384x8x1xf32>, memref<1x2x384x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }

  // Longer rows lie further apart: another function.
  // CHECK-LABEL: func.func @broadcast_longer(
  // CHECK-NOT: @aik$pack
  // CHECK-NOT: @aik$tiles[[BROADCAST]](
  // CHECK: call @aik$tiles
  func.func @broadcast_longer(%a: memref<16x512xf32>, %q: memref<1x2x512x48x1xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 512 : index
    %p = memref.alloc() : memref<1x2x512x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<16x512xf32>, memref<1x2x512x8x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x512x8x1xf32>, memref<1x2x512x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }

  // CHECK-LABEL: func.func private @aik$tiles2(
  // CHECK: %[[BUFFER:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64x32xf32>
  // CHECK: %[[M:.*]] = memref.dim %arg4, %c0
  // CHECK: %[[N:.*]] = memref.dim %arg4, %c1
  // CHECK: %[[LONG:.*]] = arith.cmpi ugt, %[[STEPS:.*]], %c16
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[M]] step %c32
  // CHECK: %[[BYTES:.*]] = arith.muli %strides#0, %c2
  // CHECK: %[[BESIDE:.*]] = arith.muli %[[BYTES]], %c16
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]] step %c32
  // Of long rows, every second panel of columns is multiplied from its end.
  // CHECK: %[[ODD:.*]] = arith.cmpi eq
  // CHECK: %[[BACKWARDS:.*]] = arith.andi %[[LONG]], %[[ODD]]
  // CHECK: %[[TOLAST:.*]] = arith.muli %{{.*}}, %c64
  // CHECK: %[[LASTROW:.*]] = arith.addi %[[ROWS:.*]], %[[TOLAST]]
  // CHECK: %[[FIRSTROW:.*]] = arith.select %[[BACKWARDS]], %[[LASTROW]], %[[ROWS]]
  // CHECK: %[[ROWSTEP:.*]] = arith.select %[[BACKWARDS]], %{{.*}}, %c64
  // CHECK: %[[FIRSTCOLUMN:.*]] = arith.select %[[BACKWARDS]]
  // CHECK: %[[COLUMNSTEP:.*]] = arith.select %[[BACKWARDS]], %{{.*}}, %c2048
  // Sums wait for the epilogue, which reads those before.
  // Tiles of the columns are loaded first, and multiply each of the rows in turn.
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero.internal"
  // CHECK: scf.for %[[STEP:.*]] = %c0{{.*}} to %[[STEPS]]
  // CHECK: %[[DOWN:.*]] = arith.muli %[[STEP]], %[[COLUMNSTEP]]
  // CHECK: arith.addi %[[FIRSTCOLUMN]], %[[DOWN]]
  // CHECK: %[[FIRST:.*]] = llvm.call_intrinsic "llvm.x86.tileloaddt164.internal"
  // CHECK: %[[SECOND:.*]] = llvm.call_intrinsic "llvm.x86.tileloaddt164.internal"
  // CHECK: %[[ALONG:.*]] = arith.muli %[[STEP]], %[[ROWSTEP]]
  // CHECK: arith.addi %[[FIRSTROW]], %[[ALONG]]
  // CHECK: %[[DISTANCE:.*]] = arith.index_cast %[[BYTES]]
  // CHECK: %[[UPPER:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%{{.*}}, %{{.*}}, %{{.*}}, %[[DISTANCE]])
  // CHECK-NOT: tileload
  // CHECK: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"{{.*}} %[[UPPER]], %[[FIRST]])
  // CHECK: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"{{.*}} %[[UPPER]], %[[SECOND]])
  // CHECK: arith.muli %c1{{.*}}, %[[BESIDE]]
  // CHECK: %[[LOWER:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
  // CHECK-NOT: tileload
  // CHECK: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"{{.*}} %[[LOWER]], %[[FIRST]])
  // CHECK: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"{{.*}} %[[LOWER]], %[[SECOND]])
  // CHECK-NOT: tdpbf16ps
  // CHECK: vector.load %[[BUFFER]]
  // CHECK: memref.extract_aligned_pointer_as_index %[[BUFFER]]
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64.internal"

  // Packed rows that stay, too.
  // CHECK-LABEL: func.func private @aik$tiles3(
  // CHECK: scf.for
  // CHECK: %[[PANEL:.*]] = memref.subview %arg0
  // CHECK: memref.extract_aligned_pointer_as_index %[[PANEL]]
  // CHECK: llvm.call_intrinsic "llvm.x86.tileloaddt164.internal"
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tileloadd64.internal"

  // A step of a row is an element of it, and rows are not asked for.
  // CHECK: func.func private @aik$tiles[[BROADCAST]](
  // CHECK: %[[PART:.*]] = memref.subview %arg0[%{{.*}}, %{{.*}}] [8, %{{.*}}] [1, 1]
  // CHECK: %[[LEFT:.*]] = memref.transpose %[[PART]] (d0, d1) -> (d1, d0)
  // CHECK-NOT: memref.prefetch %[[LEFT]]
  // CHECK: memref.load %[[LEFT]]
}
