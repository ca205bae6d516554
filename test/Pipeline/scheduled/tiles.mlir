// Tiles of products, in whole panels of 8 rows and 12 columns: many, for many
// threads, as long as that takes narrower ones only; a few where it takes lower
// ones.
// RUN: aikc %s --target=cpu:aarch64 --compile-to=scheduled -o - | FileCheck %s

// CHECK: module @target0

// 11 by 13 are many: they are as large as the caches like them.
// CHECK: func.func @large(
// CHECK: scf.forall ({{.*}}, {{.*}}) = (0, 0) to (2048, 2048) step (192, 168)
func.func @large(%a: tensor<2048x512xf32>, %b: tensor<512x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = aikernel.matmul %a, %b : (tensor<2048x512xf32>, tensor<512x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

// 6 by 7 tiles of 176 x 156 become 6 by 13.
// CHECK: func.func @medium(
// CHECK: scf.forall ({{.*}}, {{.*}}) = (0, 0) to (1024, 1024) step (176, 84)
func.func @medium(%a: tensor<1024x512xf32>, %b: tensor<512x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = aikernel.matmul %a, %b : (tensor<1024x512xf32>, tensor<512x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// 8 tiles of all rows and 72 columns are not even a few.
// CHECK: func.func @small(
// CHECK: scf.forall ({{.*}}, {{.*}}) = (0, 0) to (128, 512) step (64, 72)
func.func @small(%a: tensor<128x512xf32>, %b: tensor<512x512xf32>) -> tensor<128x512xf32> {
  %0 = aikernel.matmul %a, %b : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
  return %0 : tensor<128x512xf32>
}
