// Each phase ends with a contract: an op that it should have lowered is an
// error of the compiler, with a code of its own.
// RUN: not aik-opt %s --aik-verify-phase=phase=structured 2>&1 | FileCheck %s --check-prefix=STRUCTURED
// RUN: aik-opt %s --aik-verify-phase=phase=import | FileCheck %s --check-prefix=EARLY
// RUN: aik-opt %s --aik-verify-phase=phase=kernel | FileCheck %s --check-prefix=EARLY
// RUN: not aik-opt %s --aik-verify-phase=phase=scheduled 2>&1 | FileCheck %s --check-prefix=SCHEDULED
// RUN: not aik-opt %s --aik-verify-phase=phase=target 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not aik-opt %s --aik-verify-phase=phase=lunch 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// EARLY: aikernel.relu
// STRUCTURED: :[[@LINE+6]]:8: error: AIK-E0009: the phase 'structured' ended with this operation: it should have been lowered
// SCHEDULED: :[[@LINE+5]]:8: error: AIK-E0009: the phase 'scheduled' ended with this operation: it should have been lowered
// TARGET: :[[@LINE+3]]:1: error: AIK-E0009: the phase 'target' ended with this operation: the dialect 'func' may not remain
// UNKNOWN: no contract for the phase 'lunch'

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = aikernel.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
