// A scalar result has no sizes, so f$shape has nothing to say about it.
// RUN: aik-opt %s --aik-build-entries | FileCheck %s

// CHECK-LABEL: func.func @f$shape(
// CHECK-SAME: -> i64 attributes
// CHECK-NEXT: %[[SIZE:.*]] = arith.constant 3 : i64
// CHECK-NEXT: return %[[SIZE]] : i64
func.func @f(%x: tensor<3xf32>, %s: f32) -> (f32, tensor<3xf32>) {
  return %s, %x : f32, tensor<3xf32>
}
