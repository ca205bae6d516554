// The threads of a block divide structured ops among them.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-distribute-threads))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

gpu.module @device {
  // Two ops with a barrier between them, as the second reads what the first
  // wrote; scratch is shared memory.
  // CHECK-LABEL: gpu.func @elements
  // CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<8x64xf64, #gpu.address_space<workgroup>>
  // CHECK: %[[T:.*]] = gpu.thread_id x
  // CHECK: scf.for %[[N:.*]] = %[[T]] to %{{.*}} step %{{.*}} {
  // CHECK:   arith.remui %[[N]]
  // CHECK:   memref.load
  // CHECK:   arith.addf
  // CHECK:   memref.store
  // CHECK: }
  // CHECK-NEXT: gpu.barrier
  // CHECK: scf.for
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @elements(%x: memref<8x64xf64>, %y: memref<8x64xf64>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %tmp = memref.alloca() : memref<8x64xf64>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x64xf64>) outs(%tmp : memref<8x64xf64>) {
    ^bb0(%in: f64, %out: f64):
      %1 = arith.addf %in, %in : f64
      linalg.yield %1 : f64
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%tmp : memref<8x64xf64>) outs(%y : memref<8x64xf64>) {
    ^bb0(%in: f64, %out: f64):
      %1 = arith.mulf %in, %in : f64
      linalg.yield %1 : f64
    }
    gpu.return
  }

  // Eight sums: a warp for each, which starts from nothing and adds what was
  // there at the end.
  // CHECK-LABEL: gpu.func @sums
  // CHECK: scf.for
  // CHECK:   scf.for {{.*}} iter_args(%{{.*}} = %cst
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:   scf.if
  // CHECK:     %[[OLD:.*]] = memref.load
  // CHECK:     %[[NEW:.*]] = arith.addf %[[OLD]]
  // CHECK:     memref.store %[[NEW]]
  gpu.func @sums(%x: memref<64x8xf32>, %y: memref<8xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#turned, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x8xf32>) outs(%y : memref<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %out, %in : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }

  // One maximum: all warps, through shared memory.
  // CHECK-LABEL: gpu.func @maximum
  // CHECK-SAME: workgroup(%[[ROOM:.*]] : memref<8xf32, #gpu.address_space<workgroup>>
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK: memref.store %{{.*}}, %[[ROOM]]
  // CHECK: gpu.barrier
  // CHECK-COUNT-8: memref.load %[[ROOM]]
  // CHECK: gpu.barrier
  gpu.func @maximum(%x: memref<4096x1xf32>, %y: memref<1xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#turned, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4096x1xf32>) outs(%y : memref<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.maximumf %out, %in : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }

  // All threads of the grid.
  // CHECK-LABEL: gpu.func @spread
  // CHECK-DAG: %[[B:.*]] = gpu.block_id x
  // CHECK-DAG: %[[G:.*]] = gpu.grid_dim x
  // CHECK: %[[FIRST:.*]] = arith.addi
  // CHECK: %[[STEP:.*]] = arith.muli %[[G]]
  // CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[STEP]]
  gpu.func @spread(%x: memref<8x64xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill {aikernel.spread} ins(%zero : f32) outs(%x : memref<8x64xf32>)
    gpu.return
  }

  // One element is one thread's; the others wait before they read it.
  // CHECK-LABEL: gpu.func @element
  // CHECK: scf.if
  // CHECK-NEXT: memref.store
  // CHECK: gpu.barrier
  // CHECK: memref.load
  gpu.func @element(%x: memref<4xf32>, %y: memref<4xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    memref.store %one, %x[%c0] : memref<4xf32>
    %v = memref.load %x[%c0] : memref<4xf32>
    memref.store %v, %y[%c0] : memref<4xf32>
    gpu.return
  }
}
