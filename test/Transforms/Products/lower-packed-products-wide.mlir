// With AVX-512: packing asks for what it packs next; a whole tile asks for the
// next panel of columns in each round, and for its rows of the result, a vector
// in a round, before the last rounds; a tile of few columns multiplies no more
// vectors than they fill.
// RUN: aik-opt %s --aik-lower-packed-products | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f", vector_bits = 512>} {
  // CHECK-LABEL: func.func @pack(
  // CHECK: scf.forall
  // CHECK: call @aik$pack0(
  func.func @pack(%a: memref<64x300xf32>, %p: memref<1x8x300x8x1xf32>) attributes {aikernel.entry = "run"} {
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<64x300xf32>, memref<1x8x300x8x1xf32>) -> ()
    return
  }

  // Four panels of 48 columns are 768 bytes of a row; of the sum a piece has no
  // less than 8 KiB.
  // CHECK-LABEL: func.func @pack_across(
  // CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (1, 19, 2)
  // CHECK: arith.constant 192 : index
  // CHECK: call @aik$pack1(
  func.func @pack_across(%b: memref<300x384xf32>, %q: memref<1x8x300x48x1xf32>) attributes {aikernel.entry = "run"} {
    aikernel.pack_panels %b outs %q {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<300x384xf32>, memref<1x8x300x48x1xf32>) -> ()
    return
  }

  // CHECK-LABEL: func.func @product(
  // CHECK: call @aik$tiles2(
  func.func @product(%a: memref<1x8x300x8x1xf32>, %b: memref<1x8x300x48x1xf32>, %k: index, %c: memref<64x384xf32>) attributes {aikernel.entry = "run"} {
    aikernel.packed_product %a, %b depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x8x300x8x1xf32>, memref<1x8x300x48x1xf32>, index, memref<64x384xf32>) -> ()
    return
  }
}

// The next panel's row.
// CHECK-LABEL: func.func private @aik$pack0(
// CHECK: vector.load %{{.*}} vector<16xf32>
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data

// A step of all panels at a time. Of eight lines the first is asked for, which
// is in every second panel, eight rows further on.
// CHECK-LABEL: func.func private @aik$pack1(
// CHECK: scf.for %[[STEP:.*]] = %c0{{.*}} to
// CHECK-NOT: scf.for
// CHECK: scf.for %[[POSITION:.*]] = %c0{{.*}} to %[[PANELS:.*]] step %c2
// CHECK: %[[AT:.*]] = arith.muli %[[POSITION]], %c48
// CHECK: %[[AHEAD:.*]] = arith.addi %[[STEP]], %c8
// CHECK: memref.prefetch %{{.*}}[%[[AHEAD]], %[[AT]]], read, locality<2>, data
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[PANELS]] step %c1
// CHECK-NOT: memref.prefetch {{.*}} read
// CHECK: vector.store

// CHECK-LABEL: func.func private @aik$tiles2(
// CHECK-SAME: %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[C:.*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>)
// Before, a vector of a row in each of 24 rounds, and after.
// CHECK: scf.for
// CHECK-NOT: write
// CHECK: memref.prefetch %{{.*}}, read, locality<2>
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = arith.remui %[[NUMBER:.*]], %c8{{[_0-9]*}} : index
// CHECK: %[[VECTOR:.*]] = arith.divui %[[NUMBER]], %c8{{[_0-9]*}} : index
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[ROW]] : index
// CHECK: %[[OFFSET:.*]] = arith.muli %[[VECTOR]], %c16{{[_0-9]*}} : index
// CHECK: %[[COLUMN:.*]] = arith.addi %{{.*}}, %[[OFFSET]] : index
// CHECK: memref.prefetch %[[C]][%[[AT]], %[[COLUMN]]], write, locality<3>
// CHECK: memref.prefetch %{{.*}}, read, locality<2>
// CHECK: scf.for
// CHECK-NOT: write
// CHECK: memref.prefetch %{{.*}}, read, locality<2>
// Ragged: one vector in a row, two, or all of them.
// CHECK: arith.cmpi sle, %{{.*}}, %c16{{[_0-9]*}} : index
// CHECK: arith.cmpi sle, %{{.*}}, %c32{{[_0-9]*}} : index
