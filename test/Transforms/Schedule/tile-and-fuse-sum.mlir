// A packed product whose schedule says so takes a block of the sum at a time:
// one of the operands as they are packed, the first outside of the loop. A
// weight stays packed as a whole, and a block of it is read.
// RUN: aik-opt %s --aik-tile-and-fuse | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func private @sum(
// CHECK-SAME: %[[A:[^:]*]]: tensor<64x500xf32>, %[[B:[^:]*]]: tensor<500x96xf32>, %[[O:[^:]*]]: tensor<64x96xf32>
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[A]][0, 0] [64, 252] [1, 1]
// CHECK: aikernel.pack_panels %[[SLICE]] outs %{{.*}} {depth_dim = 1 : i64, panel_dim = 0 : i64} : (tensor<64x252xf32>, tensor<1x8x252x8x1xf32>)
// CHECK: aikernel.pack_panels %{{.*}} : (tensor<252x96xf32>, tensor<1x2x252x48x1xf32>)
// CHECK: %[[FIRST:.*]] = scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (64, 96) step (32, 48) shared_outs(%{{.*}} = %[[O]])
// CHECK: aikernel.packed_product {{.*}} depth %c252
// CHECK-SAME: overwrite
// CHECK: %[[ALL:.*]] = scf.for %[[K:[a-z0-9]+]] = %c252{{.*}} to %c500{{.*}} step %c252{{.*}} iter_args(%[[SUMS:.*]] = %[[FIRST]])
// CHECK: %[[SIZE:.*]] = affine.min #{{.*}}(%[[K]])
// CHECK: tensor.extract_slice %[[A]][0, %[[K]]] [64, %[[SIZE]]]
// CHECK: tensor.extract_slice %[[B]][%[[K]], 0] [%[[SIZE]], 96]
// CHECK: scf.forall {{.*}} shared_outs(%{{.*}} = %[[SUMS]])
// CHECK: aikernel.packed_product {{.*}} depth %[[SIZE]]
// CHECK-NOT: overwrite
// CHECK: return %[[ALL]]
func.func private @sum(%a: tensor<64x500xf32>, %b: tensor<500x96xf32>, %o: tensor<64x96xf32>) -> tensor<64x96xf32> attributes {aikernel.kernel} {
  %k = arith.constant 500 : index
  %e = tensor.empty() : tensor<2x8x252x8x1xf32>
  %f = tensor.empty() : tensor<2x2x252x48x1xf32>
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<64x500xf32>, tensor<2x8x252x8x1xf32>) -> tensor<2x8x252x8x1xf32>
  %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<500x96xf32>, tensor<2x2x252x48x1xf32>) -> tensor<2x2x252x48x1xf32>
  %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [32, 48], inner = 252>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<2x8x252x8x1xf32>, tensor<2x2x252x48x1xf32>, index, tensor<64x96xf32>) -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}

// CHECK-LABEL: func.func private @weight(
// CHECK: %[[Q:.*]] = aikernel.pack_panels %{{.*}} : (tensor<500x96xf32>, tensor<2x2x252x48x1xf32>)
// CHECK: tensor.extract_slice %[[Q]][0, 0, 0, 0, 0] [1, 2, 252, 48, 1]
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK: %[[BLOCK:.*]] = affine.apply #{{.*}}(%[[K]])
// CHECK: tensor.extract_slice %[[Q]][%[[BLOCK]], 0, 0, 0, 0] [1, 2, 252, 48, 1]
func.func private @weight(%a: tensor<64x500xf32>, %b: tensor<500x96xf32>, %o: tensor<64x96xf32>) -> tensor<64x96xf32> attributes {aikernel.kernel} {
  %k = arith.constant 500 : index
  %e = tensor.empty() : tensor<2x8x252x8x1xf32>
  %f = tensor.empty() : tensor<2x2x252x48x1xf32>
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<64x500xf32>, tensor<2x8x252x8x1xf32>) -> tensor<2x8x252x8x1xf32>
  %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<500x96xf32>, tensor<2x2x252x48x1xf32>) -> tensor<2x2x252x48x1xf32>
  %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [32, 48], inner = 252>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<2x8x252x8x1xf32>, tensor<2x2x252x48x1xf32>, index, tensor<64x96xf32>) -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}
func.func @caller(%a: tensor<64x500xf32>, %w: tensor<500x96xf32> {aikernel.weight}, %o: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %y = func.call @weight(%a, %w, %o) : (tensor<64x500xf32>, tensor<500x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}
