// Command buffers of the device that a function runs on: submitted twice, in a
// loop, and recorded anew in each turn.
func.func private @axpy(%x: memref<64x48xf32>, %y: memref<64x48xf32>, %a: f32) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x48xf32>) outs(%y : memref<64x48xf32>) {
  ^bb0(%in: f32, %old: f32):
    %scaled = arith.mulf %in, %a : f32
    %new = arith.addf %old, %scaled : f32
    linalg.yield %new : f32
  }
  return
}

// y = 2 x: what is submitted again fills again.
func.func @again(%x: memref<64x48xf32> {aikernel.name = "x"}, %y: memref<64x48xf32> {aikernel.name = "y"}) -> i32 {
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %queue = aikernel.gpu.queue_create {device = "self"} -> !aikernel.queue
  %commands = aikernel.gpu.commands {
    aikernel.gpu.fill %y, %zero : memref<64x48xf32>, f32
    aikernel.gpu.barrier
    aikernel.gpu.launch @axpy(%x, %y, %two) : memref<64x48xf32>, memref<64x48xf32>, f32
  } -> !aikernel.commands
  %first = aikernel.gpu.submit_commands %queue, %commands -> !aikernel.fence
  %fence = aikernel.gpu.submit_commands %queue, %commands -> !aikernel.fence
  %status = aikernel.gpu.wait %fence -> i32
  return %status : i32
}

// y += n x, by n submissions of one buffer, then by commands of each turn.
func.func @turns(%n: index {aikernel.name = "n"}, %x: memref<64x48xf32> {aikernel.name = "x"}, %y: memref<64x48xf32> {aikernel.name = "y"}) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %queue = aikernel.gpu.queue_create {device = "self"} -> !aikernel.queue
  %commands = aikernel.gpu.commands {
    aikernel.gpu.launch @axpy(%x, %y, %one) : memref<64x48xf32>, memref<64x48xf32>, f32
  } -> !aikernel.commands
  scf.for %i = %c0 to %n step %c1 {
    %fence = aikernel.gpu.submit_commands %queue, %commands -> !aikernel.fence
    %status = aikernel.gpu.wait %fence -> i32
  }
  scf.for %i = %c0 to %n step %c1 {
    %number = arith.index_cast %i : index to i32
    %by = arith.sitofp %number : i32 to f32
    %inner = aikernel.gpu.commands {
      %scale = arith.mulf %by, %half : f32
      aikernel.gpu.launch @axpy(%x, %y, %scale) : memref<64x48xf32>, memref<64x48xf32>, f32
    } -> !aikernel.commands
    %fence = aikernel.gpu.submit_commands %queue, %inner -> !aikernel.fence
    %status = aikernel.gpu.wait %fence -> i32
  }
  %none = arith.constant 0 : i32
  return %none : i32
}
