// Tiles of products with quantized weights are whole panels: sixteen rows of w,
// and as many of x as its panels have.
// RUN: aik-opt %s --aik-tile-and-fuse --split-input-file | FileCheck %s

// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0) -> (d0 floordiv 16)>
// CHECK-DAG: #[[COUNT:.*]] = affine_map<(d0) -> (d0 ceildiv 16)>
// CHECK-LABEL: func.func private @gemv(
// CHECK: scf.forall (%[[I:.*]]) = (0) to (100) step (32)
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: %[[P:.*]] = affine.apply #[[FIRST]](%[[I]])
// CHECK: %[[N:.*]] = affine.apply #[[COUNT]](%[[SIZE]])
// CHECK: %[[W:.*]] = tensor.extract_slice %{{.*}}[%[[P]], 0, 0] [%[[N]], 2, 256] [1, 1, 1]
// CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}}[0, %{{.*}}, 0, 0, 0] [1, %{{.*}}, 2, 16, 1]
// CHECK: aikernel.block_gemv %[[W]] w_scales %[[S]],
func.func private @gemv(%w: tensor<7x2x256xi8>, %v: tensor<1x7x2x16x1xf32>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %o: tensor<100xf32>) -> tensor<100xf32> attributes {aikernel.kernel} {
  %y = aikernel.block_gemv %w w_scales %v, %x scales %d sums %s outs %o {format = #aikernel.quant<i4, group = 32>, aikernel.root = array<i64: 0>, aikernel.schedule = #aikernel.schedule<tiles = [32]>} : (tensor<7x2x256xi8>, tensor<1x7x2x16x1xf32>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<100xf32>) -> tensor<100xf32>
  return %y : tensor<100xf32>
}

// -----

// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0) -> (d0 floordiv 16)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0) -> (d0 floordiv 8)>
// CHECK-LABEL: func.func private @matmul(
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (80, 128) step (16, 64)
// CHECK-DAG: %[[C:.*]] = affine.apply #[[COLUMNS]](%[[J]])
// CHECK-DAG: %[[R:.*]] = affine.apply #[[ROWS]](%[[I]])
// CHECK-DAG: tensor.extract_slice %{{.*}}[%[[C]], 0, 0] [4, 2, 288] [1, 1, 1]
// CHECK-DAG: %[[X:.*]] = tensor.extract_slice %{{.*}}[0, %[[R]], 0, 0, 0] [1, 2, 8, 8, 8]
// CHECK: %[[Y:.*]] = aikernel.block_matmul %{{.*}}, %[[X]] {{.*}} -> tensor<16x64xf32>
// CHECK: linalg.add ins(%[[Y]],
func.func private @matmul(%w: tensor<8x2x288xi8>, %x: tensor<1x10x8x8x8xi8>, %d: tensor<1x10x2x8x1xf32>, %s: tensor<1x10x2x8x1xi32>, %r: tensor<80x128xf32>, %o: tensor<80x128xf32>) -> tensor<80x128xf32> attributes {aikernel.kernel} {
  %e = tensor.empty() : tensor<80x128xf32>
  %y = aikernel.block_matmul %w, %x scales %d sums %s outs %e {format = #aikernel.quant<q4_0>} : (tensor<8x2x288xi8>, tensor<1x10x8x8x8xi8>, tensor<1x10x2x8x1xf32>, tensor<1x10x2x8x1xi32>, tensor<80x128xf32>) -> tensor<80x128xf32>
  %z = linalg.add {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [16, 64]>} ins(%y, %r : tensor<80x128xf32>, tensor<80x128xf32>) outs(%o : tensor<80x128xf32>) -> tensor<80x128xf32>
  return %z : tensor<80x128xf32>
}
