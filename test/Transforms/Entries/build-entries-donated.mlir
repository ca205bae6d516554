// Only f itself gives memory away: f$shape and f$cost have no results that
// could take it.
// RUN: aik-opt %s --aik-build-entries | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: aikernel.donate = 0
// CHECK-LABEL: func.func @f$cost(
// CHECK-NOT: aikernel.donate
// CHECK-LABEL: func.func @f$shape(
// CHECK-NOT: aikernel.donate
func.func @f(%x: tensor<?xf32> {aikernel.donate = 0 : i64}) -> tensor<?xf32> {
  %y = math.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
