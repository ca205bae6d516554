// Products with quantized weights join the op after them, like other products;
// what they read is computed before.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// CHECK: func.func private @f$kernel0(
// CHECK: arith.negf
// CHECK: func.func private @f$kernel1(
// CHECK: aikernel.block_gemv
// CHECK: arith.addf
// CHECK: } -> tensor<100xf32>
// CHECK-LABEL: func.func @f(
// CHECK: call @f$kernel0
// CHECK: call @f$kernel1
func.func @f(%w: tensor<7x2x288xi8>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %r: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%d : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%i: f32, %o: f32):
    %n = arith.negf %i : f32
    linalg.yield %n : f32
  } -> tensor<2xf32>
  %f = tensor.empty() : tensor<100xf32>
  %p = aikernel.block_gemv %w, %x scales %m sums %s outs %f {format = #aikernel.quant<q4_0>} : (tensor<7x2x288xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<100xf32>) -> tensor<100xf32>
  %g = tensor.empty() : tensor<100xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%p, %r : tensor<100xf32>, tensor<100xf32>) outs(%g : tensor<100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<100xf32>
  return %y : tensor<100xf32>
}

// CHECK: func.func private @g$kernel0(
// CHECK: aikernel.block_matmul {{.*}} {aikernel.root = array<i64: 0, 1>,
func.func @g(%w: tensor<7x2x288xi8>, %x: tensor<1x?x8x8x8xi8>, %d: tensor<1x?x2x8x1xf32>, %s: tensor<1x?x2x8x1xi32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<7x2x288xi8>, tensor<1x?x8x8x8xi8>, tensor<1x?x2x8x1xf32>, tensor<1x?x2x8x1xi32>, tensor<?x100xf32>) -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}
