// RUN: aik-opt %s --canonicalize | FileCheck %s

!x = tensor<1x4x3x64xf32>

// CHECK-LABEL: @nothing_rotated
// CHECK-SAME: %[[X:[^:]*]]: tensor
func.func @nothing_rotated(%x: !x, %pos: tensor<1x3xi32>) -> !x {
  // CHECK-NEXT: return %[[X]]
  %y = aikernel.rope %x, %pos {base = 1.0e4 : f32, dim = 0 : i64} : (!x, tensor<1x3xi32>) -> !x
  return %y : !x
}

// CHECK-LABEL: @no_scaling
func.func @no_scaling(%x: !x, %pos: tensor<1x3xi32>) -> !x {
  // CHECK-NEXT: aikernel.rope %{{.*}}, %{{.*}} {base = 1.000000e+04 : f32} :
  // CHECK-NEXT: aikernel.rope %{{.*}}, %{{.*}} {base = 1.000000e+04 : f32} :
  // CHECK-NEXT: aikernel.rope %{{.*}}, %{{.*}} {base = 1.000000e+04 : f32, scaling = #aikernel.rope_scaling<linear, 2.000000e+00>} :
  %0 = aikernel.rope %x, %pos {base = 1.0e4 : f32, scaling = #aikernel.rope_scaling<none>} : (!x, tensor<1x3xi32>) -> !x
  %1 = aikernel.rope %0, %pos {base = 1.0e4 : f32, scaling = #aikernel.rope_scaling<linear, 1.0>} : (!x, tensor<1x3xi32>) -> !x
  %2 = aikernel.rope %1, %pos {base = 1.0e4 : f32, scaling = #aikernel.rope_scaling<linear, 2.0>} : (!x, tensor<1x3xi32>) -> !x
  return %2 : !x
}

// CHECK-LABEL: @nothing_appended
// CHECK-SAME: %[[C:[^:]*]]: tensor
func.func @nothing_appended(%cache: tensor<1x4x?x64xf32>, %new: tensor<1x4x0x64xf32>, %pos: tensor<1xi32>) -> tensor<1x4x?x64xf32> {
  // CHECK-NEXT: return %[[C]]
  %c = aikernel.kv_append %cache, %new, %pos : (tensor<1x4x?x64xf32>, tensor<1x4x0x64xf32>, tensor<1xi32>) -> tensor<1x4x?x64xf32>
  return %c : tensor<1x4x?x64xf32>
}

// CHECK-LABEL: @one_appended
func.func @one_appended(%cache: tensor<1x4x?x64xf32>, %new: tensor<1x4x1x64xf32>, %pos: tensor<1xi32>) -> tensor<1x4x?x64xf32> {
  // CHECK-NEXT: aikernel.kv_append
  %c = aikernel.kv_append %cache, %new, %pos : (tensor<1x4x?x64xf32>, tensor<1x4x1x64xf32>, tensor<1xi32>) -> tensor<1x4x?x64xf32>
  return %c : tensor<1x4x?x64xf32>
}
