// RUN: aik-opt %s | aik-opt | FileCheck %s

// CHECK-LABEL: func @round_trip(
// CHECK: aikernel.online_attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} begin %{{.*}} end %{{.*}} kv_len %{{.*}} scale %{{.*}} key_offset %{{.*}} head_offset %{{.*}} group %{{.*}} outs %{{.*}}, %{{.*}}, %{{.*}} {softcap = 2.000000e+00 : f64} :
func.func @round_trip(%q: tensor<1x4x4x16xf32>, %k: tensor<1x2x8x16xf32>, %v: tensor<1x2x8x16xf32>, %m: tensor<4x8xf32>, %begin: tensor<1x4xi32>, %end: tensor<1x4xi32>, %n: tensor<1xi32>, %s: f32, %i: index, %acc: tensor<1x4x4x16xf32>, %max: tensor<1x4x4xf32>, %sum: tensor<1x4x4xf32>) -> tensor<1x4x4x16xf32> {
  %r:3 = aikernel.online_attention %q, %k, %v mask %m begin %begin end %end kv_len %n scale %s key_offset %i head_offset %i group %i outs %acc, %max, %sum {softcap = 2.0 : f64} : (tensor<1x4x4x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<4x8xf32>, tensor<1x4xi32>, tensor<1x4xi32>, tensor<1xi32>, f32, index, index, index, tensor<1x4x4x16xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> (tensor<1x4x4x16xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>)
  return %r#0 : tensor<1x4x4x16xf32>
}

// CHECK-LABEL: func @part(
// CHECK: aikernel.attention_part %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} begin %{{.*}} end %{{.*}} scale %{{.*}} keys %{{.*}} to %{{.*}} head %{{.*}} part %{{.*}} of %{{.*}} parts %{{.*}}, %{{.*}}, %{{.*}} outs %{{.*}}, %{{.*}}, %{{.*}} {aligned, softcap = 2.000000e+00 : f64} :
func.func @part(%q: memref<1x2x1x16xbf16>, %k: memref<1x1x64x16xbf16>, %m: memref<1x64xf32>, %b: memref<1x1xi32>, %s: f32, %i: index, %accs: memref<1x3x2x16xf32>, %rows: memref<1x3x2xf32>, %acc: memref<1x2x1x16xf32>, %row: memref<1x2x1xf32>) -> i1 {
  %done = aikernel.attention_part %q, %k, %k mask %m begin %b end %b scale %s keys %i to %i head %i part %i of %i parts %accs, %rows, %rows outs %acc, %row, %row {aligned, softcap = 2.0 : f64} : (memref<1x2x1x16xbf16>, memref<1x1x64x16xbf16>, memref<1x1x64x16xbf16>, memref<1x64xf32>, memref<1x1xi32>, memref<1x1xi32>, f32, index, index, index, index, index, memref<1x3x2x16xf32>, memref<1x3x2xf32>, memref<1x3x2xf32>, memref<1x2x1x16xf32>, memref<1x2x1xf32>, memref<1x2x1xf32>) -> i1
  return %done : i1
}
