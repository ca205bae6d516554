// What a loop carries keeps its size: known, checked at run time, or refused.
// RUN: aik-opt %s --aik-check-arguments --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @same
// CHECK-NOT: aikernel.check
func.func @same(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %y = math.exp %a : tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: @unknown
// CHECK: scf.for
// CHECK: aikernel.check %{{.*}}, 22, "aikernel.matmul: dimension 0 (K) of operand 'b' differs from dimension 1 (K) of operand 'a'"
// CHECK: aikernel.check %{{.*}}, 22, "scf.for: the body changes dimension 1 of tensor 0 that the loop carries"
// CHECK-NOT: aikernel.check
func.func @unknown(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?x?xf32>) {
    %y = aikernel.matmul %a, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %y : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @swap
// CHECK: aikernel.check %{{.*}}, 22, "scf.while: the body changes dimension 0 of tensor 0 that the loop carries"
func.func @swap(%x: tensor<?xf32>, %y: tensor<?xf32>, %go: i1) -> tensor<?xf32> {
  %r:2 = scf.while (%a = %x, %b = %y) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    scf.condition(%go) %a, %b : tensor<?xf32>, tensor<?xf32>
  } do {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>):
    scf.yield %b, %a : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0 : tensor<?xf32>
}

// -----

func.func @grows(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{AIK-E0007: scf.for: the body changes dimension 0 of tensor 0 that the loop carries}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %y = tensor.pad %a low[0] high[1] {
    ^bb0(%j: index):
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
