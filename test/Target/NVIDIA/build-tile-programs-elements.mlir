// Instructions sum a step of 8-bit floats, threads add the steps: 128 columns at a
// time, next to each other. With `fast` the instructions add them as well.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-build-tile-programs))' | FileCheck %s

gpu.module @device {
  // CHECK-LABEL: gpu.func @steps
  // CHECK: aik_tile.make_ring : <3, <128x128xf8E4M3FN>, <256x128xf8E5M2>>
  // CHECK: aik_tile.role warpgroups 2
  // CHECK: aik_tile.zero
  // CHECK: aik_tile.zero
  // CHECK: %[[WIDTH:.*]] = arith.constant 128 : i32
  // CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[COLUMN:.*]], %[[WIDTH]] : i32
  // CHECK: aik_tile.acquire
  // CHECK: %[[F0:.*]] = aik_tile.add
  // CHECK: %[[F1:.*]] = aik_tile.add
  // CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[S0:.*]] = %[[F0]], %[[S1:.*]] = %[[F1]])
  // CHECK: aik_tile.operand %{{.*}} tile 0 part %{{.*}} -> <64x128xf8E4M3FN>
  // CHECK: aik_tile.operand %{{.*}} tile 1 part %{{.*}} -> <128x128xf8E5M2>
  // CHECK: %[[Z0:.*]] = aik_tile.zero : <64x128xf32>
  // CHECK: %[[P0:.*]] = aik_tile.multiply %{{.*}}, %{{.*}}, %[[Z0]]
  // CHECK: %[[W0:.*]] = aik_tile.wait %[[P0]]
  // CHECK: %[[A0:.*]] = aik_tile.add %[[S0]], %[[W0]]
  // CHECK: aik_tile.multiply
  // CHECK: %[[W1:.*]] = aik_tile.wait
  // CHECK: %[[A1:.*]] = aik_tile.add %[[S1]], %[[W1]]
  // CHECK: aik_tile.release
  // CHECK: scf.yield %[[A0]], %[[A1]]
  // CHECK: aik_tile.store %[[SUMS]]#0, %{{.*}}[%[[COLUMN]], %[[ROW:.*]]] via
  // CHECK: aik_tile.store %[[SUMS]]#1, %{{.*}}[%[[NEXT]], %{{.*}}] via
  gpu.func @steps(%x: memref<512x256xf8E4M3FN>, %w: memref<384x256xf8E5M2>, %y: memref<512x384xf32>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 128, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>} {
    ^bb0(%sum: f32):
      aik_tile.yield %sum : f32
    } : (memref<512x256xf8E4M3FN>, memref<384x256xf8E5M2>, memref<512x384xf32>)
    gpu.return
  }

  // 192 columns are three parts of 64.
  // CHECK-LABEL: gpu.func @thirds
  // CHECK: %[[SUMS:.*]]:3 = scf.for
  // CHECK-COUNT-3: aik_tile.add %{{.*}} : <64x64xf32>
  // CHECK: aik_tile.store %[[SUMS]]#2
  gpu.func @thirds(%x: memref<512x256xf8E4M3FN>, %w: memref<384x256xf8E5M2>, %y: memref<512x384xf32>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 192, depth = 128, stages = 3, boxes = 2, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>} {
    ^bb0(%sum: f32):
      aik_tile.yield %sum : f32
    } : (memref<512x256xf8E4M3FN>, memref<384x256xf8E5M2>, memref<512x384xf32>)
    gpu.return
  }

  // CHECK-LABEL: gpu.func @fast
  // CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (!aik_tile.frag<64x256xf32>)
  // CHECK: aik_tile.multiply %{{.*}}, %{{.*}}, %[[S]]
  // CHECK-NOT: aik_tile.add
  gpu.func @fast(%x: memref<512x256xf8E4M3FN>, %w: memref<384x256xf8E5M2>, %y: memref<512x384xf32>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], fast, rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 128, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>} {
    ^bb0(%sum: f32):
      aik_tile.yield %sum : f32
    } : (memref<512x256xf8E4M3FN>, memref<384x256xf8E5M2>, memref<512x384xf32>)
    gpu.return
  }

  // CHECK-LABEL: gpu.func @integers
  // CHECK: aik_tile.zero : <64x256xi32>
  // CHECK: {extra_maps = []} : <64x256xi32> -> <64x256xf32>
  gpu.func @integers(%x: memref<512x256xi8>, %w: memref<384x256xi8>, %y: memref<512x384xf32>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 128, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>} {
    ^bb0(%sum: i32):
      %0 = arith.sitofp %sum : i32 to f32
      aik_tile.yield %0 : f32
    } : (memref<512x256xi8>, memref<384x256xi8>, memref<512x384xf32>)
    gpu.return
  }
}
