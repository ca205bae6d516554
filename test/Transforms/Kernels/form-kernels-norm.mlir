// A norm is one kernel: the sum over a row and the elementwise op that scales
// the row. Only the rows may be tiled, for a tile needs whole rows.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-COUNT-1: func.func private @f$kernel0(
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK-SAME: "reduction"
// CHECK: linalg.generic
// CHECK-SAME: aikernel.root = array<i64: 0>}
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @f(
func.func @f(%x: tensor<?x64xf32>, %e: tensor<?xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x64xf32>) outs(%fill : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %q = arith.mulf %v, %v : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<?x64xf32>, tensor<?xf32>) outs(%out : tensor<?x64xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %r = math.rsqrt %s : f32
    %m = arith.mulf %v, %r : f32
    linalg.yield %m : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
