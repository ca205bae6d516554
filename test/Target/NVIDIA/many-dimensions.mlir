// Rows of many dimensions, and sums of numbers without a width.
// RUN: aikc %s --target=nvidia:sm_90a --emit=ptx -o - | FileCheck %s
// RUN: aikc %s --target=amd:gfx942 -o %t.aikx

// CHECK-DAG: .entry softmax
func.func @softmax(%x: tensor<2x2x2x2x8xf32>) -> tensor<2x2x2x2x8xf32> {
  %y = aikernel.softmax %x {axis = 4 : i64} : (tensor<2x2x2x2x8xf32>) -> tensor<2x2x2x2x8xf32>
  return %y : tensor<2x2x2x2x8xf32>
}

// CHECK-DAG: .entry sums
func.func @sums(%x: tensor<8x4x3x2x16xf32>, %s: tensor<8x4x3x2xf32>) -> tensor<8x4x3x2xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<8x4x3x2x16xf32>) outs(%s : tensor<8x4x3x2xf32>) dimensions = [4]
  return %r : tensor<8x4x3x2xf32>
}

// CHECK-DAG: .entry largest
func.func @largest(%x: tensor<64xindex>) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %e = tensor.empty() : tensor<index>
  %z = linalg.fill ins(%zero : index) outs(%e : tensor<index>) -> tensor<index>
  %r = linalg.reduce { arith.maxsi } ins(%x : tensor<64xindex>) outs(%z : tensor<index>) dimensions = [0]
  %n = tensor.extract %r[] : tensor<index>
  %k = arith.index_cast %n : index to i64
  %f = arith.sitofp %k : i64 to f32
  %y = tensor.from_elements %f : tensor<f32>
  return %y : tensor<f32>
}
