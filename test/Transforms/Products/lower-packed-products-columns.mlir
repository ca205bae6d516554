// Of few rows, vectors read the columns of the right operand where they lie: the
// first tile of each panel of columns multiplies them and puts them into a panel
// on the stack, which the others read.
// RUN: aik-opt %s --aik-lower-packed-products | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
#turned = affine_map<(m, n) -> (n, m)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f", vector_bits = 512>} {
  // In tiles of columns, a part of the matrix each.
  // CHECK-LABEL: func.func @columns(
  // CHECK-NOT: call @aik$pack
  // CHECK: scf.forall (%[[N:.*]]) in (2) {
  // CHECK: %[[MATRIX:[a-z_0-9]+]], %{{.*}} = memref.extract_strided_metadata %arg1
  // CHECK: %[[AT:.*]] = affine.apply #{{.*}}(%[[N]])
  // CHECK: %[[COLUMNS:.*]] = memref.reinterpret_cast %[[MATRIX]] to offset: [%[[AT]]], sizes: [%c40{{[_0-9]*}}, %c48{{[_0-9]*}}], strides: [%c96{{[_0-9]*}}, 1]
  // CHECK: func.call @[[TILES:aik\$tiles[0-9]+]](%{{[^,]*}}, %[[COLUMNS]],
  func.func @columns(%p: memref<1x2x40x8x1xf32>, %b: memref<40x96xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 40 : index
    %q = memref.alloc() : memref<1x2x40x48x1xf32>
    aikernel.pack_panels %b outs %q {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<40x96xf32>, memref<1x2x40x48x1xf32>) -> ()
    scf.forall (%n) in (2) {
      %column = affine.apply affine_map<(d0) -> (d0 * 48)>(%n)
      %part = memref.subview %q[0, %n, 0, 0, 0] [1, 1, 40, 48, 1] [1, 1, 1, 1, 1] : memref<1x2x40x48x1xf32> to memref<1x1x40x48x1xf32, strided<[3840, 1920, 48, 1, 1], offset: ?>>
      %out = memref.subview %c[0, %column] [16, 48] [1, 1] : memref<16x96xf32> to memref<16x48xf32, strided<[96, 1], offset: ?>>
      aikernel.packed_product %p, %part depth %k outs %out {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x40x8x1xf32>, memref<1x1x40x48x1xf32, strided<[3840, 1920, 48, 1, 1], offset: ?>>, index, memref<16x48xf32, strided<[96, 1], offset: ?>>) -> ()
    }
    return
  }

  // Numbers of another type become those of the panel on the way.
  // CHECK-LABEL: func.func @widened(
  // CHECK-NOT: call @aik$pack
  // CHECK: call @[[WIDENED:aik\$tiles[0-9]+]](
  func.func @widened(%p: memref<1x2x40x8x1xf32>, %b: memref<40x96xbf16>, %c: memref<16x96xf32>) {
    %k = arith.constant 40 : index
    %q = memref.alloc() : memref<1x2x40x48x1xf32>
    aikernel.pack_panels %b outs %q {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<40x96xbf16>, memref<1x2x40x48x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x40x8x1xf32>, memref<1x2x40x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }

  // More rows than 512; so few that nothing is packed for others; columns that
  // are apart; a result of which they are, too; and somebody who writes to the
  // matrix before the product is done.
  // CHECK-LABEL: func.func @many(
  // CHECK: call @aik$pack
  // CHECK-LABEL: func.func @one_panel(
  // CHECK: call @aik$pack
  // CHECK-LABEL: func.func @along(
  // CHECK: call @aik$pack
  // CHECK-LABEL: func.func @turned(
  // CHECK: call @aik$pack
  // CHECK-LABEL: func.func @written(
  // CHECK: call @aik$pack
  func.func @many(%p: memref<1x65x40x8x1xf32>, %b: memref<40x96xf32>, %c: memref<520x96xf32>) {
    %k = arith.constant 40 : index
    %q = memref.alloc() : memref<1x2x40x48x1xf32>
    aikernel.pack_panels %b outs %q {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<40x96xf32>, memref<1x2x40x48x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x65x40x8x1xf32>, memref<1x2x40x48x1xf32>, index, memref<520x96xf32>) -> ()
    return
  }
  func.func @one_panel(%p: memref<1x1x40x8x1xf32>, %b: memref<40x96xf32>, %c: memref<8x96xf32>) {
    %k = arith.constant 40 : index
    %q = memref.alloc() : memref<1x2x40x48x1xf32>
    aikernel.pack_panels %b outs %q {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<40x96xf32>, memref<1x2x40x48x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x1x40x8x1xf32>, memref<1x2x40x48x1xf32>, index, memref<8x96xf32>) -> ()
    return
  }
  func.func @along(%p: memref<1x2x40x8x1xf32>, %b: memref<96x40xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 40 : index
    %q = memref.alloc() : memref<1x2x40x48x1xf32>
    aikernel.pack_panels %b outs %q {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<96x40xf32>, memref<1x2x40x48x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x40x8x1xf32>, memref<1x2x40x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }
  func.func @turned(%p: memref<1x2x40x8x1xf32>, %b: memref<40x96xf32>, %c: memref<96x16xf32>) {
    %k = arith.constant 40 : index
    %q = memref.alloc() : memref<1x2x40x48x1xf32>
    aikernel.pack_panels %b outs %q {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<40x96xf32>, memref<1x2x40x48x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #turned, overwrite} : (memref<1x2x40x8x1xf32>, memref<1x2x40x48x1xf32>, index, memref<96x16xf32>) -> ()
    return
  }
  func.func @written(%p: memref<1x2x40x8x1xf32>, %b: memref<40x96xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 40 : index
    %z = arith.constant 0.0 : f32
    %q = memref.alloc() : memref<1x2x40x48x1xf32>
    aikernel.pack_panels %b outs %q {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<40x96xf32>, memref<1x2x40x48x1xf32>) -> ()
    linalg.fill ins(%z : f32) outs(%b : memref<40x96xf32>)
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x40x8x1xf32>, memref<1x2x40x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }

  // A whole panel is packed by its first tile, into the panel that the others
  // read; what it asks for is 16 rows ahead. Of columns that are fewer single
  // numbers go after the vectors, among zeros.
  // CHECK: func.func private @[[TILES]](
  // CHECK: %[[PANEL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<128x48xf32>
  // CHECK: scf.for %[[COLUMN:.*]] = %c0{{.*}} to %{{.*}} step %c48
  // CHECK: %[[HERE:.*]] = memref.subview %arg1[%{{[0-9]+}}, %[[COLUMN]]]
  // CHECK: %[[WHOLE:.*]] = arith.andi
  // CHECK: scf.if %[[WHOLE]] {
  // CHECK: scf.for %[[K:.*]] = %c0
  // CHECK: %[[AHEAD:.*]] = arith.addi %[[K]], %c16
  // CHECK-COUNT-3: memref.prefetch %[[HERE]][%[[AHEAD]], %{{.*}}], read, locality<2>, data
  // CHECK: %[[VECTOR:.*]] = vector.load %[[HERE]][%[[K]], %c0
  // CHECK: vector.store %[[VECTOR]], %[[PANEL]][%[[K]], %c0
  // CHECK: } else {
  // CHECK: vector.store %cst{{.*}}, %[[PANEL]]
  // CHECK: vector.load %[[HERE]]
  // CHECK: memref.load %[[HERE]]
  // CHECK: }
  // CHECK: %[[NEXT:.*]] = arith.select %[[WHOLE]], %c8{{.*}}, %c0
  // CHECK: scf.for %{{.*}} = %[[NEXT]] to %{{.*}} step %c8
  // CHECK-NOT: vector.load %[[HERE]]
  // CHECK: func.func private @[[WIDENED]](
  // CHECK: %[[NARROW:.*]] = vector.load %{{.*}} : memref<?x?xbf16, {{.*}}>, vector<16xbf16>
  // CHECK-NEXT: arith.extf %[[NARROW]] : vector<16xbf16> to vector<16xf32>
}
