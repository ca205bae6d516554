// Memory, queues and commands become calls of lib/Builtins/Submit.
// RUN: aik-opt %s --aik-submit-to-runtime --split-input-file | FileCheck %s

func.func private @add(%x: memref<?xf32>, %by: f32) {
  %c0 = arith.constant 0 : index
  memref.store %by, %x[%c0] : memref<?xf32>
  return
}

// The kernel itself is gone: what a queue launches unpacks its block.
// CHECK-NOT: func.func private @add(
// CHECK: func.func private @add$launch(%{{.*}}: !llvm.ptr, %[[BLOCK:.*]]: !llvm.ptr) -> i32 attributes {aikernel.takes_env}
// CHECK: llvm.getelementptr %[[BLOCK]][0, 0]
// CHECK: llvm.getelementptr %[[BLOCK]][0, 1]
// CHECK: memref.store
// CHECK-LABEL: func.func @main
// CHECK: call @aik_submit_open(%{{.*}}, %[[QUEUE:[0-9]+]], %{{.*}})
// CHECK: call @aik_submit_fill(
// CHECK: call @aik_submit_barrier(
// CHECK: call @aik_submit_launch(
// CHECK: call @aik_submit_copy(
// CHECK: call @aik_submit_commands(%{{.*}}, %[[QUEUE]], %{{.*}}, %[[FENCE:[0-9]+]])
// CHECK: %[[FOREVER:.*]] = arith.constant -1 : i64
// CHECK: %[[STATUS:.*]] = call @aik_submit_wait(%{{.*}}, %[[FENCE]], %[[FOREVER]])
// CHECK: call @aik_submit_close(%{{.*}}, %[[QUEUE]])
// CHECK: return %[[STATUS]]
func.func @main(%x: memref<?xf32>, %y: memref<?xf32>, %v: f32) -> i32 {
  %queue = aikernel.gpu.queue_create {device = "cpu"} -> !aikernel.queue
  %commands = aikernel.gpu.commands {
    aikernel.gpu.fill %x, %v : memref<?xf32>, f32
    aikernel.gpu.barrier
    aikernel.gpu.launch @add(%x, %v) : memref<?xf32>, f32
    aikernel.gpu.copy %x, %y : memref<?xf32>, memref<?xf32>
  } -> !aikernel.commands
  %fence = aikernel.gpu.submit_commands %queue, %commands -> !aikernel.fence
  %status = aikernel.gpu.wait %fence -> i32
  return %status : i32
}

// -----

// An allocation that fails comes back as an error, never as a null pointer.
// CHECK-LABEL: func.func @memory
// CHECK: %[[MEMORY:.*]] = call @aik_submit_alloc(
// CHECK: %[[NUMBER:.*]] = llvm.ptrtoint %[[MEMORY]]
// CHECK: %[[OBTAINED:.*]] = arith.cmpi ne, %[[NUMBER]]
// CHECK: aikernel.check %[[OBTAINED]], 12
// CHECK: memref.view
// CHECK: call @aik_submit_page_size(
// CHECK: call @aik_submit_is_locked(
// CHECK: call @aik_submit_free(
func.func @memory(%n: index) -> (i64, i1) {
  %m = aikernel.mem.alloc_pinned(%n) : memref<?x4xf32>
  %page, %locked = aikernel.mem.query %m : memref<?x4xf32> -> i64, i1
  aikernel.mem.free %m : memref<?x4xf32>
  return %page, %locked : i64, i1
}

// -----

// In code for a GPU the launches stay where they are recorded; the runtime keeps
// them. Nothing closes the queue.
module attributes {gpu.container_module, aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  gpu.module @device {
    gpu.func @k(%x: memref<4xf32>) kernel {
      gpu.return
    }
  }
  // CHECK-LABEL: func.func @onGpu
  // CHECK: call @aik_commands_open(%{{.*}}, %[[QUEUE:[0-9]+]], %{{.*}})
  // CHECK: %[[FIRST:.*]] = arith.constant 0 : i64
  // CHECK: %[[BEGUN:.*]] = call @aik_commands_begin(%{{.*}}, %[[FIRST]])
  // CHECK: aikernel.propagate %[[BEGUN]]
  // CHECK: gpu.launch_func @device::@k
  // CHECK: %[[ENDED:.*]] = call @aik_commands_end(%{{.*}}, %[[FIRST]])
  // CHECK: aikernel.propagate %[[ENDED]]
  // CHECK: %[[SECOND:.*]] = arith.constant 1 : i64
  // CHECK: call @aik_commands_begin(%{{.*}}, %[[SECOND]])
  // CHECK: call @aik_commands_submit(%{{.*}}, %[[QUEUE]], %[[FIRST]], %[[FENCE:[0-9]+]])
  // CHECK: call @aik_commands_submit(%{{.*}}, %[[QUEUE]], %[[SECOND]], %{{.*}})
  // CHECK: call @aik_commands_wait(%{{.*}}, %[[FENCE]], %{{.*}})
  // CHECK-NOT: aik_submit_close
  // CHECK: return
  func.func @onGpu(%x: memref<4xf32>) -> i32 {
    %c1 = arith.constant 1 : index
    %queue = aikernel.gpu.queue_create {device = "nvidia:0"} -> !aikernel.queue
    %first = aikernel.gpu.commands {
      gpu.launch_func @device::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<4xf32>)
    } -> !aikernel.commands
    %second = aikernel.gpu.commands {
    } -> !aikernel.commands
    %fence = aikernel.gpu.submit_commands %queue, %first -> !aikernel.fence
    %other = aikernel.gpu.submit_commands %queue, %second -> !aikernel.fence
    %status = aikernel.gpu.wait %fence -> i32
    return %status : i32
  }
}
