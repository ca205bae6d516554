// Columns that come from memory for a few rows. One panel of rows reads them in
// two streams, halves of the sum, and asks for each of them 2 KiB ahead; of
// several panels each round asks for its share of the next panel of columns.
// On AArch64 there is one stream, of which half a KiB ahead is asked for into L1.
// RUN: aik-opt %s --aik-lower-packed-products --split-input-file | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f", vector_bits = 512>} {
  // Nine rows are two panels, as sixteen are.
  // CHECK-LABEL: func.func @nine_rows(
  // CHECK: call @aik$tiles1(
  func.func @one_row(%a: memref<1x1x384x8x1xf32>, %b: memref<1x128x384x48x1xf32>, %k: index, %c: memref<1x6144xf32>) attributes {aikernel.entry = "run"} {
    aikernel.packed_product %a, %b depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x1x384x8x1xf32>, memref<1x128x384x48x1xf32>, index, memref<1x6144xf32>) -> ()
    return
  }
  func.func @sixteen_rows(%a: memref<1x2x384x8x1xf32>, %b: memref<1x128x384x48x1xf32>, %k: index, %c: memref<16x6144xf32>) attributes {aikernel.entry = "run"} {
    aikernel.packed_product %a, %b depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x384x8x1xf32>, memref<1x128x384x48x1xf32>, index, memref<16x6144xf32>) -> ()
    return
  }
  func.func @near(%a: memref<1x1x384x8x1xf32>, %b: memref<1x8x384x48x1xf32>, %k: index, %c: memref<1x384xf32>) attributes {aikernel.entry = "run"} {
    aikernel.packed_product %a, %b depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x1x384x8x1xf32>, memref<1x8x384x48x1xf32>, index, memref<1x384xf32>) -> ()
    return
  }
  func.func @nine_rows(%a: memref<1x2x384x8x1xf32>, %b: memref<1x128x384x48x1xf32>, %k: index, %c: memref<9x6144xf32>) attributes {aikernel.entry = "run"} {
    aikernel.packed_product %a, %b depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x384x8x1xf32>, memref<1x128x384x48x1xf32>, index, memref<9x6144xf32>) -> ()
    return
  }
  func.func @unknown_rows(%a: memref<1x?x384x8x1xf32>, %b: memref<1x128x384x48x1xf32>, %k: index, %c: memref<?x6144xf32>) attributes {aikernel.entry = "run"} {
    aikernel.packed_product %a, %b depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x?x384x8x1xf32>, memref<1x128x384x48x1xf32>, index, memref<?x6144xf32>) -> ()
    return
  }
  // Weights of 16 bits are widened where they are used, and x is packed as f32.
  func.func @half(%a: memref<1x1x384x8x1xf32>, %b: memref<1x256x384x48x1xf16>, %k: index, %c: memref<8x12288xf32>) attributes {aikernel.entry = "run"} {
    aikernel.packed_product %a, %b depth %k outs %c {instruction = "vcvtph2ps.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x1x384x8x1xf32>, memref<1x256x384x48x1xf16>, index, memref<8x12288xf32>) -> ()
    return
  }
}

// A step is 192 bytes: three lines, ten steps before they are read. The whole
// tile comes first: 8 rows, for which one set of sums is enough.
// CHECK-LABEL: func.func private @aik$tiles0(
// CHECK: %[[HALF:.*]] = arith.divui %{{.*}}, %c2
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %[[HALF]] step %c1
// CHECK: arith.addi %{{.*}}, %c10
// CHECK-COUNT-3: memref.prefetch %{{.*}}, read, locality<2>, data
// CHECK-COUNT-24: arith.addf
// CHECK: %[[AT:.*]] = arith.addi %[[K]], %[[HALF]]
// CHECK: arith.addi %[[AT]], %c10
// CHECK-COUNT-3: memref.prefetch %{{.*}}, read, locality<2>, data
// CHECK-COUNT-24: arith.addf
// CHECK-NEXT: scf.yield
// One row has six sums, three for each half.
// CHECK: arith.cmpi sle, %{{.*}}, %c1{{(_[0-9]+)?}} : index
// CHECK: scf.for {{.*}} iter_args({{([^,]*,){5}[^,]*}}) ->
// CHECK-COUNT-3: memref.prefetch %{{.*}}, read, locality<2>, data

