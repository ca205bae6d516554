// Each result of a call is replaced by what the body returns in its place,
// also where the body returns its own argument; a function without a body is
// left alone.
// RUN: aik-opt %s --aik-inline-calls | FileCheck %s

// CHECK: func.func private @elsewhere(f32) -> f32
func.func private @elsewhere(f32) -> f32

func.func private @swap(%a: f32, %b: f32) -> (f32, f32) {
  return %b, %a : f32, f32
}

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32
func.func @f(%x: f32, %y: f32) -> (f32, f32) {
  // CHECK: %[[Z:.*]] = call @elsewhere(%[[Y]])
  // CHECK: return %[[Z]], %[[X]]
  %0:2 = call @swap(%x, %y) : (f32, f32) -> (f32, f32)
  %1 = call @elsewhere(%0#0) : (f32) -> f32
  return %1, %0#1 : f32, f32
}
