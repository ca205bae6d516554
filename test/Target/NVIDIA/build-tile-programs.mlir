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

  // The right half of a tile stays in registers. In the next one, while products run, the left half
  // is sent, and then the right one is finished in two of the four steps; what it needs is read up to
  // two steps before. Who loads needs no such steps by themselves. The first tile finds zeros that
  // belong below the matrix, and the last one is followed by nobody.
  // CHECK-LABEL: gpu.func @half
  // CHECK: %[[OUT:.*]] = aik_tile.tensor_map %{{.*}} -> <16x64xbf16>
  // CHECK: %[[BOXES:.*]] = aik_tile.make_boxes : <8 x 2>
  // CHECK: aik_tile.role warpgroups 1
  // CHECK: aik_tile.fill
  // CHECK: scf.for
  // CHECK: aik_tile.fill
  // CHECK-NOT: aik_tile.fill
  // CHECK: aik_tile.role warpgroups 2
  // CHECK: %[[NONE:.*]] = aik_tile.zero : <64x128xf32>
  // CHECK: %[[LAST:.*]]:3 = aik_tile.for_tiles {{.*}} carrying(%[[NONE]], %[[ROWS:.*]], %{{.*}} :
  // CHECK: ^bb0({{.*}}, %[[HELD:.*]]: !aik_tile.frag<64x128xf32>, %[[TOP:.*]]: i32, %[[LEFT:.*]]: i32):
  // CHECK: aik_tile.multiply
  // CHECK-NEXT: aik_tile.send %[[BOXES]]
  // CHECK-NEXT: %[[E0:.*]] = aik_tile.read %{{.*}} at(%[[TOP]], %[[LEFT]]) {{.*}} -> <64x64xf32>
  // CHECK: %[[NEXT:.*]] = arith.addi %[[LEFT]]
  // CHECK-NEXT: %[[E1:.*]] = aik_tile.read %{{.*}} at(%[[TOP]], %[[NEXT]]) {{.*}} -> <64x64xf32>
  // CHECK-NEXT: aik_tile.wait
  // CHECK: aik_tile.multiply
  // CHECK-NEXT: %[[P0:.*]] = aik_tile.columns %[[HELD]] from 0 : <64x128xf32> -> <64x64xf32>
  // CHECK-NEXT: %[[F0:.*]] = aik_tile.map %[[P0]] at(%[[TOP]], %[[LEFT]]) {{.*}} extras(%[[E0]] :
  // CHECK: aik_tile.store %[[F0]], %[[OUT]][%[[LEFT]], %[[TOP]]] via %[[BOXES]] : <64x64xbf16>
  // CHECK-NEXT: aik_tile.wait
  // CHECK: aik_tile.multiply
  // CHECK-NEXT: %[[P1:.*]] = aik_tile.columns %[[HELD]] from 64 : <64x128xf32> -> <64x64xf32>
  // CHECK: %[[AGAIN:.*]] = arith.addi %[[LEFT]]
  // CHECK: %[[F1:.*]] = aik_tile.map %[[P1]] at(%[[TOP]], %[[AGAIN]]) {{.*}} extras(%[[E1]] :
  // CHECK: aik_tile.store %[[F1]], %[[OUT]][%[[AGAIN]], %[[TOP]]] via %[[BOXES]] : <64x64xbf16>
  // CHECK: aik_tile.read %{{.*}} -> <64x128xf32>
  // CHECK: aik_tile.wait
  // CHECK: %[[SUMS:.*]] = scf.for
  // CHECK: %[[L:.*]] = aik_tile.columns %[[SUMS]] from 0 : <64x256xf32> -> <64x128xf32>
  // CHECK: %[[F:.*]] = aik_tile.map %[[L]]
  // CHECK: aik_tile.store %[[F]], %{{.*}} via %[[BOXES]] deferred : <64x128xbf16>
  // CHECK: %[[R:.*]] = aik_tile.columns %[[SUMS]] from 128 : <64x256xf32> -> <64x128xf32>
  // CHECK: %[[KEPT:.*]] = aik_tile.keep %[[R]] : <64x128xf32>
  // CHECK: aik_tile.yield %[[KEPT]], %{{.*}}, %{{.*}} : !aik_tile.frag<64x128xf32>, i32, i32
  // CHECK: aik_tile.send %[[BOXES]]
  // CHECK: aik_tile.columns %[[LAST]]#0 from 0
  // CHECK: aik_tile.store
  // CHECK: aik_tile.columns %[[LAST]]#0 from 64
  // CHECK: aik_tile.store
  gpu.func @half(%x: memref<?x256xbf16>, %w: memref<384x256xbf16>, %y: memref<?x384xbf16>, %rows: index, %b: memref<384xf32>) kernel {
    aik_tile.product %x, %w extras(%b : memref<384xf32>) outs %y rows %rows attributes {
        extra_maps = [affine_map<(i, j) -> (j)>], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 4, boxes = 2, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, keep = 128>} {
    ^bb0(%sum: f32, %bias: f32):
      %0 = arith.addf %sum, %bias : f32
      %1 = arith.truncf %0 : f32 to bf16
      aik_tile.yield %1 : bf16
    } : (memref<?x256xbf16>, memref<384x256xbf16>, memref<?x384xbf16>)
    gpu.return
  }

  // All of a tile is kept, and finished in twelve of its sixteen steps, four of which fill a box:
  // nothing is left for the end of a tile.
  // CHECK-LABEL: gpu.func @all
  // CHECK: aik_tile.for_tiles {{.*}} carrying({{.*}} : !aik_tile.frag<64x192xf32>, i32, i32)
  // CHECK-NOT: aik_tile.send
  // CHECK: aik_tile.multiply
  // CHECK: aik_tile.columns %{{.*}} from 0 : <64x192xf32> -> <64x16xf32>
  // CHECK: aik_tile.store {{.*}} at 0 : <64x16xbf16>
  // CHECK: aik_tile.multiply
  // CHECK: aik_tile.columns %{{.*}} from 16
  // CHECK: aik_tile.store {{.*}} at 16 : <64x16xbf16>
  // CHECK: aik_tile.multiply
  // CHECK: aik_tile.columns %{{.*}} from 32
  // CHECK: aik_tile.store {{.*}} at 32 : <64x16xbf16>
  // CHECK: aik_tile.multiply
  // CHECK: aik_tile.columns %{{.*}} from 48
  // CHECK: aik_tile.store {{.*}} at 48 : <64x16xbf16>
  // CHECK: aik_tile.multiply
  // CHECK: aik_tile.columns %{{.*}} from 64
  // CHECK: aik_tile.store {{.*}} at 0 : <64x16xbf16>
  // CHECK-COUNT-7: aik_tile.multiply
  // CHECK-NOT: aik_tile.send
  // CHECK: %[[SUMS:.*]] = scf.for
  // CHECK: %[[ALL:.*]] = aik_tile.columns %[[SUMS]] from 0 : <64x192xf32> -> <64x192xf32>
  // CHECK-NEXT: %[[KEPT:.*]] = aik_tile.keep %[[ALL]]
  // CHECK-NEXT: aik_tile.yield %[[KEPT]]
  // CHECK-COUNT-12: aik_tile.store
  gpu.func @all(%x: memref<?x1024xbf16>, %w: memref<384x1024xbf16>, %y: memref<?x384xbf16>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 192, depth = 64, stages = 5, boxes = 1, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, keep = 192>} {
    ^bb0(%sum: f32):
      %1 = arith.truncf %sum : f32 to bf16
      aik_tile.yield %1 : bf16
    } : (memref<?x1024xbf16>, memref<384x1024xbf16>, memref<?x384xbf16>)
    gpu.return
  }

  // What the first parts need is read in a step of its own, and what is the same for all columns for
  // the first one only.
  // CHECK-LABEL: gpu.func @beside
  // CHECK-SAME: %[[BIAS:[a-z0-9]*]]: memref<384xf32>, %[[SCALE:[a-z0-9]*]]: memref<?xf32>)
  // CHECK: ^bb0({{.*}}, %[[HELD:.*]]: !aik_tile.frag<64x192xf32>, %[[TOP:.*]]: i32, %[[LEFT:.*]]: i32):
  // CHECK: aik_tile.multiply
  // CHECK-NEXT: %[[E0:.*]] = aik_tile.read %[[BIAS]] at(%[[TOP]], %[[LEFT]]) {{.*}} -> <64x16xf32>
  // CHECK-NEXT: %[[ROWS:.*]] = aik_tile.read %[[SCALE]] at(%[[TOP]], %[[LEFT]]) {{.*}} -> <64x16xf32>
  // CHECK: %[[NEXT:.*]] = arith.addi %[[LEFT]]
  // CHECK-NEXT: %[[E1:.*]] = aik_tile.read %[[BIAS]] at(%[[TOP]], %[[NEXT]]) {{.*}} -> <64x16xf32>
  // CHECK-NEXT: aik_tile.wait
  // CHECK: aik_tile.multiply
  // CHECK-NOT: aik_tile.read %[[SCALE]]
  // CHECK: %[[E2:.*]] = aik_tile.read %[[BIAS]]
  // CHECK-NEXT: aik_tile.columns %[[HELD]] from 0
  // CHECK-NEXT: aik_tile.map {{.*}} extras(%[[E0]], %[[ROWS]] :
  // CHECK: aik_tile.store {{.*}} at 0
  // CHECK: aik_tile.multiply
  // CHECK-NOT: aik_tile.read %[[SCALE]]
  // CHECK: aik_tile.read %[[BIAS]]
  // CHECK-NEXT: aik_tile.columns %[[HELD]] from 16
  // CHECK: aik_tile.map {{.*}} extras(%[[E1]], %[[ROWS]] :
  // CHECK: aik_tile.multiply
  // CHECK: aik_tile.columns %[[HELD]] from 32
  // CHECK: aik_tile.map {{.*}} extras(%[[E2]], %[[ROWS]] :
  // CHECK-NOT: aik_tile.read %[[SCALE]]
  // CHECK: aik_tile.columns %[[HELD]] from 176
  // CHECK: scf.for
  // CHECK: aik_tile.keep
  gpu.func @beside(%x: memref<?x1024xbf16>, %w: memref<384x1024xbf16>, %y: memref<?x384xbf16>, %rows: index, %b: memref<384xf32>, %s: memref<?xf32>) kernel {
    aik_tile.product %x, %w extras(%b, %s : memref<384xf32>, memref<?xf32>) outs %y rows %rows attributes {
        extra_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 192, depth = 64, stages = 5, boxes = 1, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, keep = 192>} {
    ^bb0(%sum: f32, %bias: f32, %scale: f32):
      %0 = arith.mulf %sum, %scale : f32
      %1 = arith.addf %0, %bias : f32
      %2 = arith.truncf %1 : f32 to bf16
      aik_tile.yield %2 : bf16
    } : (memref<?x1024xbf16>, memref<384x1024xbf16>, memref<?x384xbf16>)
    gpu.return
  }

  // Three steps are too few for that.
  // CHECK-LABEL: gpu.func @short
  // CHECK-NOT: carrying
  // CHECK: aik_tile.store %{{.*}} : <64x256xbf16>
  gpu.func @short(%x: memref<?x192xbf16>, %w: memref<384x192xbf16>, %y: memref<?x384xbf16>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 4, boxes = 2, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, keep = 128>} {
    ^bb0(%sum: f32):
      %1 = arith.truncf %sum : f32 to bf16
      aik_tile.yield %1 : bf16
    } : (memref<?x192xbf16>, memref<384x192xbf16>, memref<?x384xbf16>)
    gpu.return
  }
}
