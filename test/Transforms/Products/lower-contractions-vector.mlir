// Products with a vector have no register tile: they stay for aik-vectorize.
// RUN: aik-opt %s --aik-lower-contractions | FileCheck %s

// CHECK-LABEL: func.func @matvec
// CHECK-NOT: call
// CHECK: linalg.generic
func.func @matvec(%a: memref<4x5xf32>, %x: memref<5xf32>, %y: memref<4xf32>) {
  linalg.matvec ins(%a, %x : memref<4x5xf32>, memref<5xf32>) outs(%y : memref<4xf32>)
  return
}

// CHECK-LABEL: func.func @dot
// CHECK: linalg.generic
func.func @dot(%a: memref<5xf32>, %x: memref<5xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%a, %x : memref<5xf32>, memref<5xf32>) outs(%y : memref<f32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  }
  return
}
