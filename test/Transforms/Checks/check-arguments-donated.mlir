// What an argument is donated to takes over its memory, so it has its sizes.
// RUN: aik-opt %s --aik-check-arguments | FileCheck %s

// CHECK-LABEL: @other
// CHECK-SAME: %[[A:[^:]*]]: tensor<?x4xf32> {{.*}}, %[[B:[^:]*]]: tensor<?x4xf32>
// CHECK-DAG: %[[NA:.*]] = tensor.dim %[[A]], %c0
// CHECK-DAG: %[[NB:.*]] = tensor.dim %[[B]], %c0
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[NA]], %[[NB]]
// CHECK: aikernel.check %[[OK]], 22, "dimension 0 of argument 0 differs from that of result 0, which it is donated to"
// CHECK-NOT: aikernel.check
// CHECK: arith.negf
func.func @other(%a: tensor<?x4xf32> {aikernel.donate = 0 : i64}, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = arith.negf %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// CHECK-LABEL: @same
// CHECK-NOT: aikernel.check
func.func @same(%a: tensor<?x4xf32> {aikernel.donate = 0 : i64}) -> tensor<?x4xf32> {
  %r = arith.negf %a : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
