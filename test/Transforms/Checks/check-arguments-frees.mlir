// Memory is freed once, behind everything that may look at it; what cannot be
// decided is refused.
// RUN: aik-opt %s --aik-check-arguments --split-input-file --verify-diagnostics

func.func private @kernel(%x: memref<16xf32>) {
  return
}

func.func @right(%i: index) -> (f32, i32) {
  %m = aikernel.mem.alloc_pinned : memref<16xf32>
  %n = aikernel.mem.alloc_pinned : memref<16xf32>
  %q = aikernel.gpu.queue_create {device = "cpu"} -> !aikernel.queue
  %c = aikernel.gpu.commands {
    aikernel.gpu.launch @kernel(%m) : memref<16xf32>
  } -> !aikernel.commands
  %f = aikernel.gpu.submit_commands %q, %c -> !aikernel.fence
  %s = aikernel.gpu.wait %f -> i32
  %view = memref.subview %m[4] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 4>>
  %v = memref.load %view[%i] : memref<8xf32, strided<[1], offset: 4>>
  aikernel.mem.free %m : memref<16xf32>
  memref.store %v, %n[%i] : memref<16xf32>
  aikernel.mem.free %n : memref<16xf32>
  return %v, %s : f32, i32
}

// -----

func.func @twice() {
  %m = aikernel.mem.alloc_pinned : memref<16xf32>
  // expected-error @+1 {{AIK-E0002: 'aikernel.mem.free' gives back memory that is freed twice}}
  aikernel.mem.free %m : memref<16xf32>
  // expected-note @+1 {{here}}
  aikernel.mem.free %m : memref<16xf32>
  return
}

// -----

func.func @load(%i: index) -> f32 {
  %m = aikernel.mem.alloc_pinned : memref<16xf32>
  // expected-error @+1 {{gives back memory that 'memref.load' may use afterwards}}
  aikernel.mem.free %m : memref<16xf32>
  // expected-note @+1 {{here}}
  %v = memref.load %m[%i] : memref<16xf32>
  return %v : f32
}

// -----

func.func @view(%i: index) -> f32 {
  %m = aikernel.mem.alloc_pinned : memref<16xf32>
  %view = memref.subview %m[4] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 4>>
  // expected-error @+1 {{gives back memory that 'memref.load' may use afterwards}}
  aikernel.mem.free %m : memref<16xf32>
  // expected-note @+1 {{here}}
  %v = memref.load %view[%i] : memref<8xf32, strided<[1], offset: 4>>
  return %v : f32
}

// -----

func.func @chosen(%i: index, %b: i1) -> f32 {
  %m = aikernel.mem.alloc_pinned : memref<16xf32>
  %n = aikernel.mem.alloc_pinned : memref<16xf32>
  %either = scf.if %b -> memref<16xf32> {
    scf.yield %m : memref<16xf32>
  } else {
    scf.yield %n : memref<16xf32>
  }
  // expected-error @+1 {{gives back memory that 'memref.load' may use afterwards}}
  aikernel.mem.free %m : memref<16xf32>
  // expected-note @+1 {{here}}
  %v = memref.load %either[%i] : memref<16xf32>
  return %v : f32
}

// -----

// Tensors are computed where they are needed.
func.func @tensor() -> tensor<16xf32> {
  %m = aikernel.mem.alloc_pinned : memref<16xf32>
  %t = bufferization.to_tensor %m restrict : memref<16xf32> to tensor<16xf32>
  %r = aikernel.relu %t : (tensor<16xf32>) -> tensor<16xf32>
  // expected-error @+1 {{gives back memory that 'func.return' may use afterwards}}
  aikernel.mem.free %m : memref<16xf32>
  // expected-note @+1 {{here}}
  return %r : tensor<16xf32>
}

// -----

func.func @branch(%b: i1) {
  %m = aikernel.mem.alloc_pinned : memref<16xf32>
  scf.if %b {
    // expected-error @+1 {{AIK-E0007: 'aikernel.mem.free' takes memory of an 'aikernel.mem.alloc_pinned' in the same block}}
    aikernel.mem.free %m : memref<16xf32>
  }
  return
}

// -----

func.func @argument(%m: memref<16xf32>) {
  // expected-error @+1 {{takes memory of an 'aikernel.mem.alloc_pinned' in the same block}}
  aikernel.mem.free %m : memref<16xf32>
  return
}

// -----

func.func @loop(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<16xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %first) -> memref<16xf32> {
    %m = aikernel.mem.alloc_pinned : memref<16xf32>
    // expected-error @+1 {{gives back memory that 'scf.yield' may use afterwards}}
    aikernel.mem.free %m : memref<16xf32>
    // expected-note @+1 {{here}}
    scf.yield %m : memref<16xf32>
  }
  %v = memref.load %last[%c0] : memref<16xf32>
  return %v : f32
}

// -----

func.func private @kernel(%x: memref<16xf32>) {
  return
}

func.func @timed() -> i32 {
  %m = aikernel.mem.alloc_pinned : memref<16xf32>
  %q = aikernel.gpu.queue_create {device = "cpu"} -> !aikernel.queue
  %c = aikernel.gpu.commands {
    aikernel.gpu.launch @kernel(%m) : memref<16xf32>
  } -> !aikernel.commands
  // expected-note @+1 {{here}}
  %f = aikernel.gpu.submit_commands %q, %c -> !aikernel.fence
  %s = aikernel.gpu.wait %f {timeout = 1000 : i64} -> i32
  // expected-error @+1 {{gives back memory that submitted commands may still use: nothing waits for them without a timeout}}
  aikernel.mem.free %m : memref<16xf32>
  return %s : i32
}

// -----

func.func @address() -> index {
  %m = aikernel.mem.alloc_pinned : memref<16xf32>
  // expected-note @+1 {{here}}
  %p = memref.extract_aligned_pointer_as_index %m : memref<16xf32> -> index
  // expected-error @+1 {{gives back memory that is also known by its address}}
  aikernel.mem.free %m : memref<16xf32>
  return %p : index
}
