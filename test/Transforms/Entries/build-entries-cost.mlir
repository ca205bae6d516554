// f$cost adds the arithmetic of each op that knows its own to that of the
// elementwise ops, and counts the bytes of all arguments and results.
// RUN: aik-opt %s --aik-build-entries --canonicalize | FileCheck %s

// 2 * 4 * 8 * 16 for the product, 4 * 16 for the sum; 4 bytes for each of the
// 4*8 + 8*16 + 4*16 + 4*16 elements.
// CHECK-LABEL: func.func @f$cost(
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 1088 : i64
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 1152 : i64
// CHECK: return %[[FLOPS]], %[[BYTES]] : i64, i64
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %p = aikernel.matmul %a, %b : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %s = arith.addf %p, %c : tensor<4x16xf32>
  return %s : tensor<4x16xf32>
}
