// RUN: aik-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize | FileCheck %s

// CHECK-LABEL: @chain
// CHECK-SAME: %[[X:[^:]*]]: memref<?x64xf32>, %[[G:[^:]*]]: memref<64xf32>
func.func @chain(%x: tensor<?x64xf32>, %g: tensor<64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  // CHECK: %[[E:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x64xf32>
  // CHECK-NEXT: aikernel.reference_call "rms_norm" ins(%[[X]], %[[G]] : memref<?x64xf32>, memref<64xf32>) outs(%[[E]] : memref<?x64xf32>) {params = array<f64: 5.000000e-01>}
  // CHECK-NOT: memref.copy
  // CHECK: return %[[E]]
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %0 = aikernel.reference_call "rms_norm" ins(%x, %g : tensor<?x64xf32>, tensor<64xf32>) outs(%e : tensor<?x64xf32>) {params = array<f64: 0.5>} -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// A reference that would write what it reads gets a buffer of its own.
// CHECK-LABEL: @no_overlap
// CHECK-SAME: %[[X:[^:]*]]: memref<4xf32>
func.func @no_overlap(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
  // CHECK: aikernel.reference_call "relu" ins(%[[X]] : memref<4xf32>) outs(%[[A]] : memref<4xf32>)
  // CHECK: return %[[A]]
  %0 = aikernel.reference_call "relu" ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {params = array<f64>} -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
