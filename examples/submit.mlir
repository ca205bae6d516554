// The memory and submit operations: what the compiler uses to drive a device,
// written by hand. A command buffer fills, launches and copies on the queue of
// the device that the function runs on: a ring of packets on a CPU, a graph on
// an NVIDIA GPU, which is made once and launched again.
//
//   aikc examples/submit.mlir -o submit.aikx
//   aik-run submit.aikx --verify=ref

// Adds `by` to every element, in place.
func.func private @add(%x: memref<?xf32>, %by: f32) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : memref<?xf32>) {
  ^bb0(%old: f32):
    %new = arith.addf %old, %by : f32
    linalg.yield %new : f32
  }
  return
}

// y = x + 3, by way of pinned memory. Returns the status of the wait.
func.func @main(%x: memref<?xf32> {aikernel.name = "x"}, %y: memref<?xf32> {aikernel.name = "y"}) -> i32 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %three = arith.constant 3.0 : f32
  %buffer = aikernel.mem.alloc_pinned(%n) : memref<?xf32>
  %queue = aikernel.gpu.queue_create {device = "self"} -> !aikernel.queue
  %commands = aikernel.gpu.commands {
    aikernel.gpu.copy %x, %buffer : memref<?xf32>, memref<?xf32>
    aikernel.gpu.barrier
    aikernel.gpu.launch @add(%buffer, %three) : memref<?xf32>, f32
    aikernel.gpu.barrier
    aikernel.gpu.copy %buffer, %y : memref<?xf32>, memref<?xf32>
  } -> !aikernel.commands
  %fence = aikernel.gpu.submit_commands %queue, %commands -> !aikernel.fence
  %status = aikernel.gpu.wait %fence -> i32
  aikernel.mem.free %buffer : memref<?xf32>
  return %status : i32
}
