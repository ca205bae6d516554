// A sum that every tile of a large kernel waits for is a kernel of its own, or
// threads would have nothing to share; a small one is not.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>

// CHECK: func.func private @large$kernel0(
// CHECK-SAME: tensor<1024x512xf32>, {{.*}} tensor<f32>
// CHECK: func.func private @large$kernel1(
// CHECK: aikernel.root = array<i64: 0, 1>
// CHECK-NOT: func.func private
// CHECK: func.func @large
func.func @large(%x: tensor<1024x512xf32>, %s: tensor<f32>, %y: tensor<1024x512xf32>) -> tensor<1024x512xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<1024x512xf32>) outs(%s : tensor<f32>) {
  ^bb0(%v: f32, %acc: f32):
    %a = arith.addf %acc, %v : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<1024x512xf32>, tensor<f32>) outs(%y : tensor<1024x512xf32>) {
  ^bb0(%v: f32, %sum: f32, %out: f32):
    %a = arith.divf %v, %sum : f32
    linalg.yield %a : f32
  } -> tensor<1024x512xf32>
  return %1 : tensor<1024x512xf32>
}

// CHECK: func.func private @small$kernel0(
// CHECK-NOT: func.func private
// CHECK: func.func @small
func.func @small(%x: tensor<16x32xf32>, %s: tensor<f32>, %y: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<16x32xf32>) outs(%s : tensor<f32>) {
  ^bb0(%v: f32, %acc: f32):
    %a = arith.addf %acc, %v : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<16x32xf32>, tensor<f32>) outs(%y : tensor<16x32xf32>) {
  ^bb0(%v: f32, %sum: f32, %out: f32):
    %a = arith.divf %v, %sum : f32
    linalg.yield %a : f32
  } -> tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}

// What adds to its destination is never computed twice.
// CHECK: func.func private @adds$kernel0(
// CHECK: func.func private @adds$kernel1(
// CHECK: func.func @adds
func.func @adds(%x: tensor<32xf32>, %s: tensor<32xf32>, %y: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<32xf32>) outs(%s : tensor<32xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %a = arith.addf %acc, %v : f32
    linalg.yield %a : f32
  } -> tensor<32xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<32xf32>) outs(%y : tensor<16x32xf32>) {
  ^bb0(%v: f32, %out: f32):
    linalg.yield %v : f32
  } -> tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}

// A result that is written at a constant place is not tiled: no kernel.
// CHECK-NOT: func.func private
// CHECK: func.func @constant_place
func.func @constant_place(%x: tensor<4x3xf32>, %a: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<4x3xf32>) outs(%a : tensor<1x3xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %v, %acc : f32
    linalg.yield %s : f32
  } -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}
