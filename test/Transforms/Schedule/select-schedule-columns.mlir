// Sums of columns are read along the rows: a tile has so many columns that
// lines are read as a whole, and there are tiles for several threads.
// RUN: aik-opt %s --aik-select-schedule | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
#column = affine_map<(d0, d1) -> (d1)>
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: @sums
  // CHECK: #aikernel.schedule<tiles = [0, 512]
  func.func private @sums(%x: tensor<2048x4096xf32>, %s: tensor<4096xf32>) -> tensor<4096xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<2048x4096xf32>) outs(%s : tensor<4096xf32>) attrs = {aikernel.root = array<i64: 1>} {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    } -> tensor<4096xf32>
    return %0 : tensor<4096xf32>
  }
  // Fewer columns are shared by as many threads as lines allow.
  // CHECK-LABEL: @few
  // CHECK: #aikernel.schedule<tiles = [0, 32]
  func.func private @few(%x: tensor<2048x64xf32>, %s: tensor<64xf32>) -> tensor<64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<2048x64xf32>) outs(%s : tensor<64xf32>) attrs = {aikernel.root = array<i64: 1>} {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    } -> tensor<64xf32>
    return %0 : tensor<64xf32>
  }
  // Where rows are read again they stay in L2.
  // CHECK-LABEL: @again
  // CHECK: #aikernel.schedule<tiles = [0, 64]
  func.func private @again(%x: tensor<2048x4096xf32>, %s: tensor<4096xf32>, %y: tensor<2048x4096xf32>) -> tensor<2048x4096xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<2048x4096xf32>) outs(%s : tensor<4096xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    } -> tensor<4096xf32>
    %1 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<2048x4096xf32>, tensor<4096xf32>) outs(%y : tensor<2048x4096xf32>) attrs = {aikernel.root = array<i64: 1>} {
    ^bb0(%v: f32, %sum: f32, %out: f32):
      %a = arith.subf %v, %sum : f32
      linalg.yield %a : f32
    } -> tensor<2048x4096xf32>
    return %1 : tensor<2048x4096xf32>
  }
  // A product of one row is a sum of columns too.
  // CHECK-LABEL: @row
  // CHECK: #aikernel.schedule<tiles = [1, 512, 0]
  func.func private @row(%x: tensor<1x4096xf32>, %w: tensor<4096x4096xf32>, %y: tensor<1x4096xf32>) -> tensor<1x4096xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x4096xf32>, tensor<4096x4096xf32>) outs(%y : tensor<1x4096xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %m = arith.mulf %a, %b : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<1x4096xf32>
    return %0 : tensor<1x4096xf32>
  }
  // What is transposed goes by squares.
  // CHECK-LABEL: @transposed
  // CHECK: #aikernel.schedule<tiles = [32, 32]
  func.func private @transposed(%x: tensor<2048x4096xf32>, %y: tensor<4096x2048xf32>) -> tensor<4096x2048xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2048x4096xf32>) outs(%y : tensor<4096x2048xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%v: f32, %out: f32):
      linalg.yield %v : f32
    } -> tensor<4096x2048xf32>
    return %0 : tensor<4096x2048xf32>
  }
  // If one of its loops is short, the other takes what is left.
  // CHECK-LABEL: @narrow
  // CHECK: #aikernel.schedule<tiles = [3, 341]
  func.func private @narrow(%x: tensor<4096x3xf32>, %y: tensor<3x4096xf32>) -> tensor<3x4096xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4096x3xf32>) outs(%y : tensor<3x4096xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%v: f32, %out: f32):
      linalg.yield %v : f32
    } -> tensor<3x4096xf32>
    return %0 : tensor<3x4096xf32>
  }
  // What is repeated along rows is not transposed.
  // CHECK-LABEL: @repeated
  // CHECK: #aikernel.schedule<tiles = [1, 8, 2048]
  func.func private @repeated(%x: tensor<4x64xf32>, %y: tensor<4x64x2048xf32>) -> tensor<4x64x2048xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x64xf32>) outs(%y : tensor<4x64x2048xf32>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%v: f32, %out: f32):
      linalg.yield %v : f32
    } -> tensor<4x64x2048xf32>
    return %0 : tensor<4x64x2048xf32>
  }
}
