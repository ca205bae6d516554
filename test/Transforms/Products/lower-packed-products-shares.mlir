// Several threads have shares of the columns: each packs what it multiplies by
// rows that are read in place. One thread has all columns at once.
// RUN: aik-opt %s --aik-lower-packed-products | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bf16,+amx-tile,+amx-bf16", vector_bits = 512>} {
  // Of nine panels the first share has four, since every other one goes backwards,
  // and the last one the rest.
  // CHECK-LABEL: func.func @shared(
  // CHECK: %[[THREADS:.*]] = scf.if
  // CHECK: %[[SEVERAL:.*]] = arith.cmpi ugt, %[[THREADS]],
  // CHECK: %[[COUNT:.*]] = arith.select %[[SEVERAL]], %c2{{[_0-9]*}}, %c1
  // CHECK: %[[WIDTH:.*]] = arith.select %[[SEVERAL]], %c128{{[_0-9]*}}, %c288
  // CHECK: %[[WIDEST:.*]] = arith.select %[[SEVERAL]], %c160{{[_0-9]*}}, %c288
  // CHECK: scf.forall (%[[P:.*]], %{{.*}}, %{{.*}}, %{{.*}}) in (%[[COUNT]], 1, 3, %{{.*}}) {
  // CHECK: %[[FIRST:.*]] = arith.muli %[[P]], %[[WIDTH]]
  // CHECK: %[[LAST:.*]] = arith.cmpi eq, %{{.*}}, %[[COUNT]]
  // CHECK: %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[WIDTH]]
  // CHECK: %[[END:.*]] = arith.select %[[LAST]], %{{.*}}, %[[NEXT]]
  // CHECK: arith.minsi %{{.*}}, %[[END]]
  // CHECK: func.call @aik$pack
  // CHECK: scf.forall (%[[S:.*]], %[[M:.*]]) in (%[[COUNT]], 8) {
  // CHECK: %[[START:.*]] = arith.muli %[[S]], %[[WIDTH]]
  // CHECK: %[[LAST:.*]] = arith.cmpi eq, %{{.*}}, %[[COUNT]]
  // CHECK: %[[EXTENT:.*]] = arith.select %[[LAST]], %[[WIDEST]], %[[WIDTH]]
  // CHECK: arith.divui %[[START]], %c32
  // CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [%c32{{[_0-9]*}}, %[[EXTENT]]]
  // CHECK: func.call @aik$tiles
  func.func @shared(%a: memref<256x96xbf16>, %b: memref<96x288xbf16>, %y: memref<256x288xbf16>) attributes {aikernel.entry = "run"} {
    %k = arith.constant 96 : index
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x96xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    %q = memref.alloc() : memref<1x9x48x32x2xbf16>
    aikernel.pack_panels %b outs %q {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (memref<96x288xbf16>, memref<1x9x48x32x2xbf16>) -> ()
    scf.forall (%m) in (8) {
      %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%m)
      %c = memref.alloca() : memref<32x288xf32>
      %part = memref.subview %p[0, %m, 0, 0, 0] [1, 1, 3, 32, 32] [1, 1, 1, 1, 1] : memref<1x8x3x32x32xbf16> to memref<1x1x3x32x32xbf16, strided<[24576, 3072, 1024, 32, 1], offset: ?>>
      aikernel.packed_product %part, %q depth %k outs %c {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x1x3x32x32xbf16, strided<[24576, 3072, 1024, 32, 1], offset: ?>>, memref<1x9x48x32x2xbf16>, index, memref<32x288xf32>) -> ()
      %out = memref.subview %y[%row, 0] [32, 288] [1, 1] : memref<256x288xbf16> to memref<32x288xbf16, strided<[288, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : memref<32x288xf32>) outs(%out : memref<32x288xbf16, strided<[288, 1], offset: ?>>) {
      ^bb0(%sum: f32, %old: bf16):
        %r = arith.truncf %sum : f32 to bf16
        linalg.yield %r : bf16
      }
    }
    return
  }

  // A tile that does something else, which all of its columns may be needed for.
  // CHECK-LABEL: func.func @more(
  // CHECK-NOT: arith.select
  // CHECK: scf.forall (%{{.*}}) in (8) {
  // CHECK: return
  func.func @more(%a: memref<256x96xbf16>, %b: memref<96x288xbf16>, %y: memref<256x288xf32>) attributes {aikernel.entry = "run"} {
    %k = arith.constant 96 : index
    %z = arith.constant 0.0 : f32
    %p = memref.alloc() : memref<1x8x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<256x96xbf16>, memref<1x8x3x32x32xbf16>) -> ()
    %q = memref.alloc() : memref<1x9x48x32x2xbf16>
    aikernel.pack_panels %b outs %q {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (memref<96x288xbf16>, memref<1x9x48x32x2xbf16>) -> ()
    scf.forall (%m) in (8) {
      %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%m)
      %part = memref.subview %p[0, %m, 0, 0, 0] [1, 1, 3, 32, 32] [1, 1, 1, 1, 1] : memref<1x8x3x32x32xbf16> to memref<1x1x3x32x32xbf16, strided<[24576, 3072, 1024, 32, 1], offset: ?>>
      %out = memref.subview %y[%row, 0] [32, 288] [1, 1] : memref<256x288xf32> to memref<32x288xf32, strided<[288, 1], offset: ?>>
      aikernel.packed_product %part, %q depth %k outs %out {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x1x3x32x32xbf16, strided<[24576, 3072, 1024, 32, 1], offset: ?>>, memref<1x9x48x32x2xbf16>, index, memref<32x288xf32, strided<[288, 1], offset: ?>>) -> ()
      memref.store %z, %out[%m, %m] : memref<32x288xf32, strided<[288, 1], offset: ?>>
    }
    return
  }

  // Many rows, which would be read twice.
  // CHECK-LABEL: func.func @tall(
  // CHECK-NOT: arith.select
  // CHECK: scf.forall (%{{.*}}) in (17) {
  // CHECK: return
  func.func @tall(%a: memref<544x96xbf16>, %b: memref<96x256xbf16>, %y: memref<544x256xf32>) attributes {aikernel.entry = "run"} {
    %k = arith.constant 96 : index
    %p = memref.alloc() : memref<1x17x3x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<544x96xbf16>, memref<1x17x3x32x32xbf16>) -> ()
    %q = memref.alloc() : memref<1x8x48x32x2xbf16>
    aikernel.pack_panels %b outs %q {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (memref<96x256xbf16>, memref<1x8x48x32x2xbf16>) -> ()
    scf.forall (%m) in (17) {
      %row = affine.apply affine_map<(d0) -> (d0 * 32)>(%m)
      %part = memref.subview %p[0, %m, 0, 0, 0] [1, 1, 3, 32, 32] [1, 1, 1, 1, 1] : memref<1x17x3x32x32xbf16> to memref<1x1x3x32x32xbf16, strided<[52224, 3072, 1024, 32, 1], offset: ?>>
      %out = memref.subview %y[%row, 0] [32, 256] [1, 1] : memref<544x256xf32> to memref<32x256xf32, strided<[256, 1], offset: ?>>
      aikernel.packed_product %part, %q depth %k outs %out {aikernel.rows_in_place, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x1x3x32x32xbf16, strided<[52224, 3072, 1024, 32, 1], offset: ?>>, memref<1x8x48x32x2xbf16>, index, memref<32x256xf32, strided<[256, 1], offset: ?>>) -> ()
    }
    return
  }
}
