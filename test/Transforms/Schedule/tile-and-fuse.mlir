// A kernel becomes one parallel loop over tiles that holds the tiles of all its
// producers; nothing is left outside it.
// RUN: aik-opt %s --aik-tile-and-fuse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func private @product_bias(
// CHECK-SAME: %[[A:[^:]*]]: tensor<128x32xf32>, %[[B:[^:]*]]: tensor<32x256xf32>, %[[BIAS:[^:]*]]: tensor<256xf32>
// CHECK-NOT: linalg
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (128, 256) step (64, 128)
// CHECK-DAG: tensor.extract_slice %[[A]][%[[I]], 0] [64, 32]
// CHECK-DAG: tensor.extract_slice %[[B]][0, %[[J]]] [32, 128]
// CHECK: linalg.fill
// CHECK: linalg.matmul
// CHECK: linalg.generic
// CHECK-NOT: aikernel.root
// CHECK-NOT: aikernel.schedule
// CHECK: scf.forall.in_parallel
// CHECK-NOT: linalg
// CHECK: return
func.func private @product_bias(%a: tensor<128x32xf32>, %b: tensor<32x256xf32>, %bias: tensor<256xf32>, %out: tensor<128x256xf32>) -> tensor<128x256xf32> attributes {aikernel.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x256xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
  %p = linalg.matmul ins(%a, %b : tensor<128x32xf32>, tensor<32x256xf32>) outs(%fill : tensor<128x256xf32>) -> tensor<128x256xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<128x256xf32>, tensor<256xf32>) outs(%out : tensor<128x256xf32>) attrs = {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [64, 128]>} {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %s = arith.addf %l, %r : f32
    linalg.yield %s : f32
  } -> tensor<128x256xf32>
  return %y : tensor<128x256xf32>
}
