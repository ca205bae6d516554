// @reference keeps the vocabulary until it is scheduled.
// RUN: aik-opt %s --aik-verify-phase=phase=structured | FileCheck %s
// RUN: not aik-opt %s --aik-verify-phase=phase=scheduled 2>&1 | FileCheck %s --check-prefix=LATE

// CHECK: aikernel.relu
// LATE: AIK-E0009: the phase 'scheduled' ended with this operation
module @reference {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = aikernel.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
