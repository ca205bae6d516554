// Calls inside an inlined body, and calls inside regions, disappear too; what
// one private function called goes with it.
// RUN: aik-opt %s --aik-inline-calls | FileCheck %s

// CHECK-NOT: func.func private
func.func private @inner(%x: f32) -> f32 {
  %y = math.sqrt %x : f32
  return %y : f32
}
func.func private @outer(%x: f32) -> f32 {
  %y = call @inner(%x) : (f32) -> f32
  %z = call @inner(%y) : (f32) -> f32
  return %z : f32
}

// CHECK-LABEL: func.func @f(
func.func @f(%flag: i1, %x: f32) -> f32 {
  // CHECK: scf.if
  // CHECK-NEXT: %[[A:.*]] = math.sqrt
  // CHECK-NEXT: %[[B:.*]] = math.sqrt %[[A]]
  // CHECK-NEXT: scf.yield %[[B]]
  // CHECK-NOT: call
  %r = scf.if %flag -> f32 {
    %y = func.call @outer(%x) : (f32) -> f32
    scf.yield %y : f32
  } else {
    scf.yield %x : f32
  }
  return %r : f32
}
