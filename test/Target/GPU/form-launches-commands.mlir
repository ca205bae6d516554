// Commands become launches where they are recorded.
// RUN: aik-opt %s --aik-form-launches | FileCheck %s

// CHECK: gpu.module @device
// CHECK: gpu.func @main_0
// CHECK: linalg.fill
// CHECK: gpu.func @main_1
// CHECK: arith.addf
// CHECK: gpu.func @main_2
// CHECK: linalg.generic

// Nobody calls the function that was launched.
// CHECK-NOT: @add
func.func private @add(%x: memref<?xf32>, %by: f32) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : memref<?xf32>) {
  ^bb0(%old: f32):
    %new = arith.addf %old, %by : f32
    linalg.yield %new : f32
  }
  return
}

// CHECK-LABEL: func.func @main
// CHECK: aikernel.gpu.queue_create
// CHECK-NEXT: %[[C:.*]] = aikernel.gpu.commands {
// CHECK: gpu.launch_func @device::@main_0
// CHECK: gpu.launch_func @device::@main_1
// CHECK-NOT: aikernel.gpu.barrier
// CHECK: gpu.launch_func @device::@main_2
// CHECK: } -> !aikernel.commands
// CHECK-NEXT: aikernel.gpu.submit_commands %{{.*}}, %[[C]]
// CHECK-NEXT: aikernel.gpu.wait
func.func @main(%x: memref<?xf32>, %y: memref<?xf32>, %v: f32) attributes {aikernel.entry = "run"} {
  %queue = aikernel.gpu.queue_create {device = "self"} -> !aikernel.queue
  %commands = aikernel.gpu.commands {
    aikernel.gpu.fill %x, %v : memref<?xf32>, f32
    %twice = arith.addf %v, %v : f32
    aikernel.gpu.launch @add(%x, %twice) : memref<?xf32>, f32
    aikernel.gpu.barrier
    aikernel.gpu.copy %x, %y : memref<?xf32>, memref<?xf32>
  } -> !aikernel.commands
  %fence = aikernel.gpu.submit_commands %queue, %commands -> !aikernel.fence
  %status = aikernel.gpu.wait %fence -> i32
  return
}
