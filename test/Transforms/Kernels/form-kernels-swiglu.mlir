// Two products that meet in one elementwise op are one kernel: a tile of the
// gate and the same tile of the other projection are computed together.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

// CHECK-COUNT-1: func.func private @f$kernel0(
// CHECK-COUNT-2: linalg.matmul
// CHECK: linalg.mul
// CHECK-SAME: aikernel.root = array<i64: 0, 1>
// CHECK-NOT: func.func private
func.func @f(%x: tensor<4x8xf32>, %gate: tensor<8x16xf32>, %up: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %g = linalg.matmul ins(%x, %gate : tensor<4x8xf32>, tensor<8x16xf32>) outs(%fill : tensor<4x16xf32>) -> tensor<4x16xf32>
  %u = linalg.matmul ins(%x, %up : tensor<4x8xf32>, tensor<8x16xf32>) outs(%fill : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.mul ins(%g, %u : tensor<4x16xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
