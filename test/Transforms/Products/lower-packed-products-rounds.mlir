// With AVX-512 rows are packed just before their tiles, in rounds of 256 rows or
// so for each thread, which use the same memory. The last round has what is left.
// RUN: aik-opt %s --aik-lower-packed-products | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
#panel = affine_map<(d0) -> (d0 floordiv 32)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bf16,+amx-tile,+amx-bf16", vector_bits = 512>} {
  // The number of threads is field 7 of aik_env, if that is as large; there is
  // one round if it is 0. A tile has 128 rows, so two are a thread's.
  // CHECK-LABEL: func.func @rounds(
  // CHECK: %[[ENV:.*]] = aikernel.env : !llvm.ptr
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[ENV]][0, 0]
  // CHECK: %[[SIZE:.*]] = llvm.load %[[AT]]
  // CHECK: %[[NEEDED:.*]] = arith.constant 52 : i32
  // CHECK: %[[SAYS:.*]] = arith.cmpi uge, %[[SIZE]], %[[NEEDED]]
  // CHECK: %[[THREADS:.*]] = scf.if %[[SAYS]] -> (index) {
  // CHECK: llvm.getelementptr %[[ENV]][0, 7]
  // CHECK: } else {
  // CHECK: %[[UNKNOWN:.*]] = arith.constant 0 : index
  // CHECK: scf.yield %[[UNKNOWN]]
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[THREADS]], %[[C0]]
  // CHECK: %[[ALL:.*]] = arith.maxsi
  // CHECK: %[[C256:.*]] = arith.constant 256 : index
  // CHECK: %[[SOME:.*]] = arith.muli %[[THREADS]], %[[C256]]
  // CHECK: %[[ROWS:.*]] = arith.select %[[NONE]], %[[ALL]], %[[SOME]]
  // CHECK: %[[WHOLE:.*]] = arith.divui %{{.*}}, %[[ROWS]]
  // CHECK: %[[COUNT:.*]] = arith.maxsi %[[WHOLE]],
  // CHECK: scf.for %[[ROUND:.*]] = %{{.*}} to %[[COUNT]]
  // CHECK: %[[NEXT:.*]] = arith.addi %[[ROUND]],
  // CHECK: %[[FIRST:.*]] = arith.muli %[[ROUND]], %[[ROWS]]
  // CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[NEXT]], %[[COUNT]]
  // CHECK: %[[PAST:.*]] = arith.muli %[[NEXT]], %[[ROWS]]
  // CHECK: %[[END:.*]] = arith.select %[[LAST]], %{{.*}}, %[[PAST]]
  // CHECK: %[[HEIGHT:.*]] = arith.subi %[[END]], %[[FIRST]]
  // CHECK: memref.subview %arg0[%[[FIRST]], 0] [%[[HEIGHT]], 264]
  // CHECK: memref.subview %[[PANELS:.*]][0, 0, 0, 0, 0] [1, %{{.*}}, 9, 32, 32]
  // CHECK: scf.forall
  // CHECK: call @aik$pack0(
  // CHECK: %[[BEFORE:.*]] = arith.divui %[[FIRST]],
  // CHECK: scf.forall (%[[M:.*]], %[[N:.*]]) = (%[[FIRST]], 0) to (%[[END]], 2048) step (128, 256)
  // CHECK: %[[PANEL:.*]] = affine.apply #{{.*}}(%[[M]])
  // CHECK: %[[HERE:.*]] = arith.subi %[[PANEL]], %[[BEFORE]]
  // CHECK: memref.subview %[[PANELS]][0, %[[HERE]], 0, 0, 0] [1, 4, 9, 32, 32]
  // CHECK: memref.subview %arg2[%[[M]], %[[N]]]
  func.func @rounds(%a: memref<1024x264xbf16>, %q: memref<1x64x144x32x2xbf16>, %c: memref<1024x2048xf32>) attributes {aikernel.entry = "run"} {
    %k = arith.constant 264 : index
    %p = memref.alloc() : memref<1x32x9x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<1024x264xbf16>, memref<1x32x9x32x32xbf16>) -> ()
    scf.forall (%m, %n) = (0, 0) to (1024, 2048) step (128, 256) {
      %i = affine.apply #panel(%m)
      %j = affine.apply #panel(%n)
      %rows = memref.subview %p[0, %i, 0, 0, 0] [1, 4, 9, 32, 32] [1, 1, 1, 1, 1] : memref<1x32x9x32x32xbf16> to memref<1x4x9x32x32xbf16, strided<[294912, 9216, 1024, 32, 1], offset: ?>>
      %columns = memref.subview %q[0, %j, 0, 0, 0] [1, 8, 144, 32, 2] [1, 1, 1, 1, 1] : memref<1x64x144x32x2xbf16> to memref<1x8x144x32x2xbf16, strided<[589824, 9216, 64, 2, 1], offset: ?>>
      %tile = memref.subview %c[%m, %n] [128, 256] [1, 1] : memref<1024x2048xf32> to memref<128x256xf32, strided<[2048, 1], offset: ?>>
      aikernel.packed_product %rows, %columns depth %k outs %tile {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x4x9x32x32xbf16, strided<[294912, 9216, 1024, 32, 1], offset: ?>>, memref<1x8x144x32x2xbf16, strided<[589824, 9216, 64, 2, 1], offset: ?>>, index, memref<128x256xf32, strided<[2048, 1], offset: ?>>) -> ()
    }
    return
  }

  // Rows of 4224 bytes: several threads have one round.
  // CHECK-LABEL: func.func @long_rows(
  // CHECK: %[[THREADS:.*]] = scf.if
  // CHECK: %[[C1:.*]] = arith.constant 1 : index
  // CHECK: %[[SEVERAL:.*]] = arith.cmpi ne, %[[THREADS]], %[[C1]]
  // CHECK: %[[ALL:.*]] = arith.maxsi
  // CHECK: arith.select %[[SEVERAL]], %[[ALL]],
  func.func @long_rows(%a: memref<1024x2112xbf16>, %q: memref<1x64x1056x32x2xbf16>, %c: memref<1024x2048xf32>) attributes {aikernel.entry = "run"} {
    %k = arith.constant 2112 : index
    %p = memref.alloc() : memref<1x32x66x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<1024x2112xbf16>, memref<1x32x66x32x32xbf16>) -> ()
    scf.forall (%m) = (0) to (1024) step (128) {
      %i = affine.apply #panel(%m)
      %rows = memref.subview %p[0, %i, 0, 0, 0] [1, 4, 66, 32, 32] [1, 1, 1, 1, 1] : memref<1x32x66x32x32xbf16> to memref<1x4x66x32x32xbf16, strided<[2162688, 67584, 1024, 32, 1], offset: ?>>
      %tile = memref.subview %c[%m, 0] [128, 2048] [1, 1] : memref<1024x2048xf32> to memref<128x2048xf32, strided<[2048, 1], offset: ?>>
      aikernel.packed_product %rows, %q depth %k outs %tile {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x4x66x32x32xbf16, strided<[2162688, 67584, 1024, 32, 1], offset: ?>>, memref<1x64x1056x32x2xbf16>, index, memref<128x2048xf32, strided<[2048, 1], offset: ?>>) -> ()
    }
    return
  }

  // The loop writes to the rows, which are then all packed before it.
  // CHECK-LABEL: func.func @written(
  // CHECK-NOT: aikernel.env
  // CHECK: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (1024, 2048)
  func.func @written(%a: memref<1024x264xbf16>, %q: memref<1x64x144x32x2xbf16>, %c: memref<1024x2048xf32>) attributes {aikernel.entry = "run"} {
    %k = arith.constant 264 : index
    %zero = arith.constant 0.0 : bf16
    %p = memref.alloc() : memref<1x32x9x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<1024x264xbf16>, memref<1x32x9x32x32xbf16>) -> ()
    scf.forall (%m, %n) = (0, 0) to (1024, 2048) step (128, 256) {
      %i = affine.apply #panel(%m)
      %j = affine.apply #panel(%n)
      %rows = memref.subview %p[0, %i, 0, 0, 0] [1, 4, 9, 32, 32] [1, 1, 1, 1, 1] : memref<1x32x9x32x32xbf16> to memref<1x4x9x32x32xbf16, strided<[294912, 9216, 1024, 32, 1], offset: ?>>
      %columns = memref.subview %q[0, %j, 0, 0, 0] [1, 8, 144, 32, 2] [1, 1, 1, 1, 1] : memref<1x64x144x32x2xbf16> to memref<1x8x144x32x2xbf16, strided<[589824, 9216, 64, 2, 1], offset: ?>>
      %tile = memref.subview %c[%m, %n] [128, 256] [1, 1] : memref<1024x2048xf32> to memref<128x256xf32, strided<[2048, 1], offset: ?>>
      aikernel.packed_product %rows, %columns depth %k outs %tile {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x4x9x32x32xbf16, strided<[294912, 9216, 1024, 32, 1], offset: ?>>, memref<1x8x144x32x2xbf16, strided<[589824, 9216, 64, 2, 1], offset: ?>>, index, memref<128x256xf32, strided<[2048, 1], offset: ?>>) -> ()
      memref.store %zero, %a[%m, %n] : memref<1024x264xbf16>
    }
    return
  }

  // Another loop reads what is packed.
  // CHECK-LABEL: func.func @read_twice(
  // CHECK-NOT: aikernel.env
  // CHECK: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (1024, 2048)
  func.func @read_twice(%a: memref<1024x264xbf16>, %q: memref<1x64x144x32x2xbf16>, %c: memref<1024x2048xf32>, %d: memref<1024x2048xf32>) attributes {aikernel.entry = "run"} {
    %k = arith.constant 264 : index
    %p = memref.alloc() : memref<1x32x9x32x32xbf16>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<1024x264xbf16>, memref<1x32x9x32x32xbf16>) -> ()
    scf.forall (%m, %n) = (0, 0) to (1024, 2048) step (128, 256) {
      %i = affine.apply #panel(%m)
      %j = affine.apply #panel(%n)
      %rows = memref.subview %p[0, %i, 0, 0, 0] [1, 4, 9, 32, 32] [1, 1, 1, 1, 1] : memref<1x32x9x32x32xbf16> to memref<1x4x9x32x32xbf16, strided<[294912, 9216, 1024, 32, 1], offset: ?>>
      %columns = memref.subview %q[0, %j, 0, 0, 0] [1, 8, 144, 32, 2] [1, 1, 1, 1, 1] : memref<1x64x144x32x2xbf16> to memref<1x8x144x32x2xbf16, strided<[589824, 9216, 64, 2, 1], offset: ?>>
      %tile = memref.subview %c[%m, %n] [128, 256] [1, 1] : memref<1024x2048xf32> to memref<128x256xf32, strided<[2048, 1], offset: ?>>
      aikernel.packed_product %rows, %columns depth %k outs %tile {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x4x9x32x32xbf16, strided<[294912, 9216, 1024, 32, 1], offset: ?>>, memref<1x8x144x32x2xbf16, strided<[589824, 9216, 64, 2, 1], offset: ?>>, index, memref<128x256xf32, strided<[2048, 1], offset: ?>>) -> ()
    }
    aikernel.packed_product %p, %q depth %k outs %d {instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x32x9x32x32xbf16>, memref<1x64x144x32x2xbf16>, index, memref<1024x2048xf32>) -> ()
    return
  }

  // Vectors, too; but not where few columns go by: a round would be too short.
  // CHECK-LABEL: func.func @vectors(
  // CHECK: aikernel.env
  // CHECK: %[[C384:.*]] = arith.constant 384 : index
  // CHECK: arith.muli %{{.*}}, %[[C384]]
  // CHECK: scf.for
  // CHECK: call @aik$pack
  // CHECK: scf.forall (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step (384)
  // CHECK-LABEL: func.func @few_columns(
  // CHECK-NOT: aikernel.env
  // CHECK: return
  func.func @vectors(%a: memref<384x1152xf32>, %q: memref<1x16x384x48x1xf32>, %c: memref<1152x768xf32>) attributes {aikernel.entry = "run"} {
    %k = arith.constant 384 : index
    %p = memref.alloc() : memref<1x144x384x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<384x1152xf32>, memref<1x144x384x8x1xf32>) -> ()
    scf.forall (%m) = (0) to (1152) step (384) {
      %i = affine.apply affine_map<(d0) -> (d0 floordiv 8)>(%m)
      %rows = memref.subview %p[0, %i, 0, 0, 0] [1, 48, 384, 8, 1] [1, 1, 1, 1, 1] : memref<1x144x384x8x1xf32> to memref<1x48x384x8x1xf32, strided<[442368, 3072, 8, 1, 1], offset: ?>>
      %tile = memref.subview %c[%m, 0] [384, 768] [1, 1] : memref<1152x768xf32> to memref<384x768xf32, strided<[768, 1], offset: ?>>
      aikernel.packed_product %rows, %q depth %k outs %tile {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x48x384x8x1xf32, strided<[442368, 3072, 8, 1, 1], offset: ?>>, memref<1x16x384x48x1xf32>, index, memref<384x768xf32, strided<[768, 1], offset: ?>>) -> ()
    }
    return
  }
  func.func @few_columns(%a: memref<384x1152xf32>, %q: memref<1x1x384x48x1xf32>, %c: memref<1152x48xf32>) attributes {aikernel.entry = "run"} {
    %k = arith.constant 384 : index
    %p = memref.alloc() : memref<1x144x384x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<384x1152xf32>, memref<1x144x384x8x1xf32>) -> ()
    scf.forall (%m) = (0) to (1152) step (384) {
      %i = affine.apply affine_map<(d0) -> (d0 floordiv 8)>(%m)
      %rows = memref.subview %p[0, %i, 0, 0, 0] [1, 48, 384, 8, 1] [1, 1, 1, 1, 1] : memref<1x144x384x8x1xf32> to memref<1x48x384x8x1xf32, strided<[442368, 3072, 8, 1, 1], offset: ?>>
      %tile = memref.subview %c[%m, 0] [384, 48] [1, 1] : memref<1152x48xf32> to memref<384x48xf32, strided<[48, 1], offset: ?>>
      aikernel.packed_product %rows, %q depth %k outs %tile {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x48x384x8x1xf32, strided<[442368, 3072, 8, 1, 1], offset: ?>>, memref<1x1x384x48x1xf32>, index, memref<384x48xf32, strided<[48, 1], offset: ?>>) -> ()
    }
    return
  }
}
