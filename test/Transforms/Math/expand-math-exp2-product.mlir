// The exponent x y + z serves to find the power of two that is nearest; what is
// left is computed from x, y and z again, so that the rounding of the sum, which
// the power would magnify, does not count.
// RUN: aik-opt %s --aik-expand-math | FileCheck %s

// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:[^:]*]]: f32, %[[Y:[^:]*]]: f32, %[[Z:[^:]*]]: f32
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[Z]] fastmath<contract>
// CHECK: %[[SHIFTED:.*]] = arith.addf %[[SUM]],
// CHECK: %[[N:.*]] = arith.subf %[[SHIFTED]],
// CHECK: %[[REST:.*]] = arith.subf %[[Z]], %[[N]]
// CHECK: math.fma %[[X]], %[[Y]], %[[REST]]
func.func @product(%x: f32, %y: f32, %z: f32) -> f32 {
  %p = arith.mulf %x, %y fastmath<contract> : f32
  %s = arith.addf %p, %z fastmath<contract> : f32
  %e = math.exp2 %s {aikernel.in_range} : f32
  return %e : f32
}

// A sum that is not to be fused is rounded.
// CHECK-LABEL: func.func @rounded(
// CHECK-SAME: %[[X:[^:]*]]: f32, %[[Y:[^:]*]]: f32, %[[Z:[^:]*]]: f32
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[Z]] : f32
// CHECK: %[[SHIFTED:.*]] = arith.addf %[[SUM]],
// CHECK: %[[N:.*]] = arith.subf %[[SHIFTED]],
// CHECK: arith.subf %[[SUM]], %[[N]]
// CHECK-NOT: math.fma %[[X]]
func.func @rounded(%x: f32, %y: f32, %z: f32) -> f32 {
  %p = arith.mulf %x, %y : f32
  %s = arith.addf %p, %z : f32
  %e = math.exp2 %s {aikernel.in_range} : f32
  return %e : f32
}
