// Exponentials whose arguments are known by the hardware's power of two.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-approximate-exp))' | FileCheck %s

gpu.module @device {
  // Minus infinity must give 0, not NaN.
  // CHECK-LABEL: @below_zero
  // CHECK: %[[X:.*]] = arith.maximumf %{{.*}}, %cst{{.*}} : f32
  // CHECK: %[[HI:.*]] = arith.mulf %[[X]], %{{.*}} : f32
  // CHECK: %[[MINUS:.*]] = arith.negf %[[HI]]
  // CHECK: %[[LOST:.*]] = math.fma %[[X]], %{{.*}}, %[[MINUS]]
  // CHECK: %[[ALL:.*]] = math.fma %[[X]], %{{.*}}, %[[LOST]]
  // CHECK: %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[HI]])
  // CHECK: %[[M:.*]] = arith.mulf %[[E]]
  // CHECK: math.fma %[[M]], %[[ALL]], %[[E]]
  func.func @below_zero(%x: f32) -> f32 {
    %y = math.exp %x {aikernel.at_most_zero} : f32
    return %y : f32
  }

  // CHECK-LABEL: @narrow
  // CHECK: %[[HI:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
  // CHECK-NEXT: %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[HI]])
  // CHECK-NEXT: return %[[E]]
  func.func @narrow(%x: f32) -> f32 {
    %y = math.exp %x {aikernel.at_most_zero, aikernel.narrow} : f32
    return %y : f32
  }

  // CHECK-LABEL: @vectors
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
  // CHECK-NOT: math.exp
  func.func @vectors(%x: vector<4xf32>) -> vector<4xf32> {
    %y = math.exp %x {aikernel.at_most_zero} : vector<4xf32>
    return %y : vector<4xf32>
  }

  // Sigmoid and silu of f32 are within 2 ulp, which the instruction is not.
  // CHECK-LABEL: @precise
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK: math.exp
  func.func @precise(%x: f32) -> f32 {
    %y = math.exp %x {aikernel.in_range} : f32
    return %y : f32
  }

  // CHECK-LABEL: @power_of_two
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%{{.*}})
  // CHECK: %[[EXACT:.*]] = math.exp2
  // CHECK: return %{{.*}}, %[[EXACT]]
  func.func @power_of_two(%x: f32) -> (f32, f32) {
    %y = math.exp2 %x fastmath<afn> {aikernel.in_range} : f32
    %z = math.exp2 %x {aikernel.in_range} : f32
    return %y, %z : f32, f32
  }

  // Results may be as small as numbers get: a polynomial.
  // CHECK-LABEL: @any
  // CHECK: math.exp
  func.func @any(%x: f32) -> f32 {
    %y = math.exp %x : f32
    return %y : f32
  }
}
