// What cannot be submitted gets a sentence.
// RUN: aik-opt %s --aik-submit-to-runtime --split-input-file --verify-diagnostics

func.func @strided(%x: memref<4xf32, strided<[2]>>, %y: memref<4xf32>) {
  %commands = aikernel.gpu.commands {
    // expected-error @+1 {{AIK-E0007: 'aikernel.gpu.copy' takes dense memrefs}}
    aikernel.gpu.copy %x, %y : memref<4xf32, strided<[2]>>, memref<4xf32>
  } -> !aikernel.commands
  return
}

// -----

func.func @argument(%queue: !aikernel.queue) -> i32 {
  %commands = aikernel.gpu.commands {
    aikernel.gpu.barrier
  } -> !aikernel.commands
  // expected-error @+1 {{came through a loop, a branch or an argument}}
  %fence = aikernel.gpu.submit_commands %queue, %commands -> !aikernel.fence
  %status = aikernel.gpu.wait %fence -> i32
  return %status : i32
}

// -----

module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func @onGpu() {
    // expected-error @+1 {{AIK-E0007: a queue of 'cpu' cannot take the commands of a function that runs on nvidia:sm_90a; device = "self" is that of the function}}
    %queue = aikernel.gpu.queue_create {device = "cpu"} -> !aikernel.queue
    return
  }
}
