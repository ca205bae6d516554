// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @check
func.func @check(%ok: i1, %env: !llvm.ptr) {
  // CHECK: aikernel.check %{{.*}}, 22, "operand 'b' of 'aikernel.matmul' has the wrong size"
  aikernel.check %ok, 22, "operand 'b' of 'aikernel.matmul' has the wrong size"
  // CHECK: aikernel.check %{{.*}}, 34, "no" env %{{.*}} : !llvm.ptr
  aikernel.check %ok, 34, "no" env %env : !llvm.ptr
  return
}

// CHECK-LABEL: @reference_call
func.func @reference_call(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %e: tensor<4x16xf32>, %m: memref<4xf32>) -> tensor<4x16xf32> {
  // CHECK: aikernel.reference_call "linear" ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) {params = array<f64: 1.000000e+00, 0.000000e+00>, present = array<i1: true, true, false>} -> tensor<4x16xf32>
  %y = aikernel.reference_call "linear" ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) {params = array<f64: 1.000000e+00, 0.000000e+00>, present = array<i1: true, true, false>} -> tensor<4x16xf32>
  // CHECK: aikernel.reference_call "relu" ins(%{{.*}} : memref<4xf32>) outs(%{{.*}} : memref<4xf32>) {params = array<f64>}
  aikernel.reference_call "relu" ins(%m : memref<4xf32>) outs(%m : memref<4xf32>) {params = array<f64>}
  return %y : tensor<4x16xf32>
}
