// RUN: aik-opt %s | aik-opt | FileCheck %s

// CHECK-LABEL: func @round_trip(
// CHECK: aikernel.online_attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} begin %{{.*}} end %{{.*}} kv_len %{{.*}} scale %{{.*}} key_offset %{{.*}} head_offset %{{.*}} group %{{.*}} outs %{{.*}}, %{{.*}}, %{{.*}} {softcap = 2.000000e+00 : f64} :
func.func @round_trip(%q: tensor<1x4x4x16xf32>, %k: tensor<1x2x8x16xf32>, %v: tensor<1x2x8x16xf32>, %m: tensor<4x8xf32>, %begin: tensor<1x4xi32>, %end: tensor<1x4xi32>, %n: tensor<1xi32>, %s: f32, %i: index, %acc: tensor<1x4x4x16xf32>, %max: tensor<1x4x4xf32>, %sum: tensor<1x4x4xf32>) -> tensor<1x4x4x16xf32> {
  %r:3 = aikernel.online_attention %q, %k, %v mask %m begin %begin end %end kv_len %n scale %s key_offset %i head_offset %i group %i outs %acc, %max, %sum {softcap = 2.0 : f64} : (tensor<1x4x4x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<4x8xf32>, tensor<1x4xi32>, tensor<1x4xi32>, tensor<1xi32>, f32, index, index, index, tensor<1x4x4x16xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> (tensor<1x4x4x16xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>)
  return %r#0 : tensor<1x4x4x16xf32>
}
