// Attention is joined by the elementwise op after it and by the fills before
// it; what makes its queries stays outside. The features of a head and the keys
// are no loops to tile.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#sum = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// CHECK-LABEL: func.func private @f$kernel0(
// CHECK: linalg.exp
// CHECK-NOT: online_attention
// CHECK-LABEL: func.func private @f$kernel1(
// CHECK: linalg.fill
// CHECK: aikernel.online_attention
// CHECK: linalg.generic
// CHECK-SAME: aikernel.root = array<i64: 0, 1, 2>
// CHECK-NOT: func.func private
func.func @f(%q: tensor<1x2x4x16xf32>, %k: tensor<1x2x8x16xf32>, %v: tensor<1x2x8x16xf32>) -> tensor<1x2x4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e4 = tensor.empty() : tensor<1x2x4x16xf32>
  %e3 = tensor.empty() : tensor<1x2x4xf32>
  %queries = linalg.exp ins(%q : tensor<1x2x4x16xf32>) outs(%e4 : tensor<1x2x4x16xf32>) -> tensor<1x2x4x16xf32>
  %acc = linalg.fill ins(%zero : f32) outs(%e4 : tensor<1x2x4x16xf32>) -> tensor<1x2x4x16xf32>
  %max = linalg.fill ins(%low : f32) outs(%e3 : tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %sum = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %r:3 = aikernel.online_attention %queries, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum : (tensor<1x2x4x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, f32, index, index, index, tensor<1x2x4x16xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> (tensor<1x2x4x16xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  %y = linalg.generic {indexing_maps = [#id, #sum, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r#0, %r#2 : tensor<1x2x4x16xf32>, tensor<1x2x4xf32>) outs(%e4 : tensor<1x2x4x16xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %d = arith.divf %a, %s : f32
    linalg.yield %d : f32
  } -> tensor<1x2x4x16xf32>
  return %y : tensor<1x2x4x16xf32>
}
