// The schedule decides the tiles, the ring and the roles.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-build-tile-programs))' | FileCheck %s

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME: (%[[X:.*]]: memref<?x256xbf16>, %[[W:.*]]: memref<384x256xbf16>, %[[Y:.*]]: memref<?x384xbf16>, %[[ROWS:.*]]: index, %[[B:.*]]: memref<384xf32>)
// CHECK: %[[M:.*]] = arith.index_cast %[[ROWS]] : index to i32
// CHECK: %[[LHS:.*]] = aik_tile.tensor_map %[[X]] : memref<?x256xbf16> -> <128x64xbf16>
// CHECK: %[[RHS:.*]] = aik_tile.tensor_map %[[W]] : memref<384x256xbf16> -> <128x64xbf16>
// CHECK: %[[OUT:.*]] = aik_tile.tensor_map %[[Y]] : memref<?x384xbf16> -> <16x64xbf16>
// CHECK: aik_tile.program cluster 2 {
// CHECK: %[[RING:.*]] = aik_tile.make_ring : <3, <128x64xbf16>, <256x64xbf16>>
// CHECK: %[[BOXES:.*]] = aik_tile.make_boxes : <8 x 4>
// CHECK: aik_tile.role warpgroups 1 registers 40 {
// CHECK: aik_tile.for_tiles in(%[[I:.*]], %[[J:.*]]) group 8 {
// CHECK: aik_tile.fill %[[RING]] {
// CHECK: aik_tile.load %[[LHS]]{{.*}} tile 0 : <128x64xbf16>
// CHECK: aik_tile.load %[[RHS]]{{.*}} tile 1 shared : <128x64xbf16>
// CHECK: scf.for %{{.*}} = %[[ONE:.*]] to %[[STEPS:.*]] step %[[ONE]]
// CHECK: aik_tile.fill %[[RING]] {
// CHECK: aik_tile.role warpgroups 2 registers 232 {
// CHECK: aik_tile.for_tiles in(%[[I]], %[[J]]) group 8 {
// While the first products run, the tile before is stored and the bias is read.
// CHECK: aik_tile.acquire %[[RING]]
// CHECK: aik_tile.multiply
// CHECK-NEXT: aik_tile.send %[[BOXES]]
// CHECK-NEXT: %[[BIAS:.*]] = aik_tile.read %[[B]] {{.*}} : memref<384xf32> -> <64x256xf32>
// CHECK-NEXT: %[[FIRST:.*]] = aik_tile.wait
// CHECK-NEXT: aik_tile.release
// CHECK: %[[SUMS:.*]] = scf.for %{{.*}} = %[[ONE]] to %[[STEPS]] step %[[ONE]] iter_args(%{{.*}} = %[[FIRST]])
// CHECK: aik_tile.acquire %[[RING]]
// CHECK: aik_tile.multiply
// CHECK-NEXT: aik_tile.wait
// CHECK-NEXT: aik_tile.release
// CHECK: %[[F:.*]] = aik_tile.map %[[SUMS]] {{.*}} extras(%[[BIAS]] : !aik_tile.frag<64x256xf32>)
// CHECK: aik_tile.store %[[F]], %[[OUT]]{{.*}} via %[[BOXES]] deferred
// CHECK-NOT: aik_tile.product
gpu.module @device {
  gpu.func @layer(%x: memref<?x256xbf16>, %w: memref<384x256xbf16>, %y: memref<?x384xbf16>, %rows: index, %b: memref<384xf32>) kernel {
    aik_tile.product %x, %w extras(%b : memref<384xf32>) outs %y rows %rows attributes {
        extra_maps = [affine_map<(i, j) -> (j)>], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>} {
    ^bb0(%sum: f32, %bias: f32):
      %0 = arith.addf %sum, %bias : f32
      %1 = arith.truncf %0 : f32 to bf16
      aik_tile.yield %1 : bf16
    } : (memref<?x256xbf16>, memref<384x256xbf16>, memref<?x384xbf16>)
    gpu.return
  }

  // Rows are contiguous in both; a warpgroup has two fragments, which do not go into
  // its boxes together; sums are stored as they are.
  // CHECK-LABEL: gpu.func @turned
  // CHECK: aik_tile.tensor_map %{{.*}} : memref<256x512xf16> -> <64x64xf16>
  // CHECK: aik_tile.tensor_map %{{.*}} : memref<256x384xf16> -> <64x64xf16>
  // CHECK: aik_tile.tensor_map %{{.*}} : memref<512x384xf32> -> <16x32xf32>
  // CHECK: aik_tile.make_ring : <3, <256x64xf16, row_major>, <128x64xf16, row_major>>
  // Every other tile from its end.
  // CHECK: ^bb0(%{{.*}}: i32, %{{.*}}: i32, %[[TURN:.*]]: i32):
  // CHECK: %[[ODD:.*]] = arith.trunci %[[TURN]] : i32 to i1
  // CHECK: arith.select %[[ODD]]
  // CHECK: aik_tile.load %{{.*}} tile 1 : <64x64xf16>
  // CHECK: %[[SUMS:.*]]:2 = scf.for
  // CHECK-COUNT-2: aik_tile.multiply
  // CHECK: aik_tile.wait %{{.*}}, %{{.*}} :
  // CHECK-NOT: aik_tile.map
  // CHECK: aik_tile.store %[[SUMS]]#0
  // CHECK-NOT: deferred
  // CHECK: aik_tile.store %[[SUMS]]#1
  // CHECK-NOT: deferred
  // CHECK-LABEL: gpu.func @narrow
  gpu.func @turned(%x: memref<256x512xf16>, %w: memref<256x384xf16>, %y: memref<512x384xf32>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], lhs_transposed,
        schedule = #aik_tile.schedule<rows = 256, columns = 128, depth = 64, stages = 3, boxes = 4, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, serpentine = true>} {
    ^bb0(%sum: f32):
      aik_tile.yield %sum : f32
    } : (memref<256x512xf16>, memref<256x384xf16>, memref<512x384xf32>)
    gpu.return
  }

  // Parts that blocks load for each other are whole lines: there is one line here.
  // CHECK: aik_tile.program cluster 2 {
  // CHECK: aik_tile.make_ring : <12, <64x64xf16>, <64x64xf16, row_major>>
  // CHECK: aik_tile.role warpgroups 1 registers 40
  // CHECK: aik_tile.load %{{.*}} tile 1 : <64x64xf16>
  // CHECK: aik_tile.role warpgroups 1 registers 232
  gpu.func @narrow(%x: memref<512x256xf16>, %w: memref<256x384xf16>, %y: memref<512x384xf32>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [],
        schedule = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = 12, boxes = 1, cluster = 2, warpgroups = 1, registers = 232, load_registers = 40, blocks = 132, group = 8>} {
    ^bb0(%sum: f32):
      aik_tile.yield %sum : f32
    } : (memref<512x256xf16>, memref<256x384xf16>, memref<512x384xf32>)
    gpu.return
  }

  // A matrix and a vector of f32 would take 194 registers beside 128 of sums: they are
  // read when the sums are there. A single step has no loop.
  // CHECK-LABEL: gpu.func @many
  // CHECK: aik_tile.send
  // CHECK-NOT: aik_tile.read
  // CHECK-NOT: scf.for
  // CHECK: aik_tile.map %{{.*}} extras(%{{.*}}, %{{.*}} : memref<384xf32>, memref<512x384xf32>)
  gpu.func @many(%x: memref<512x64xbf16>, %w: memref<384x64xbf16>, %y: memref<512x384xbf16>, %rows: index, %b: memref<384xf32>, %r: memref<512x384xf32>) kernel {
    aik_tile.product %x, %w extras(%b, %r : memref<384xf32>, memref<512x384xf32>) outs %y rows %rows attributes {
        extra_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>} {
    ^bb0(%sum: f32, %bias: f32, %other: f32):
      %0 = arith.addf %sum, %bias : f32
      %1 = arith.addf %0, %other : f32
      %2 = arith.truncf %1 : f32 to bf16
      aik_tile.yield %2 : bf16
    } : (memref<512x64xbf16>, memref<384x64xbf16>, memref<512x384xbf16>)
    gpu.return
  }
}
