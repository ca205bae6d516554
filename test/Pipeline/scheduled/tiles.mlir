// Tiles of products, in whole panels of 8 rows and 12 columns: many, for many
// threads, as long as they stay wide; a few where they must be narrow or low.
// RUN: aikc %s --target=cpu:aarch64 --compile-to=scheduled -o - | FileCheck %s

// CHECK: module @target0

// 11 by 18 are many: they are as large as the caches like them.
// CHECK: func.func @large(
// CHECK: scf.forall ({{.*}}, {{.*}}) = (0, 0) to (4096, 4096) step (376, 228)
func.func @large(%a: tensor<4096x512xf32>, %b: tensor<512x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = aikernel.matmul %a, %b : (tensor<4096x512xf32>, tensor<512x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// 6 by 9 tiles of 344 x 228 become 6 by 18.
// CHECK: func.func @medium(
// CHECK: scf.forall ({{.*}}, {{.*}}) = (0, 0) to (2048, 2048) step (344, 120)
func.func @medium(%a: tensor<2048x512xf32>, %b: tensor<512x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = aikernel.matmul %a, %b : (tensor<2048x512xf32>, tensor<512x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

// 3 by 5 become 3 by 10, and no more.
// CHECK: func.func @narrow(
// CHECK: scf.forall ({{.*}}, {{.*}}) = (0, 0) to (1024, 1024) step (344, 108)
func.func @narrow(%a: tensor<1024x512xf32>, %b: tensor<512x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = aikernel.matmul %a, %b : (tensor<1024x512xf32>, tensor<512x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// 1 by 5 become 1 by 11, and then 2 by 11.
// CHECK: func.func @small(
// CHECK: scf.forall ({{.*}}, {{.*}}) = (0, 0) to (128, 512) step (64, 48)
func.func @small(%a: tensor<128x512xf32>, %b: tensor<512x512xf32>) -> tensor<128x512xf32> {
  %0 = aikernel.matmul %a, %b : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
  return %0 : tensor<128x512xf32>
}
