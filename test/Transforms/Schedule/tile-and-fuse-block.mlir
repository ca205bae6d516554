// Where a block does a tile, small ops of a kernel that is one tile stay in a
// loop; large ones, and one op alone, can have more blocks without it.
// RUN: aik-opt %s --aik-tile-and-fuse=block-iterations=4096 | FileCheck %s
// RUN: aik-opt %s --aik-tile-and-fuse | FileCheck %s --check-prefix=NONE

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// NONE-NOT: scf.forall

// CHECK-LABEL: func.func private @norm(
// CHECK: scf.forall (%{{.*}}) in (1)
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: {mapping = [#gpu.block<linear_dim_0>]}
// CHECK-NOT: linalg
// CHECK: return
func.func private @norm(%x: tensor<1x4096xf32>, %out: tensor<1x4096xf32>) -> tensor<1x4096xf32> attributes {aikernel.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1x4096xf32>) outs(%fill : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<1xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<1x4096xf32>, tensor<1xf32>) outs(%out : tensor<1x4096xf32>) attrs = {aikernel.root = array<i64: 0>, aikernel.schedule = #aikernel.schedule<tiles = [1, 0]>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<1x4096xf32>
  return %y : tensor<1x4096xf32>
}

// CHECK-LABEL: func.func private @longer(
// CHECK-NOT: scf.forall
// CHECK: return
func.func private @longer(%x: tensor<1x4100xf32>, %out: tensor<1x4100xf32>) -> tensor<1x4100xf32> attributes {aikernel.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1x4100xf32>) outs(%fill : tensor<1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<1xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<1x4100xf32>, tensor<1xf32>) outs(%out : tensor<1x4100xf32>) attrs = {aikernel.root = array<i64: 0>, aikernel.schedule = #aikernel.schedule<tiles = [1, 0]>} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<1x4100xf32>
  return %y : tensor<1x4100xf32>
}

// CHECK-LABEL: func.func private @alone(
// CHECK-NOT: scf.forall
// CHECK: return
func.func private @alone(%x: tensor<1x64xf32>, %out: tensor<1x64xf32>) -> tensor<1x64xf32> attributes {aikernel.kernel} {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x64xf32>) outs(%out : tensor<1x64xf32>) attrs = {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [1, 64]>} {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<1x64xf32>
  return %y : tensor<1x64xf32>
}
