// A product, its bias and its activation are one kernel: the fill, the product
// and the elementwise op after it, with the last one as the root.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// Arguments first, the destination last.
// CHECK-LABEL: func.func private @f$kernel0(
// CHECK-SAME: tensor<4x8xf32>, %{{.*}}: tensor<8x16xf32>, %[[BIAS:.*]]: tensor<16xf32>, %[[OUT:.*]]: tensor<4x16xf32>) -> tensor<4x16xf32> attributes {aikernel.kernel}
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[PRODUCT:.*]] = linalg.matmul
// CHECK-SAME: outs(%[[ZERO]]
// CHECK: %[[ROOT:.*]] = linalg.generic
// CHECK-SAME: ins(%[[PRODUCT]], %[[BIAS]]
// CHECK-SAME: outs(%[[OUT]]
// CHECK-SAME: aikernel.root = array<i64: 0, 1>
// CHECK: return %[[ROOT]]

// CHECK-LABEL: func.func @f(
// CHECK-NOT: linalg
// CHECK: %[[Y:.*]] = call @f$kernel0(
// CHECK-NEXT: return %[[Y]]
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %bias: tensor<16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x16xf32>
  %e1 = tensor.empty() : tensor<4x16xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %p = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%fill : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<4x16xf32>, tensor<16xf32>) outs(%e1 : tensor<4x16xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %s = arith.addf %l, %r : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
