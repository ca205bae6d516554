// RUN: aik-opt %s --canonicalize | FileCheck %s

func.func private @kernel(memref<64xf32>)

// One of two barriers in a row goes; commands stay.
// CHECK-LABEL: @barriers
func.func @barriers(%a: memref<64xf32>) -> !aikernel.commands {
  // CHECK: aikernel.gpu.commands {
  // CHECK-NEXT: aikernel.gpu.launch @kernel
  // CHECK-NEXT: aikernel.gpu.barrier
  // CHECK-NEXT: aikernel.gpu.launch @kernel
  // CHECK-NEXT: }
  %c = aikernel.gpu.commands {
    aikernel.gpu.launch @kernel(%a) : memref<64xf32>
    aikernel.gpu.barrier
    aikernel.gpu.barrier
    aikernel.gpu.launch @kernel(%a) : memref<64xf32>
  } -> !aikernel.commands
  return %c : !aikernel.commands
}

// Submissions and waits are effects, even when nobody reads their result.
// CHECK-LABEL: @effects
func.func @effects(%q: !aikernel.queue, %c: !aikernel.commands) {
  // CHECK-NEXT: aikernel.gpu.submit_commands
  // CHECK-NEXT: aikernel.gpu.wait
  %f = aikernel.gpu.submit_commands %q, %c -> !aikernel.fence
  %s = aikernel.gpu.wait %f -> i32
  return
}

// Pinned memory that is never used is never asked for.
// CHECK-LABEL: @unused_memory
func.func @unused_memory() {
  // CHECK-NEXT: return
  %m = aikernel.mem.alloc_pinned : memref<64xf32>
  return
}
