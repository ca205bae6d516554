// RUN: aik-opt %s -aik-aikernel-to-linalg --canonicalize --cse | FileCheck %s

// The f16 in the first two bytes of each block, and bytes from the third on:
// their lower halves, then their upper ones, less 8. Each run goes along bytes.

// CHECK-DAG: #[[BYTES:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[HALVES:.*]] = affine_map<(d0, d1, d2, d3) -> (d2)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, 1)>
// CHECK-DAG: #[[NIBBLES:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3 * 8 + d4)>
// CHECK-DAG: #[[RUNS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3)>
// CHECK-DAG: #[[FIFTH:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2 * 2 + d3)>
// CHECK-DAG: #[[EACH:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>
// CHECK-DAG: #[[PAIRS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3 + d1 * 32)>
// CHECK-DAG: #[[PARTS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2 + d2)>
// CHECK-LABEL: func @q4_0(
// CHECK-SAME: %[[Q:.*]]: tensor<?x36xi8>
// CHECK: %[[SHIFTS:.*]] = arith.constant dense<[0, 4]> : tensor<2xi8>
// CHECK: %[[BLOCKS:.*]] = tensor.expand_shape %[[Q]] {{.*}} : tensor<?x36xi8> into tensor<?x2x18xi8>
// CHECK: %[[CODES:.*]] = tensor.extract_slice %[[BLOCKS]][0, 0, 2] [%{{.*}}, 2, 16] [1, 1, 1]
// CHECK-NOT: tensor.extract %
// CHECK: %[[W:.*]] = linalg.generic {indexing_maps = [#[[BYTES]], #[[HALVES]], #[[FIRST]], #[[SECOND]], {{.*}}]{{.*}}} ins(%[[CODES]], %[[SHIFTS]], %[[BLOCKS]], %[[BLOCKS]] : {{.*}}) outs(%{{.*}} : tensor<?x2x2x16xf32>)
// CHECK: ^bb0(%[[BYTE:.*]]: i8, %[[SHIFT:.*]]: i8, %[[LOW:.*]]: i8, %[[HIGH:.*]]: i8, %{{.*}}: f32):
// CHECK: %[[BITS:.*]] = arith.shrui %[[BYTE]], %[[SHIFT]]
// CHECK: %[[CODE:.*]] = arith.andi %[[BITS]], %c15_i8
// CHECK: %[[SIGNED:.*]] = arith.subi %[[CODE]], %c8_i8
// CHECK: %[[LOW16:.*]] = arith.extui %[[LOW]] : i8 to i16
// CHECK: %[[HIGH16:.*]] = arith.extui %[[HIGH]] : i8 to i16
// CHECK: %[[UP:.*]] = arith.shli %[[HIGH16]], %c8_i16
// CHECK: %[[WORD:.*]] = arith.ori %[[LOW16]], %[[UP]]
// CHECK: %[[HALF:.*]] = arith.bitcast %[[WORD]] : i16 to f16
// CHECK: %[[D:.*]] = arith.extf %[[HALF]] : f16 to f32
// CHECK: %[[NUMBER:.*]] = arith.sitofp %[[SIGNED]] : i8 to f32
// CHECK: arith.mulf %[[D]], %[[NUMBER]] : f32
// CHECK: tensor.collapse_shape %[[W]] {{.*}} into tensor<?x64xf32>
func.func @q4_0(%q: tensor<?x36xi8>) -> tensor<?x64xf32> {
  %w = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<?x36xi8>) -> tensor<?x64xf32>
  return %w : tensor<?x64xf32>
}

