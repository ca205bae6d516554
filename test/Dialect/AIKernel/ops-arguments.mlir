// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @facts
// CHECK-SAME: aikernel.max = array<i64: 512, -1>
// CHECK-SAME: aikernel.min = array<i64: 1, 64>
// CHECK-SAME: aikernel.multiple_of = array<i64: 8, 1>
// CHECK-SAME: aikernel.name = "x"
// CHECK-SAME: aikernel.weight
// CHECK-SAME: aikernel.donate = 1 : i64
// CHECK-SAME: aikernel.name = "y"
func.func @facts(
    %x: tensor<?x64xf32> {aikernel.name = "x", aikernel.min = array<i64: 1, 64>, aikernel.max = array<i64: 512, -1>, aikernel.multiple_of = array<i64: 8, 1>},
    %w: tensor<64x64xf32> {aikernel.weight, aikernel.name = "w"},
    %c: tensor<4xf32> {aikernel.donate = 1 : i64})
    -> (tensor<?x64xf32> {aikernel.name = "y"}, tensor<4xf32>) {
  %y = aikernel.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  return %y, %c : tensor<?x64xf32>, tensor<4xf32>
}

// An entry has results of its own, and keeps what was said about arguments.
// CHECK-LABEL: @entry
// CHECK-SAME: aikernel.donate = 0 : i64
func.func private @entry(tensor<4xf32> {aikernel.donate = 0 : i64}) -> i64 attributes {aikernel.entry = "shape"}
