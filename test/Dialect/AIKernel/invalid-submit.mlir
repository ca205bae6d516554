// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case() {
  // expected-error @+1 {{'aikernel.gpu.queue_create' op attribute 'device' is "tpu" but must be self, cpu, null, nvidia:<n> or amd:<n>}}
  %q = aikernel.gpu.queue_create {device = "tpu"} -> !aikernel.queue
  return
}

// -----

func.func @case() {
  // expected-error @+1 {{op attribute 'device' is "nvidia:" but must be self, cpu, null, nvidia:<n> or amd:<n>}}
  %q = aikernel.gpu.queue_create {device = "nvidia:"} -> !aikernel.queue
  return
}

// -----

func.func @case(%a: memref<64xf32>) {
  %c = aikernel.gpu.commands {
    // expected-error @+1 {{'aikernel.gpu.launch' op launches 'missing' but there is no function of that name}}
    aikernel.gpu.launch @missing(%a) : memref<64xf32>
  } -> !aikernel.commands
  return
}

// -----

func.func private @kernel(memref<64xf32>)
func.func @case(%a: memref<32xf32>) {
  %c = aikernel.gpu.commands {
    // expected-error @+1 {{op argument 0 has type 'memref<32xf32>' but 'kernel' takes 'memref<64xf32>'}}
    aikernel.gpu.launch @kernel(%a) : memref<32xf32>
  } -> !aikernel.commands
  return
}

// -----

func.func private @kernel(memref<64xf32>)
func.func @case() {
  %c = aikernel.gpu.commands {
    // expected-error @+1 {{op passes 0 arguments but 'kernel' takes 1}}
    aikernel.gpu.launch @kernel()
  } -> !aikernel.commands
  return
}

// -----

func.func private @kernel(memref<64xf32>) -> i32
func.func @case(%a: memref<64xf32>) {
  %c = aikernel.gpu.commands {
    // expected-error @+1 {{op launches 'kernel', which has 1 results but a kernel has none}}
    aikernel.gpu.launch @kernel(%a) : memref<64xf32>
  } -> !aikernel.commands
  return
}

// -----

func.func private @kernel(memref<64xf32>)
func.func @case(%a: tensor<64xf32>) {
  %c = aikernel.gpu.commands {
    // expected-error @+1 {{op argument 0 has type 'tensor<64xf32>' but must be a memref or a number}}
    aikernel.gpu.launch @kernel(%a) : tensor<64xf32>
  } -> !aikernel.commands
  return
}

// -----

func.func private @kernel(memref<64xf32>)
func.func @case(%a: memref<64xf32>) {
  // expected-error @+1 {{op expects parent op 'aikernel.gpu.commands'}}
  aikernel.gpu.launch @kernel(%a) : memref<64xf32>
  return
}

// -----

func.func @case(%a: memref<64xf32>, %b: memref<64xf16>) {
  %c = aikernel.gpu.commands {
    // expected-error @+1 {{op operand 'source' has element type 'f32' but operand 'destination' has 'f16'}}
    aikernel.gpu.copy %a, %b : memref<64xf32>, memref<64xf16>
  } -> !aikernel.commands
  return
}

// -----

func.func @case(%a: memref<64xf32>, %b: memref<32xf32>) {
  %c = aikernel.gpu.commands {
    // expected-error @+1 {{op operand 'source' has type 'memref<64xf32>' but operand 'destination' has type 'memref<32xf32>'}}
    aikernel.gpu.copy %a, %b : memref<64xf32>, memref<32xf32>
  } -> !aikernel.commands
  return
}

// -----

func.func @case(%a: memref<64xf32>, %v: i32) {
  %c = aikernel.gpu.commands {
    // expected-error @+1 {{op operand 'value' has type 'i32' but operand 'destination' has element type 'f32'}}
    aikernel.gpu.fill %a, %v : memref<64xf32>, i32
  } -> !aikernel.commands
  return
}

// -----

func.func @case() {
  // expected-error @+1 {{op expects parent op 'aikernel.gpu.commands'}}
  aikernel.gpu.barrier
  return
}

// -----

func.func @case(%a: memref<64xf32>) {
  %c = aikernel.gpu.commands {
    // expected-error @+1 {{op has side effects but is recorded in 'aikernel.gpu.commands', which holds commands and ops without side effects}}
    memref.dealloc %a : memref<64xf32>
  } -> !aikernel.commands
  return
}

// -----

func.func @case(%f: !aikernel.fence) {
  // expected-error @+1 {{op attribute 'timeout' is -1 but must not be negative}}
  %s = aikernel.gpu.wait %f {timeout = -1 : i64} -> i32
  return
}
