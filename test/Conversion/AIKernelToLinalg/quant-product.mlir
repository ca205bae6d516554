// RUN: aik-opt %s -aik-aikernel-to-linalg --canonicalize --cse | FileCheck %s

// The weights once, then a product, of one vector as well.
// CHECK-LABEL: func @gemv(
// CHECK-SAME: %[[X:.*]]: tensor<64xbf16>, %[[W:.*]]: tensor<?x40xi8>
// CHECK: tensor.expand_shape %[[W]]
// CHECK: %[[UNPACKED:.*]] = tensor.collapse_shape %{{.*}} into tensor<?x64xf32>
// CHECK: %[[ROW:.*]] = tensor.expand_shape %[[X]] {{.*}} into tensor<1x64xbf16>
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[ROW]], %[[UNPACKED]] : tensor<1x64xbf16>, tensor<?x64xf32>) outs(%{{.*}} : tensor<1x?xf32>)
// CHECK: %[[X32:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[X32]], %{{.*}} : f32
// CHECK: arith.addf %{{.*}}, %[[PRODUCT]] : f32
// CHECK: tensor.collapse_shape %[[SUMS]]
func.func @gemv(%x: tensor<64xbf16>, %w: tensor<?x40xi8>) -> tensor<?xf32> {
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_1>} : (tensor<64xbf16>, tensor<?x40xi8>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func @matmul(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<8x36xi8>
// CHECK: tensor.expand_shape %[[W]]
// CHECK: %[[UNPACKED:.*]] = tensor.collapse_shape %{{.*}} into tensor<8x64xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[UNPACKED]] : tensor<?x64xf32>, tensor<8x64xf32>)
func.func @matmul(%x: tensor<?x64xf32>, %w: tensor<8x36xi8>) -> tensor<?x8xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_0>} : (tensor<?x64xf32>, tensor<8x36xi8>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Integer activations: the largest magnitude of each block, the integers, their
// scale, the exact sums per block, and the scaled ones.
// CHECK-LABEL: func @gemv_q8(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[W:.*]]: tensor<?x?xi8>
// CHECK: %[[BLOCKS:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 32] : tensor<?xf32> into tensor<?x32xf32>
// CHECK: %[[LARGEST:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[BLOCKS]]
// CHECK: arith.maximumf
// CHECK: %[[INTEGERS:.*]] = linalg.generic {{.*}} ins(%[[BLOCKS]], %[[LARGEST]]
// CHECK: arith.divf %{{.*}}, %cst
// CHECK: math.copysign
// CHECK: math.trunc %
// CHECK: arith.fptosi %{{.*}} : f32 to i8
// CHECK: %[[SCALE:.*]] = linalg.generic {{.*}} ins(%[[LARGEST]]
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[INTEGERS]] : tensor<?x32xi8>) outs(%{{.*}} : tensor<?x?xi32>)
// CHECK: tensor.extract %[[W]]
// CHECK: arith.muli %{{.*}} : i32
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[SUMS]], %[[SCALE]] : tensor<?x?xi32>, tensor<?xf32>) outs(%{{.*}} : tensor<?xf32>)
// CHECK: arith.sitofp %{{.*}} : i32 to f32
func.func @gemv_q8(%x: tensor<?xf32>, %w: tensor<?x?xi8>) -> tensor<?xf32> {
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q8_0>, activations = #aikernel.quant_activations<q8>} : (tensor<?xf32>, tensor<?x?xi8>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Long blocks: halves to even, the scale in f32, and sums of minimums beside
// those of codes.
// CHECK-LABEL: func @matmul_q8_long(
// CHECK-NOT: f16
// CHECK: math.roundeven %
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%{{.*}} : tensor<3x2x256xi8>) outs(%{{.*}}, %{{.*}} : tensor<3x?x2xi32>, tensor<3x?x2xi32>)
func.func @matmul_q8_long(%x: tensor<3x512xf32>, %w: tensor<?x352xi8>) -> tensor<3x?xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q5_k>, activations = #aikernel.quant_activations<q8>} : (tensor<3x512xf32>, tensor<?x352xi8>) -> tensor<3x?xf32>
  return %y : tensor<3x?xf32>
}