// Eight neighbours share the byte of their fifth bits.
// CHECK-LABEL: func @q5_0(
// CHECK: linalg.generic {indexing_maps = [#[[NIBBLES]], #[[RUNS]], #[[FIFTH]], #[[EACH]], {{.*}}outs(%{{.*}} : tensor<3x2x2x2x8xf32>)
func.func @q5_0(%q: tensor<3x44xi8>) -> tensor<3x64xf32> {
  %w = aikernel.dequantize %q {format = #aikernel.quant<q5_0>} : (tensor<3x44xi8>) -> tensor<3x64xf32>
  return %w : tensor<3x64xf32>
}

// Sub-blocks multiply the scale and the minimum, which is subtracted. The result
// is rounded to f32 before it is rounded to bf16.
// CHECK-LABEL: func @q4_k(
// CHECK: arith.divui %{{.*}}, %c144 : index
// CHECK: %[[SCALES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x8xf32>)
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: %[[MINIMUMS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x8xf32>)
// CHECK: %[[MINIMUM:.*]] = arith.negf %{{.*}} : f32
// CHECK: arith.mulf %[[MINIMUM]], %{{.*}} : f32
// CHECK: linalg.generic {indexing_maps = [#[[PAIRS]], {{.*}}, #[[PARTS]], #[[PARTS]], {{.*}} ins(%{{.*}}, %{{.*}}, %[[SCALES]], %[[MINIMUMS]] : {{.*}} outs(%{{.*}} : tensor<?x4x2x32xbf16>)
// CHECK: ^bb0(%{{.*}}: i8, %{{.*}}: i8, %[[SCALE:.*]]: f32, %[[LEAST:.*]]: f32, %{{.*}}: bf16):
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[SCALE]], %{{.*}} : f32
// CHECK: %[[SUM:.*]] = arith.addf %[[PRODUCT]], %[[LEAST]] : f32
// CHECK: arith.truncf %[[SUM]] : f32 to bf16
func.func @q4_k(%q: tensor<?xi8>) -> tensor<?xbf16> {
  %w = aikernel.dequantize %q {format = #aikernel.quant<q4_k>} : (tensor<?xi8>) -> tensor<?xbf16>
  return %w : tensor<?xbf16>
}

// A scale that is an exponent, and codes that stand for numbers: each of the
// four bits halves the choice.
// CHECK-LABEL: func @mxfp4(
// CHECK-NOT: tensor.extract %
// CHECK-COUNT-14: arith.select %{{.*}} : i8
// CHECK-NOT: arith.select %{{.*}} : i8
// CHECK: arith.bitcast %{{.*}} : i32 to f32
func.func @mxfp4(%q: tensor<17xi8>) -> tensor<32xf32> {
  %w = aikernel.dequantize %q {format = #aikernel.quant<mxfp4>} : (tensor<17xi8>) -> tensor<32xf32>
  return %w : tensor<32xf32>
}

// Two neighbours share a byte of four-bit groups, so each element is read where
// it is; scales and zero points are read from their own tensors.
// CHECK-LABEL: func @grouped(
// CHECK-SAME: %[[Q:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xf16>, %[[Z:.*]]: tensor<4x2xi8>
// CHECK: %[[GROUP:.*]] = arith.divui %{{.*}}, %c64
// CHECK: tensor.extract %[[S]][%{{.*}}, %[[GROUP]]] : tensor<4x2xf16>
// CHECK: tensor.extract %[[Q]]
// CHECK: arith.shrsi
// CHECK: tensor.extract %[[Z]][%{{.*}}, %[[GROUP]]] : tensor<4x2xi8>
// CHECK: arith.subi
func.func @grouped(%q: tensor<4x64xi8>, %s: tensor<4x2xf16>, %z: tensor<4x2xi8>) -> tensor<4x128xf32> {
  %w = aikernel.dequantize %q scales %s zeros %z {format = #aikernel.quant<i4, group = 64>} : (tensor<4x64xi8>, tensor<4x2xf16>, tensor<4x2xi8>) -> tensor<4x128xf32>
  return %w : tensor<4x128xf32>
}

// Groups of bytes are runs of them.
// CHECK-LABEL: func @bytes(
// CHECK-SAME: %[[Q:.*]]: tensor<4x128xi8>, %[[S:.*]]: tensor<4x2xf16>, %[[Z:.*]]: tensor<4x2xi8>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[S]], %[[Z]] : {{.*}}) outs(%{{.*}} : tensor<4x2x64xf32>)
// CHECK: %[[CODE:.*]] = arith.extsi %{{.*}} : i8 to i32
// CHECK: %[[ZERO:.*]] = arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.subi %[[CODE]], %[[ZERO]] : i32
func.func @bytes(%q: tensor<4x128xi8>, %s: tensor<4x2xf16>, %z: tensor<4x2xi8>) -> tensor<4x128xf32> {
  %w = aikernel.dequantize %q scales %s zeros %z {format = #aikernel.quant<i8, group = 64>} : (tensor<4x128xi8>, tensor<4x2xf16>, tensor<4x2xi8>) -> tensor<4x128xf32>
  return %w : tensor<4x128xf32>
}

// What the result does not know the bytes may, and the other way round.
// CHECK-LABEL: func @known_here_and_there(
// CHECK-SAME: %[[Q:.*]]: tensor<?x?xi8>, %[[R:.*]]: tensor<3x36xi8>
// CHECK: %[[CAST:.*]] = tensor.cast %[[Q]] : tensor<?x?xi8> to tensor<3x36xi8>
// CHECK: tensor.expand_shape %[[CAST]] {{.*}} into tensor<3x2x18xi8>
// CHECK: tensor.expand_shape %[[R]] {{.*}} into tensor<3x2x18xi8>
func.func @known_here_and_there(%q: tensor<?x?xi8>, %r: tensor<3x36xi8>) -> (tensor<3x64xf32>, tensor<?x?xf32>) {
  %v = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<?x?xi8>) -> tensor<3x64xf32>
  %w = aikernel.dequantize %r {format = #aikernel.quant<q4_0>} : (tensor<3x36xi8>) -> tensor<?x?xf32>
  return %v, %w : tensor<3x64xf32>, tensor<?x?xf32>
}

// Of nothing no bytes are taken.
// CHECK-LABEL: func @nothing(
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @nothing(%q: tensor<3x0xi8>) -> tensor<3x0xf32> {
  %w = aikernel.dequantize %q {format = #aikernel.quant<q4_0>} : (tensor<3x0xi8>) -> tensor<3x0xf32>
  return %w : tensor<3x0xf32>
}
