// In tile registers a product whose schedule says so takes a block of the sum at
// a time within its tile, and what the tile takes of the right operand is packed
// there. The left operand is packed as a whole, before.
// RUN: aik-opt %s --aik-tile-and-fuse | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func private @in_tile(
// CHECK-SAME: %[[A:[^:]*]]: tensor<64x700xbf16>, %[[B:[^:]*]]: tensor<700x100xbf16>, %[[O:[^:]*]]: tensor<64x100xf32>
// CHECK: %[[P:.*]] = aikernel.pack_panels %[[A]]
// CHECK-NOT: aikernel.pack_panels
// CHECK: scf.forall (%[[J:[a-z0-9]+]]) = (0) to (100) step (64)
// CHECK: %[[WIDTH:.*]] = affine.min #{{.*}}(%[[J]])
// CHECK: %[[LEFT:.*]] = tensor.extract_slice %[[P]][0, 0, 0, 0, 0] [1, 2, 16, 32, 32]
// CHECK: %[[N:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[B]][0, %[[N]]] [512, %[[WIDTH]]] [1, 1]
// CHECK: %[[RIGHT:.*]] = aikernel.pack_panels %[[PART]] outs %{{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64, step_multiple = 16 : i64} : (tensor<512x?xbf16>, tensor<1x?x256x32x2xbf16>)
// CHECK: %[[FIRST:.*]] = aikernel.packed_product %[[LEFT]], %[[RIGHT]] depth %c512
// CHECK-SAME: overwrite
// CHECK: scf.for %[[K:[a-z0-9]+]] = %c512{{.*}} to %c700{{.*}} step %c512{{.*}} iter_args(%[[SUMS:.*]] = %[[FIRST]])
// CHECK: %[[SIZE:.*]] = affine.min #{{.*}}(%[[K]])
// CHECK: %[[BLOCK:.*]] = affine.apply #{{.*}}(%[[K]])
// CHECK: tensor.extract_slice %[[P]][%[[BLOCK]], 0, 0, 0, 0] [1, 2, 16, 32, 32]
// CHECK: tensor.extract_slice %[[B]][%[[K]], %{{.*}}] [%[[SIZE]], %[[WIDTH]]] [1, 1]
// CHECK: aikernel.packed_product {{.*}} depth %[[SIZE]] outs %[[SUMS]]
// CHECK-NOT: overwrite
func.func private @in_tile(%a: tensor<64x700xbf16>, %b: tensor<700x100xbf16>, %o: tensor<64x100xf32>) -> tensor<64x100xf32> attributes {aikernel.kernel} {
  %k = arith.constant 700 : index
  %e = tensor.empty() : tensor<2x2x16x32x32xbf16>
  %f = tensor.empty() : tensor<2x4x256x32x2xbf16>
  %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<64x700xbf16>, tensor<2x2x16x32x32xbf16>) -> tensor<2x2x16x32x32xbf16>
  %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (tensor<700x100xbf16>, tensor<2x4x256x32x2xbf16>) -> tensor<2x4x256x32x2xbf16>
  %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [64, 64], inner = 512>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<2x2x16x32x32xbf16>, tensor<2x4x256x32x2xbf16>, index, tensor<64x100xf32>) -> tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}
