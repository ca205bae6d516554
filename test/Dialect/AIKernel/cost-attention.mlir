// RUN: aik-opt %s --aik-build-entries --canonicalize | FileCheck %s

// Three queries with five keys: 15 pairs.
// CHECK-LABEL: @attention$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 6360 : i64
// CHECK: return %[[FLOPS]], %
func.func @attention(%q: tensor<2x4x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %y = aikernel.attention %q, %k, %v : (tensor<2x4x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32>
  return %y : tensor<2x4x3x8xf32>
}

// Three queries that see 3, 4 and 5 of five keys.
// CHECK-LABEL: @causal$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 5088 : i64
// CHECK: return %[[FLOPS]], %
func.func @causal(%q: tensor<2x4x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %y = aikernel.attention %q, %k, %v {causal} : (tensor<2x4x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32>
  return %y : tensor<2x4x3x8xf32>
}

// Two keys for each of three queries.
// CHECK-LABEL: @window$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 2544 : i64
// CHECK: return %[[FLOPS]], %
func.func @window(%q: tensor<2x4x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %y = aikernel.attention %q, %k, %v {causal, window = 2 : i64} : (tensor<2x4x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x8xf32>) -> tensor<2x4x3x8xf32>
  return %y : tensor<2x4x3x8xf32>
}

// Six operations for each of four rotated pairs.
// CHECK-LABEL: @rope$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 576 : i64
// CHECK: return %[[FLOPS]], %
func.func @rope(%x: tensor<2x4x3x16xf32>, %p: tensor<2x3xi32>) -> tensor<2x4x3x16xf32> {
  %y = aikernel.rope %x, %p {base = 1.0e4 : f32, dim = 8 : i64} : (tensor<2x4x3x16xf32>, tensor<2x3xi32>) -> tensor<2x4x3x16xf32>
  return %y : tensor<2x4x3x16xf32>
}

// Moving data is no arithmetic.
// CHECK-LABEL: @kv_append$cost
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 0 : i64
// CHECK: return %[[FLOPS]], %
func.func @kv_append(%c: tensor<2x4x8x16xf32>, %n: tensor<2x4x3x16xf32>, %p: tensor<2xi32>) -> tensor<2x4x8x16xf32> {
  %y = aikernel.kv_append %c, %n, %p : (tensor<2x4x8x16xf32>, tensor<2x4x3x16xf32>, tensor<2xi32>) -> tensor<2x4x8x16xf32>
  return %y : tensor<2x4x8x16xf32>
}
