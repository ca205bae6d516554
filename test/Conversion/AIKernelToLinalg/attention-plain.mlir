// RUN: aik-opt %s -aik-aikernel-to-linalg -split-input-file | FileCheck %s

// CHECK-LABEL: func @plain(
// CHECK-SAME: %[[Q:.*]]: tensor<2x8x?x64xbf16>, %[[K:.*]]: tensor<2x2x?x64xbf16>, %[[V:.*]]: tensor<2x2x?x32xbf16>
// CHECK: %[[ACC:.*]] = linalg.fill {{.*}} -> tensor<2x8x?x32xf32>
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[MAX:.*]] = linalg.fill ins(%[[LOWEST]] : f32) {{.*}} -> tensor<2x8x?xf32>
// CHECK: %[[SUM:.*]] = linalg.fill {{.*}} -> tensor<2x8x?xf32>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 1.250000e-01 : f32
// CHECK-DAG: %[[GROUP:.*]] = arith.constant 4 : index
// CHECK: %[[R:.*]]:3 = aikernel.online_attention %[[Q]], %[[K]], %[[V]] scale %[[SCALE]] key_offset %[[ZERO:.*]] head_offset %[[ZERO]] group %[[GROUP]] outs %[[ACC]], %[[MAX]], %[[SUM]]
// CHECK: linalg.generic {{.*}} ins(%[[R]]#0, %[[R]]#2 : {{.*}} outs(%{{.*}} : tensor<2x8x?x32xbf16>)
// CHECK: ^bb0(%[[A:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: bf16):
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[S]], %[[F0:.*]] : f32
// CHECK: %[[RATIO:.*]] = arith.divf %[[A]], %[[S]] : f32
// CHECK: %[[Y:.*]] = arith.select %[[EMPTY]], %[[F0]], %[[RATIO]] : f32
// CHECK: arith.truncf %[[Y]] : f32 to bf16
func.func @plain(%q: tensor<2x8x?x64xbf16>, %k: tensor<2x2x?x64xbf16>, %v: tensor<2x2x?x32xbf16>) -> tensor<2x8x?x32xbf16> {
  %o = aikernel.attention %q, %k, %v : (tensor<2x8x?x64xbf16>, tensor<2x2x?x64xbf16>, tensor<2x2x?x32xbf16>) -> tensor<2x8x?x32xbf16>
  return %o : tensor<2x8x?x32xbf16>
}

// -----

// In layout bshd only the last op turns head and sequence back.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
// CHECK-LABEL: func @bshd(
// CHECK-NOT: transpose
// CHECK: aikernel.online_attention {{.*}}layout = #aikernel.layout_kind<bshd>{{.*}}, softcap = 3.000000e+01 : f64
// CHECK: linalg.generic {indexing_maps = [#[[IN]], #[[ROW]], #[[OUT]]]{{.*}} outs(%{{.*}} : tensor<1x16x4x8xf32>)
func.func @bshd(%q: tensor<1x16x4x8xf32>, %k: tensor<1x16x4x8xf32>, %v: tensor<1x16x4x8xf32>) -> tensor<1x16x4x8xf32> {
  %o = aikernel.attention %q, %k, %v {layout = #aikernel.layout_kind<bshd>, softcap = 3.0e1 : f32} : (tensor<1x16x4x8xf32>, tensor<1x16x4x8xf32>, tensor<1x16x4x8xf32>) -> tensor<1x16x4x8xf32>
  return %o : tensor<1x16x4x8xf32>
}

// -----

// A depth and heads that are only known at run time.
// CHECK-LABEL: func @dynamic(
// CHECK: math.sqrt
// CHECK: %[[SCALE:.*]] = arith.divf
// CHECK: %[[GROUP:.*]] = arith.divui
// CHECK: aikernel.online_attention {{.*}} scale %[[SCALE]] {{.*}} group %[[GROUP]]
func.func @dynamic(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %o = aikernel.attention %q, %k, %v : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %o : tensor<?x?x?x?xf32>
}
