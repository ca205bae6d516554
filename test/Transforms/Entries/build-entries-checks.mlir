// f$shape may run before there is data: it keeps the checks of sizes and drops
// those that look at what a tensor holds.
// RUN: aik-opt %s --aik-build-entries | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: aikernel.check %{{.*}}, 22, "sizes differ"
// CHECK: aikernel.check %{{.*}}, 22, "the first element is negative"

// CHECK-LABEL: func.func @f$cost(
// CHECK-NOT: the first element

// CHECK-LABEL: func.func @f$shape(
// CHECK: aikernel.check %{{.*}}, 22, "sizes differ"
// CHECK-NOT: the first element
func.func @f(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %m = tensor.dim %y, %c0 : tensor<?xi32>
  %same = arith.cmpi eq, %n, %m : index
  aikernel.check %same, 22, "sizes differ"
  %first = tensor.extract %x[%c0] : tensor<?xi32>
  %positive = arith.cmpi sge, %first, %zero : i32
  aikernel.check %positive, 22, "the first element is negative"
  %z = arith.addi %x, %y : tensor<?xi32>
  return %z : tensor<?xi32>
}
