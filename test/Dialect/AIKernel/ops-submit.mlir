// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

func.func private @kernel(memref<64xf32>, memref<64xf32>)
func.func private @tick()

// CHECK-LABEL: @submit
func.func @submit(%src: memref<64xf32>, %dst: memref<64xf32>) -> i32 {
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[Q:.*]] = aikernel.gpu.queue_create {device = "cpu"} -> !aikernel.queue
  %queue = aikernel.gpu.queue_create {device = "cpu"} -> !aikernel.queue
  // CHECK: %[[C:.*]] = aikernel.gpu.commands {
  %commands = aikernel.gpu.commands {
    // CHECK-NEXT: aikernel.gpu.fill %{{.*}}, %{{.*}} : memref<64xf32>, f32
    aikernel.gpu.fill %dst, %zero : memref<64xf32>, f32
    // CHECK-NEXT: aikernel.gpu.barrier
    aikernel.gpu.barrier
    // CHECK-NEXT: aikernel.gpu.launch @kernel(%{{.*}}, %{{.*}}) : memref<64xf32>, memref<64xf32>
    aikernel.gpu.launch @kernel(%src, %dst) : memref<64xf32>, memref<64xf32>
    // CHECK-NEXT: aikernel.gpu.launch @tick()
    aikernel.gpu.launch @tick()
    // CHECK-NEXT: aikernel.gpu.copy %{{.*}}, %{{.*}} : memref<64xf32>, memref<64xf32>
    aikernel.gpu.copy %src, %dst : memref<64xf32>, memref<64xf32>
  // CHECK-NEXT: } -> !aikernel.commands
  } -> !aikernel.commands
  // CHECK: %[[F:.*]] = aikernel.gpu.submit_commands %[[Q]], %[[C]] -> !aikernel.fence
  %fence = aikernel.gpu.submit_commands %queue, %commands -> !aikernel.fence
  // CHECK: aikernel.gpu.wait %[[F]] {timeout = 1000000000 : i64} -> i32
  %status = aikernel.gpu.wait %fence {timeout = 1000000000 : i64} -> i32
  // CHECK: aikernel.gpu.wait %[[F]] -> i32
  %again = aikernel.gpu.wait %fence -> i32
  return %status : i32
}

// CHECK-LABEL: @handles
// CHECK-SAME: !aikernel.queue, {{.*}}!aikernel.commands, {{.*}}!aikernel.fence
func.func @handles(%q: !aikernel.queue, %c: !aikernel.commands, %f: !aikernel.fence) {
  // CHECK: aikernel.gpu.queue_create {device = "nvidia:0"}
  %0 = aikernel.gpu.queue_create {device = "nvidia:0"} -> !aikernel.queue
  %1 = aikernel.gpu.queue_create {device = "amd:3"} -> !aikernel.queue
  %2 = aikernel.gpu.queue_create {device = "null"} -> !aikernel.queue
  // CHECK: aikernel.gpu.queue_create {device = "self"}
  %own = aikernel.gpu.queue_create {device = "self"} -> !aikernel.queue
  // CHECK: aikernel.gpu.commands {
  %3 = aikernel.gpu.commands {
  } -> !aikernel.commands
  return
}
