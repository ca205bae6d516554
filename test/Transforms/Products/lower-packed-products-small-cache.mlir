// Targets of AVX-512 without tile registers are taken to have an L1 of 32 KiB.
// There each step asks for the lines that the right panel has four steps later,
// and rows 4 KiB apart, which fall onto one set of it, are packed; 3 KiB apart
// they are read in place. Others ask for nothing, and read both in place.
// RUN: aik-opt %s --aik-lower-packed-products --split-input-file | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f", vector_bits = 512>} {
  // CHECK-LABEL: func.func @near(
  // CHECK-NOT: @aik$pack
  // CHECK: call @aik$tiles
  // CHECK-LABEL: func.func @apart(
  // CHECK: call @aik$pack
  // CHECK: call @aik$tiles
  // CHECK-LABEL: func.func private @aik$tiles
  // CHECK: %[[LATER:.*]] = arith.addi %{{.*}}, %c4{{(_[0-9]+)?}} : index
  // CHECK: memref.prefetch %[[RIGHT:.*]][%[[LATER]], %c0{{[_0-9]*}}], read, locality<3>, data : memref<?x48xf32
  // CHECK: memref.prefetch %[[RIGHT]][%[[LATER]], %c16{{[_0-9]*}}], read, locality<3>, data
  // CHECK: memref.prefetch %[[RIGHT]][%[[LATER]], %c32{{[_0-9]*}}], read, locality<3>, data
  // CHECK: vector.load %[[RIGHT]]
  func.func @near(%a: memref<16x768xf32>, %q: memref<1x2x768x48x1xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 768 : index
    %p = memref.alloc() : memref<1x2x768x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<16x768xf32>, memref<1x2x768x8x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x768x8x1xf32>, memref<1x2x768x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }
  func.func @apart(%a: memref<16x1024xf32>, %q: memref<1x2x1024x48x1xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 1024 : index
    %p = memref.alloc() : memref<1x2x1024x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<16x1024xf32>, memref<1x2x1024x8x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x1024x8x1xf32>, memref<1x2x1024x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }
}

// -----

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f,+amx-tile", vector_bits = 512>} {
  // CHECK-LABEL: func.func @near(
  // CHECK-NOT: @aik$pack
  // CHECK-LABEL: func.func @apart(
  // CHECK-NOT: @aik$pack
  // CHECK-LABEL: func.func private @aik$tiles
  // CHECK-NOT: read, locality<3>, data : memref<?x48xf32
  func.func @near(%a: memref<16x768xf32>, %q: memref<1x2x768x48x1xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 768 : index
    %p = memref.alloc() : memref<1x2x768x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<16x768xf32>, memref<1x2x768x8x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x768x8x1xf32>, memref<1x2x768x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }
  func.func @apart(%a: memref<16x1024xf32>, %q: memref<1x2x1024x48x1xf32>, %c: memref<16x96xf32>) {
    %k = arith.constant 1024 : index
    %p = memref.alloc() : memref<1x2x1024x8x1xf32>
    aikernel.pack_panels %a outs %p {panel_dim = 0 : i64, depth_dim = 1 : i64} : (memref<16x1024xf32>, memref<1x2x1024x8x1xf32>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x1024x8x1xf32>, memref<1x2x1024x48x1xf32>, index, memref<16x96xf32>) -> ()
    return
  }
}
