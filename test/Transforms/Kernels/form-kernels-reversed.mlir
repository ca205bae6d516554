// A tile of these loops touches no single block of the operand: the op is not
// tiled and so forms no kernel.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

// CHECK-NOT: $kernel
// CHECK-LABEL: func.func @reversed
// CHECK: linalg.generic
// CHECK-LABEL: func.func @wrapped
// CHECK: linalg.generic
func.func @reversed(%x: tensor<64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (63 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

func.func @wrapped(%x: tensor<8xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 8)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
