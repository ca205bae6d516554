// A donated argument moves into its result's memory after the checks that it
// fits, and before anything reads it.
// RUN: aik-opt %s --aik-add-destinations | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf32>, %{{[^:]*}}: memref<?xf32>, %[[OUT:[^:]*]]: memref<?xf32>
// CHECK-NOT: memref.copy
// CHECK: aikernel.check
// CHECK: memref.copy %[[X]], %[[OUT]]
// CHECK: tensor.insert
func.func @f(%x: tensor<?xf32> {aikernel.donate = 0 : i64}, %y: tensor<?xf32>) -> tensor<?xf32> attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %ok = arith.cmpi eq, %n, %m : index
  aikernel.check %ok, 22, "differs"
  %v = tensor.extract %y[%c0] : tensor<?xf32>
  %r = tensor.insert %v into %x[%c0] : tensor<?xf32>
  return %r : tensor<?xf32>
}
