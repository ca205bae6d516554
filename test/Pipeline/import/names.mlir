// Names, weights and facts about arguments survive, and the text of the phase
// can be read back to the same text.
// RUN: aikc %s --compile-to=import --target=cpu:aarch64 -o %t.once.mlir
// RUN: aikc %t.once.mlir --compile-to=import --target=cpu:aarch64 -o %t.twice.mlir
// RUN: FileCheck %s < %t.twice.mlir
// RUN: cmp %t.once.mlir %t.twice.mlir

// CHECK: func.func @f(
// CHECK-SAME: {aikernel.max = array<i64: 128, 8>, aikernel.name = "x"}
// CHECK-SAME: {aikernel.weight}
func.func @f(%x: tensor<?x8xf32> {aikernel.name = "x", aikernel.max = array<i64: 128, 8>}, %g: tensor<8xf32> {aikernel.weight}) -> tensor<?x8xf32> {
  %y = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
