// A short elementwise op that alone reads a product is done in the product's
// function, in the last block of the sum; others stay behind it.
// RUN: aik-opt %s --aik-lower-packed-products | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
#row = affine_map<(m, n) -> (m)>
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // Operands are matrices; along what they do not depend on their stride is 0.
  // CHECK-LABEL: func.func @scaled(
  // CHECK-NOT: linalg.generic
  // CHECK: call @aik$tiles0(%{{.*}}) : ({{.*}}, index, i1, memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32, strided<[0, 1], offset: ?>>, memref<?x?xf32, strided<[1, 0], offset: ?>>, memref<?x?xf16, strided<[?, 1], offset: ?>>) -> ()
  // CHECK-NEXT: return
  func.func @scaled(%p: memref<2x13x150x8x1xf32>, %q: memref<2x5x150x12x1xf32>, %k: index, %bias: memref<50xf32>, %scale: memref<100xf32>, %y: memref<100x50xf16>) {
    %half = arith.constant 0.5 : f32
    %c = memref.alloca() : memref<100x50xf32>
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x13x150x8x1xf32>, memref<2x5x150x12x1xf32>, index, memref<100x50xf32>) -> ()
    linalg.generic {indexing_maps = [#id, #column, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%c, %bias, %scale : memref<100x50xf32>, memref<50xf32>, memref<100xf32>) outs(%y : memref<100x50xf16>) {
    ^bb0(%sum: f32, %b: f32, %s: f32, %old: f16):
      %0 = arith.mulf %sum, %s : f32
      %1 = arith.addf %0, %b : f32
      %2 = arith.mulf %1, %half : f32
      %3 = arith.truncf %2 : f32 to f16
      linalg.yield %3 : f16
    }
    return
  }

  // Equal ones share a function, whatever their sizes; others do not.
  // CHECK-LABEL: func.func @shared(
  // CHECK: call @aik$tiles1(
  // CHECK: call @aik$tiles1(
  // CHECK: call @aik$tiles2(
  // CHECK-NEXT: return
  func.func @shared(%p: memref<2x13x150x8x1xf32>, %q: memref<2x5x150x12x1xf32>, %k: index, %bias: memref<50xf32>, %y: memref<100x50xf64>, %z: memref<99x49xf64>, %short: memref<49xf32>) {
    %c = memref.alloca() : memref<100x50xf32>
    %d = memref.alloca() : memref<99x49xf32>
    %e = memref.alloca() : memref<100x50xf32>
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x13x150x8x1xf32>, memref<2x5x150x12x1xf32>, index, memref<100x50xf32>) -> ()
    linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%c, %bias : memref<100x50xf32>, memref<50xf32>) outs(%y : memref<100x50xf64>) {
    ^bb0(%sum: f32, %b: f32, %old: f64):
      %0 = arith.addf %sum, %b : f32
      %1 = arith.extf %0 : f32 to f64
      linalg.yield %1 : f64
    }
    aikernel.packed_product %p, %q depth %k outs %d {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x13x150x8x1xf32>, memref<2x5x150x12x1xf32>, index, memref<99x49xf32>) -> ()
    linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %short : memref<99x49xf32>, memref<49xf32>) outs(%z : memref<99x49xf64>) {
    ^bb0(%sum: f32, %b: f32, %old: f64):
      %0 = arith.addf %sum, %b : f32
      %1 = arith.extf %0 : f32 to f64
      linalg.yield %1 : f64
    }
    aikernel.packed_product %p, %q depth %k outs %e {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x13x150x8x1xf32>, memref<2x5x150x12x1xf32>, index, memref<100x50xf32>) -> ()
    linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %bias : memref<100x50xf32>, memref<50xf32>) outs(%y : memref<100x50xf64>) {
    ^bb0(%sum: f32, %b: f32, %old: f64):
      %0 = arith.subf %sum, %b : f32
      %1 = arith.extf %0 : f32 to f64
      linalg.yield %1 : f64
    }
    return
  }

  // Results of the sums' own type stay in a loop.
  // CHECK-LABEL: func.func @same_type(
  // CHECK: call @aik$tiles3(
  // CHECK: linalg.generic
  func.func @same_type(%p: memref<2x13x150x8x1xf32>, %q: memref<2x5x150x12x1xf32>, %k: index, %bias: memref<50xf32>, %y: memref<100x50xf32>) {
    aikernel.packed_product %p, %q depth %k outs %y {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x13x150x8x1xf32>, memref<2x5x150x12x1xf32>, index, memref<100x50xf32>) -> ()
    linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : memref<100x50xf32>, memref<50xf32>) outs(%y : memref<100x50xf32>) {
    ^bb0(%sum: f32, %b: f32, %old: f32):
      %0 = arith.addf %sum, %b : f32
      linalg.yield %0 : f32
    }
    return
  }

  // The sums are needed later.
  // CHECK-LABEL: func.func @read_again(
  // CHECK: call @aik$tiles3(
  // CHECK: linalg.generic
  func.func @read_again(%p: memref<2x13x150x8x1xf32>, %q: memref<2x5x150x12x1xf32>, %k: index, %y: memref<100x50xf64>, %i: index) -> f32 {
    %c = memref.alloca() : memref<100x50xf32>
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x13x150x8x1xf32>, memref<2x5x150x12x1xf32>, index, memref<100x50xf32>) -> ()
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : memref<100x50xf32>) outs(%y : memref<100x50xf64>) {
    ^bb0(%sum: f32, %old: f64):
      %0 = arith.extf %sum : f32 to f64
      linalg.yield %0 : f64
    }
    %0 = memref.load %c[%i, %i] : memref<100x50xf32>
    return %0 : f32
  }

  // Polynomials are better off in a loop of their own; so is what depends on
  // its place.
  // CHECK-LABEL: func.func @long(
  // CHECK: call @aik$tiles3(
  // CHECK: linalg.generic
  // CHECK: call @aik$tiles3(
  // CHECK: linalg.generic
  func.func @long(%p: memref<2x13x150x8x1xf32>, %q: memref<2x5x150x12x1xf32>, %k: index, %y: memref<100x50xf64>) {
    %c = memref.alloca() : memref<100x50xf32>
    %d = memref.alloca() : memref<100x50xf32>
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x13x150x8x1xf32>, memref<2x5x150x12x1xf32>, index, memref<100x50xf32>) -> ()
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : memref<100x50xf32>) outs(%y : memref<100x50xf64>) {
    ^bb0(%sum: f32, %old: f64):
      %0 = math.exp %sum : f32
      %1 = arith.extf %0 : f32 to f64
      linalg.yield %1 : f64
    }
    aikernel.packed_product %p, %q depth %k outs %d {instruction = "fmla.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<2x13x150x8x1xf32>, memref<2x5x150x12x1xf32>, index, memref<100x50xf32>) -> ()
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%d : memref<100x50xf32>) outs(%y : memref<100x50xf64>) {
    ^bb0(%sum: f32, %old: f64):
      %0 = linalg.index 0 : index
      %1 = arith.index_cast %0 : index to i32
      %2 = arith.sitofp %1 : i32 to f32
      %3 = arith.addf %sum, %2 : f32
      %4 = arith.extf %3 : f32 to f64
      linalg.yield %4 : f64
    }
    return
  }

  // In registers where the tile is whole, from the buffer at the edges.
  // CHECK-LABEL: func.func private @aik$tiles0(
  // CHECK: arith.andi
  // CHECK: %[[LAST:.*]] = arith.cmpi eq
  // CHECK: scf.if %[[LAST]]
  // CHECK: memref.prefetch %{{.*}} : memref<?x?xf16
  // CHECK: scf.if %[[LAST]]
  // CHECK-COUNT-3: vector.load %{{.*}} : memref<?x?xf32, strided<[0, 1], offset: ?>>, vector<4xf32>
  // CHECK: memref.load %{{.*}} : memref<?x?xf32, strided<[1, 0], offset: ?>>
  // CHECK: arith.constant 5.000000e-01 : f32
  // CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
  // CHECK: vector.store %{{.*}} : memref<?x?xf16, strided<[?, 1], offset: ?>>, vector<4xf16>
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  // CHECK: memref.store %{{.*}} : memref<?x?xf16, strided<[?, 1], offset: ?>>
}
