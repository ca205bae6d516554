// RUN: aik-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @relu_relu
func.func @relu_relu(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-NEXT: %[[Y:.*]] = aikernel.relu
  // CHECK-NEXT: return %[[Y]]
  %0 = aikernel.relu %x : (tensor<?xf32>) -> tensor<?xf32>
  %1 = aikernel.relu %0 : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// silu is not idempotent.
// CHECK-LABEL: @silu_silu
func.func @silu_silu(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-COUNT-2: aikernel.silu
  %0 = aikernel.silu %x : (tensor<?xf32>) -> tensor<?xf32>
  %1 = aikernel.silu %0 : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: @empty
// CHECK-SAME: %[[X:[^:]*]]: tensor<0x4xf32>
func.func @empty(%x: tensor<0x4xf32>, %u: tensor<0x4xf32>) -> tensor<0x4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = aikernel.gelu %x : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %1 = aikernel.silu %0 : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %2 = aikernel.sigmoid %1 : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %3 = aikernel.tanh %2 : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %4 = aikernel.relu %3 : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %5 = aikernel.swiglu %4, %u : (tensor<0x4xf32>, tensor<0x4xf32>) -> tensor<0x4xf32>
  %6 = aikernel.geglu %5, %u : (tensor<0x4xf32>, tensor<0x4xf32>) -> tensor<0x4xf32>
  return %6 : tensor<0x4xf32>
}

// What nobody reads is not computed.
// CHECK-LABEL: @dead
func.func @dead(%x: tensor<?xf32>) {
  // CHECK-NEXT: return
  %0 = aikernel.tanh %x : (tensor<?xf32>) -> tensor<?xf32>
  return
}
