// Ops inside a loop of the program become kernels too, called from there; a
// constant and the size of a tensor are made again inside the kernel.
// RUN: aik-opt %s --aik-form-kernels | FileCheck %s

// CHECK-LABEL: func.func private @f$kernel0(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[OUT:[^:]*]]: tensor<?xf32>) -> tensor<?xf32>
// CHECK: arith.constant 2.0
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]]
// CHECK-LABEL: func.func @f(
// CHECK: scf.for
// CHECK: func.call @f$kernel0
// CHECK-NOT: linalg
#id = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %size = tensor.dim %x, %c0 : tensor<?xf32>
    %e = tensor.empty(%size) : tensor<?xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%t : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%v: f32, %o: f32):
      %m = arith.mulf %v, %two : f32
      linalg.yield %m : f32
    } -> tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