// A round reads twelve lines; there are two panels of rows.
// CHECK-LABEL: func.func private @aik$tiles1(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-6: memref.prefetch %{{.*}}, read, locality<2>, data
// CHECK-NOT: locality<2>
// CHECK-COUNT-96: arith.addf
// CHECK-NEXT: scf.yield
// The rows after whole panels read what these have read.
// CHECK: arith.cmpi sle, %{{.*}}, %c1{{(_[0-9]+)?}} : index
// CHECK-NOT: locality<2>
// CHECK: scf.for {{.*}} iter_args({{([^,]*,){11}[^,]*}}) ->

// What is in L2 is read in one, four steps at once: twelve sums.
// CHECK-LABEL: func.func private @aik$tiles2(
// CHECK: arith.cmpi sle, %{{.*}}, %c1{{(_[0-9]+)?}} : index
// CHECK-NOT: locality<2>
// CHECK: scf.for {{.*}} iter_args({{([^,]*,){11}[^,]*}}) ->

// Of an unknown number of rows a few are read in streams, whole tiles are not.
// CHECK-LABEL: func.func private @aik$tiles3(
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data
// CHECK-NOT: locality<2>
// CHECK-COUNT-96: arith.addf
// CHECK: arith.cmpi sle, %{{.*}}, %c1{{(_[0-9]+)?}} : index
// CHECK: scf.for {{.*}} iter_args({{([^,]*,){5}[^,]*}}) ->
// CHECK-COUNT-3: memref.prefetch %{{.*}}, read, locality<2>, data

// CHECK-LABEL: func.func private @aik$tiles4(
// CHECK-COUNT-2: memref.prefetch %{{.*}} : memref<?x48xf16
// CHECK: memref.load %{{.*}} : memref<?x8xf32
// CHECK-NOT: arith.extf %{{.*}} : f16
// CHECK: arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>

// -----

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func.func @one_row(
  func.func @one_row(%a: memref<1x1x384x8x1xf32>, %b: memref<1x512x384x12x1xf32>, %k: index, %c: memref<1x6144xf32>) attributes {aikernel.entry = "run"} {
    aikernel.packed_product %a, %b depth %k outs %c {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x1x384x8x1xf32>, memref<1x512x384x12x1xf32>, index, memref<1x6144xf32>) -> ()
    return
  }
  func.func @near(%a: memref<1x1x384x8x1xf32>, %b: memref<1x32x384x12x1xf32>, %k: index, %c: memref<1x384xf32>) attributes {aikernel.entry = "run"} {
    aikernel.packed_product %a, %b depth %k outs %c {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x1x384x8x1xf32>, memref<1x32x384x12x1xf32>, index, memref<1x384xf32>) -> ()
    return
  }
  func.func @half(%a: memref<1x1x384x1x1xf32>, %b: memref<1x256x384x24x1xbf16>, %k: index, %c: memref<1x6144xf32>) attributes {aikernel.entry = "run"} {
    aikernel.packed_product %a, %b depth %k outs %c {instruction = "zip1", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x1x384x1x1xf32>, memref<1x256x384x24x1xbf16>, index, memref<1x6144xf32>) -> ()
    return
  }
}

// CHECK-LABEL: func.func private @aik$tiles0(
// CHECK: arith.cmpi sle, %{{.*}}, %c1{{(_[0-9]+)?}} : index
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args({{([^,]*,){11}[^,]*}}) ->
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K]], %c10
// CHECK: memref.prefetch %{{.*}}[%[[AHEAD]], %{{.*}}], read, locality<3>, data : memref<?x12xf32
// CHECK-COUNT-3: memref.prefetch %{{.*}}, read, locality<3>, data : memref<?x12xf32
// CHECK-COUNT-3: arith.addf
// CHECK-NEXT: scf.yield
// Five to eight rows, which take one step after the other, keep the loop that
// loads ahead.
// CHECK: arith.cmpi sle, %{{.*}}, %c4{{(_[0-9]+)?}} : index
// CHECK: scf.if {{.*}} -> ({{(vector<4xf32>, ){24}index}}) {

// What is in L2 is not.
// CHECK-LABEL: func.func private @aik$tiles1(
// CHECK-NOT: memref.prefetch %{{.*}} : memref<?x12xf32

// A tile of one row is whole with it: six sums, twice.
// CHECK-LABEL: func.func private @aik$tiles2(
// CHECK: scf.for {{.*}} iter_args({{([^,]*,){11}[^,]*}}) ->
// CHECK-COUNT-2: memref.prefetch %{{.*}}, read, locality<3>, data : memref<?x24xbf16
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xi16>, vector<8xi16>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [4, 12, 5, 13, 6, 14, 7, 15] : vector<8xi16>, vector<8xi16>
