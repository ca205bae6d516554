// Each nested module is lowered to the LLVM dialect, with the symbols of the
// entry ABI; the reference's calls name functions of the library.
// RUN: aik-opt %s --pass-pipeline='builtin.module(builtin.module(aik-lower-target))' | FileCheck %s

#cpu = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>

module attributes {aikernel.functions = [{args = [{}], name = "f", type = (tensor<4xf32>) -> tensor<4xf32>}]} {
  // CHECK-LABEL: module @target0
  // CHECK: llvm.func @f$run$body(
  // CHECK: llvm.func @f$prepare(
  // CHECK: llvm.func @f$run(
  // CHECK-NOT: memref
  // CHECK-NOT: unrealized_conversion_cast
  module @target0 attributes {aikernel.target = #cpu} {
    func.func @f(%x: memref<4xf32>, %out: memref<4xf32> {aikernel.result = 0 : i64}, %ws: memref<?xi8> {aikernel.workspace}) attributes {aikernel.entry = "run"} {
      %c0 = arith.constant 0 : index
      %v = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
      vector.store %v, %out[%c0] : memref<4xf32>, vector<4xf32>
      return
    }
  }
  // CHECK-LABEL: module @reference
  // CHECK: llvm.call @aik_ref_relu(
  module @reference {
    func.func @f(%x: memref<4xf32>, %out: memref<4xf32> {aikernel.result = 0 : i64}, %ws: memref<?xi8> {aikernel.workspace}) attributes {aikernel.entry = "run"} {
      aikernel.reference_call "relu" ins(%x : memref<4xf32>) outs(%out : memref<4xf32>) {params = array<f64>}
      return
    }
  }
}
