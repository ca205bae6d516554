// Control flow of the host cannot depend on what only the device knows.
// RUN: aik-opt %s --aik-form-launches --split-input-file --verify-diagnostics

func.func @steps(%x: memref<64xf32>, %n: memref<1xi32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = memref.load %n[%c0] : memref<1xi32>
  %count = arith.index_cast %v : i32 to index
  // expected-error @below {{AIK-E0015: the program needs on the host what a GPU computes}}
  scf.forall (%i) in (%count) {
    memref.store %zero, %x[%i] : memref<64xf32>
  }
  return
}

// -----

// The value has changed since it was read.
func.func @changed(%x: memref<4xf32>, %y: memref<64xf32>, %at: memref<1xi32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %p = memref.load %at[%c0] : memref<1xi32>
  linalg.fill ins(%one : i32) outs(%at : memref<1xi32>)
  %i = arith.index_cast %p : i32 to index
  %part = memref.subview %y[%i] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>
  // expected-error @below {{AIK-E0015}}
  memref.copy %x, %part : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
  return
}

// -----

// So have bytes of the workspace that the ones it was read from are among, and
// others have not.
func.func @workspace(%x: memref<4xf32>, %y: memref<64xf32>, %ws: memref<?xi8>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %at = memref.view %ws[%c64][] : memref<?xi8> to memref<1xi32>
  %before = memref.view %ws[%c0][] : memref<?xi8> to memref<16xi32>
  %more = memref.view %ws[%c0][] : memref<?xi8> to memref<17xi32>
  %p = memref.load %at[%c0] : memref<1xi32>
  linalg.fill ins(%one : i32) outs(%before : memref<16xi32>)
  %i = arith.index_cast %p : i32 to index
  %part = memref.subview %y[%i] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>
  linalg.copy ins(%x : memref<4xf32>) outs(%part : memref<4xf32, strided<[1], offset: ?>>)
  linalg.fill ins(%one : i32) outs(%more : memref<17xi32>)
  // expected-error @below {{AIK-E0015}}
  linalg.copy ins(%x : memref<4xf32>) outs(%part : memref<4xf32, strided<[1], offset: ?>>)
  return
}

// -----

// So it has where the launch that changes it is in a loop.
func.func @changed_in_loop(%x: memref<4xf32>, %y: memref<64xf32>, %at: memref<1xi32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  %p = memref.load %at[%c0] : memref<1xi32>
  scf.for %k = %c0 to %c4 step %c1 {
    linalg.fill ins(%one : i32) outs(%at : memref<1xi32>)
  }
  %i = arith.index_cast %p : i32 to index
  %part = memref.subview %y[%i] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>
  // expected-error @below {{AIK-E0015}}
  memref.copy %x, %part : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
  return
}

// -----

func.func private @temporary(%x: memref<4xf32>) {
  %t = memref.alloc() : memref<4xf32>
  memref.copy %x, %t : memref<4xf32> to memref<4xf32>
  return
}

func.func @allocates(%x: memref<4xf32>) attributes {aikernel.entry = "run"} {
  %commands = aikernel.gpu.commands {
    // expected-error @+1 {{AIK-E0007: the kernel 'temporary' needs memory of its own, which commands do not have on a GPU}}
    aikernel.gpu.launch @temporary(%x) : memref<4xf32>
  } -> !aikernel.commands
  return
}

// -----

func.func private @elsewhere(memref<4xf32>)

func.func @external(%x: memref<4xf32>) attributes {aikernel.entry = "run"} {
  %commands = aikernel.gpu.commands {
    // expected-error @+1 {{AIK-E0007: the kernel 'elsewhere' has no body of one block to launch}}
    aikernel.gpu.launch @elsewhere(%x) : memref<4xf32>
  } -> !aikernel.commands
  return
}

// -----

// What was read before a submission is not there any more after it.
func.func @readBefore(%x: memref<4xf32>, %i: memref<1xindex>, %y: memref<4xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %queue = aikernel.gpu.queue_create {device = "self"} -> !aikernel.queue
  %commands = aikernel.gpu.commands {
    aikernel.gpu.fill %i, %c1 : memref<1xindex>, index
  } -> !aikernel.commands
  %at = memref.load %i[%c0] : memref<1xindex>
  %fence = aikernel.gpu.submit_commands %queue, %commands -> !aikernel.fence
  %part = memref.subview %x[%at] [1] [1] : memref<4xf32> to memref<1xf32, strided<[1], offset: ?>>
  %to = memref.subview %y[0] [1] [1] : memref<4xf32> to memref<1xf32, strided<[1]>>
  // expected-error @+1 {{AIK-E0015: the program needs on the host what a GPU computes}}
  memref.copy %part, %to : memref<1xf32, strided<[1], offset: ?>> to memref<1xf32, strided<[1]>>
  return
}
