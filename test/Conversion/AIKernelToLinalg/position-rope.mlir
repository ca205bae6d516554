// RUN: aik-opt %s -aik-aikernel-to-linalg -split-input-file | FileCheck %s

// Style half: pairs are (i, i + 4).

// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, 0, d4)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, 1, d4)>
// CHECK-DAG: #[[TABLE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
// CHECK-LABEL: func @half(
// CHECK-SAME: %[[X:.*]]: tensor<1x2x?x8xbf16>, %[[POS:.*]]: tensor<1x?xi32>
// 2^64 / (2 pi), then a tenth, a hundredth and a thousandth of it.
// CHECK: %[[TURNS:.*]] = arith.constant dense<[2935890503282001226, 293589050328200123, 29358905032820012, 2935890503282001]> : tensor<4xi64>
// CHECK: %[[T:.*]]:2 = linalg.generic {{.*}} ins(%[[POS]], %[[TURNS]] : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<1x?x4xf32>, tensor<1x?x4xf32>)
// CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: arith.muli %[[WIDE]], %{{.*}} : i64
// CHECK: arith.sitofp %{{.*}} : i64 to f32
// CHECK: %[[PAIRS:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1], [2], [3, 4]] output_shape [1, 2, %{{.*}}, 2, 4]
// CHECK: linalg.generic {indexing_maps = [#[[FIRST]], #[[SECOND]], #[[TABLE]], #[[TABLE]], #{{.*}}]{{.*}} ins(%[[PAIRS]], %[[PAIRS]], %[[T]]#1, %[[T]]#0 :
// CHECK: linalg.index 3
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: tensor.collapse_shape
func.func @half(%x: tensor<1x2x?x8xbf16>, %pos: tensor<1x?xi32>) -> tensor<1x2x?x8xbf16> {
  %y = aikernel.rope %x, %pos {base = 1.0e4 : f32} : (tensor<1x2x?x8xbf16>, tensor<1x?xi32>) -> tensor<1x2x?x8xbf16>
  return %y : tensor<1x2x?x8xbf16>
}

// -----

// Style interleaved, layout bshd: pairs are (2i, 2i + 1), the sequence is the
// second dimension.
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
// CHECK-DAG: #[[TABLE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
// CHECK-LABEL: func @interleaved(
// CHECK: tensor.expand_shape %{{.*}} output_shape [1, %{{.*}}, 2, 4, 2]
// CHECK: linalg.generic {indexing_maps = [#[[FIRST]], #{{.*}}, #[[TABLE]], #[[TABLE]], #{{.*}}]
// CHECK: linalg.index 4
func.func @interleaved(%x: tensor<1x?x2x8xf32>, %pos: tensor<1x?xi32>) -> tensor<1x?x2x8xf32> {
  %y = aikernel.rope %x, %pos {base = 1.0e4 : f32, layout = #aikernel.layout_kind<bshd>, style = #aikernel.rope_style<interleaved>} : (tensor<1x?x2x8xf32>, tensor<1x?xi32>) -> tensor<1x?x2x8xf32>
  return %y : tensor<1x?x2x8xf32>
}

// -----

// f64 uses the functions of the library on the reduced angle.
// CHECK-LABEL: func @f64(
// CHECK: math.sin %{{.*}} : f64
// CHECK: math.cos %{{.*}} : f64
func.func @f64(%x: tensor<1x2x3x8xf64>, %pos: tensor<1x3xi32>) -> tensor<1x2x3x8xf64> {
  %y = aikernel.rope %x, %pos {base = 1.0e4 : f32} : (tensor<1x2x3x8xf64>, tensor<1x3xi32>) -> tensor<1x2x3x8xf64>
  return %y : tensor<1x2x3x8xf64>
}
