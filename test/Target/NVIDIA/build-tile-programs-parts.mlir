// Parts of sums: blocks of a part begin at its first step, and its rows are below those of the
// part before. Blocks of a cluster that have a part each add up some columns each. Blocks beside
// each other load rows for each other. Sums that change places are written from registers.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-build-tile-programs))' | FileCheck %s

gpu.module @device {
  // 20 steps in three parts of seven, of 256 rows each.
  // CHECK-LABEL: gpu.func @parts
  // CHECK: %[[STEPS:.*]] = arith.constant 7 : i32
  // CHECK: aik_tile.role warpgroups 1
  // CHECK: ^bb0(%[[I:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32):
  // CHECK: %[[ROW:.*]] = arith.addi
  // CHECK: %[[HEIGHT:.*]] = arith.constant 256 : i32
  // CHECK: %[[PART:.*]] = arith.divui %[[ROW]], %[[HEIGHT]]
  // CHECK: %[[SEVEN:.*]] = arith.constant 7 : i32
  // CHECK: %[[FIRST:.*]] = arith.muli %[[PART]], %[[SEVEN]]
  // CHECK: %[[OFPART:.*]] = arith.remui %[[ROW]], %[[HEIGHT]]
  // CHECK: scf.for %[[STEP:.*]] = %{{.*}} to %[[STEPS]]
  // CHECK: %[[AT:.*]] = arith.addi %[[FIRST]], %[[STEP]]
  // CHECK: %[[DEPTH:.*]] = arith.muli %[[AT]]
  // CHECK: aik_tile.load %{{.*}}[%[[DEPTH]], %[[OFPART]]] tile 0
  // CHECK: aik_tile.role warpgroups 2
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[STEPS]]
  // CHECK: aik_tile.store %{{.*}} : <64x128xf32>
  gpu.func @parts(%x: memref<200x1280xbf16>, %w: memref<384x1280xbf16>, %y: memref<768x384xf32>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 6, boxes = 2, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 3>} {
    ^bb0(%sum: f32):
      aik_tile.yield %sum : f32
    } : (memref<200x1280xbf16>, memref<384x1280xbf16>, memref<768x384xf32>)
    gpu.return
  }

  // CHECK-LABEL: gpu.func @swapped
  // CHECK-SAME: (%[[W:.*]]: memref<1280x384xbf16>, %[[X:.*]]: memref<16x1280xbf16>, %[[Y:.*]]: memref<16x384xbf16>,
  // CHECK-DAG: %[[ROWS:.*]] = arith.constant 384 : i32
  // CHECK-DAG: %[[COLUMNS:.*]] = arith.constant 16 : i32
  // CHECK: aik_tile.tensor_map %[[W]] : memref<1280x384xbf16> -> <64x64xbf16>
  // CHECK: aik_tile.tensor_map %[[X]] : memref<16x1280xbf16> -> <8x64xbf16>
  // CHECK-NOT: aik_tile.tensor_map
  // CHECK: aik_tile.make_ring : <12, <128x64xbf16, row_major>, <16x64xbf16>>
  // CHECK-NOT: aik_tile.make_boxes
  // CHECK: aik_tile.load %{{.*}} tile 1 shared : <8x64xbf16>
  // CHECK: %[[F:.*]] = aik_tile.map
  // CHECK: aik_tile.write %[[F]], %[[Y]][%{{.*}}, %{{.*}}] within(%[[ROWS]], %[[COLUMNS]]) transposed : <64x16xbf16>, memref<16x384xbf16>
  gpu.func @swapped(%w: memref<1280x384xbf16>, %x: memref<16x1280xbf16>, %y: memref<16x384xbf16>, %rows: index) kernel {
    aik_tile.product %w, %x outs %y rows %rows attributes {
        extra_maps = [], lhs_transposed, rhs_transposed, out_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 16, depth = 64, stages = 12, boxes = 0, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, swapped = true>} {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to bf16
      aik_tile.yield %0 : bf16
    } : (memref<1280x384xbf16>, memref<16x1280xbf16>, memref<16x384xbf16>)
    gpu.return
  }

  // Blocks have the same tile and different steps; 128 columns are 16 for each of eight.
  // CHECK-LABEL: gpu.func @clustered
  // CHECK: aik_tile.tensor_map %{{.*}} : memref<200x4096xbf16> -> <64x64xbf16>
  // CHECK: aik_tile.tensor_map %{{.*}} : memref<384x4096xbf16> -> <128x64xbf16>
  // CHECK: aik_tile.program cluster 8
  // CHECK: %[[ROOM:.*]] = aik_tile.make_exchange : <1 x 8 x 16>
  // CHECK: %[[RANK:.*]] = aik_tile.block_rank
  // CHECK: aik_tile.role warpgroups 1
  // CHECK: ^bb0(%[[I:.*]]: i32, %[[J:.*]]: i32, %{{.*}}: i32):
  // CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c64
  // CHECK: %[[COLUMN:.*]] = arith.muli %[[J]], %c128
  // CHECK: %[[FIRST:.*]] = arith.muli %[[RANK]], %c8
  // CHECK: %[[AT:.*]] = arith.addi %[[FIRST]]
  // CHECK: %[[DEPTH:.*]] = arith.muli %[[AT]]
  // CHECK: aik_tile.load %{{.*}}[%[[DEPTH]], %[[ROW]]] tile 0 : <64x64xbf16>
  // CHECK: aik_tile.load %{{.*}}[%[[DEPTH]], %[[COLUMN]]] tile 1 : <128x64xbf16>
  // CHECK: %[[PART:.*]] = scf.for
  // CHECK: %[[SUMS:.*]] = aik_tile.add_parts %[[PART]] via %[[ROOM]] : <64x128xf32>, <1 x 8 x 16> -> <64x16xf32>
  // CHECK: %[[OWN:.*]] = arith.muli %[[RANK]], %c16
  // CHECK: %[[LEFT:.*]] = arith.addi %{{.*}}, %[[OWN]]
  // CHECK: %[[F:.*]] = aik_tile.map %[[SUMS]] at(%{{.*}}, %[[LEFT]])
  // CHECK: aik_tile.write %[[F]], %{{.*}}[%{{.*}}, %[[LEFT]]] {{.*}} : <64x16xbf16>
  gpu.func @clustered(%x: memref<200x4096xbf16>, %w: memref<384x4096xbf16>, %y: memref<200x384xbf16>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 64, columns = 128, depth = 64, stages = 8, boxes = 0, cluster = 8, warpgroups = 1, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 8, clustered = true>} {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to bf16
      aik_tile.yield %0 : bf16
    } : (memref<200x4096xbf16>, memref<384x4096xbf16>, memref<200x384xbf16>)
    gpu.return
  }

  // 80 columns are 16 for each of five blocks; the others write nothing beyond the tile.
  // CHECK-LABEL: gpu.func @shares
  // CHECK: aik_tile.make_exchange : <2 x 8 x 16>
  // CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c80
  // CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c80
  // CHECK: aik_tile.add_parts %{{.*}} : <64x80xf32>, <2 x 8 x 16> -> <64x16xf32>
  // CHECK: %[[PAST:.*]] = arith.addi %[[COLUMN]], %c80
  // CHECK: %[[END:.*]] = arith.minui %{{.*}}, %[[PAST]]
  // CHECK: aik_tile.map %{{.*}} within(%{{.*}}, %[[END]])
  // CHECK: aik_tile.write %{{.*}} within(%{{.*}}, %[[END]])
  gpu.func @shares(%x: memref<200x4096xbf16>, %w: memref<384x4096xbf16>, %y: memref<200x384xbf16>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 80, depth = 64, stages = 6, boxes = 0, cluster = 8, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 8, clustered = true>} {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to bf16
      aik_tile.yield %0 : bf16
    } : (memref<200x4096xbf16>, memref<384x4096xbf16>, memref<200x384xbf16>)
    gpu.return
  }

  // CHECK-LABEL: gpu.func @beside
  // CHECK: aik_tile.tensor_map %{{.*}} : memref<200x4096xbf16> -> <64x64xbf16>
  // CHECK: aik_tile.tensor_map %{{.*}} : memref<384x4096xbf16> -> <64x64xbf16>
  // CHECK: %[[RANK:.*]] = aik_tile.block_rank
  // CHECK: ^bb0(%[[I:.*]]: i32, %[[J:.*]]: i32, %{{.*}}: i32):
  // CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c128
  // CHECK: %[[PAIR:.*]] = arith.muli %[[J]], %c128
  // CHECK: %[[OWN:.*]] = arith.muli %[[RANK]], %c64
  // CHECK: %[[COLUMN:.*]] = arith.addi %[[PAIR]], %[[OWN]]
  // CHECK: aik_tile.load %{{.*}}[%{{.*}}, %[[ROW]]] tile 0 shared : <64x64xbf16>
  // CHECK: aik_tile.load %{{.*}}[%{{.*}}, %[[COLUMN]]] tile 1 : <64x64xbf16>
  gpu.func @beside(%x: memref<200x4096xbf16>, %w: memref<384x4096xbf16>, %y: memref<200x384xbf16>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 128, columns = 64, depth = 64, stages = 8, boxes = 1, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, share_left = true>} {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to bf16
      aik_tile.yield %0 : bf16
    } : (memref<200x4096xbf16>, memref<384x4096xbf16>, memref<200x384xbf16>)
    gpu.return
  }

  // Ten steps, four at once: two by themselves, and two turns of a loop. Stages are filled, and
  // given back when all products of a turn are done, in the same groups.
  // CHECK-LABEL: gpu.func @together
  // CHECK: aik_tile.role warpgroups 1
  // CHECK-COUNT-2: aik_tile.fill
  // CHECK: %[[TWO:.*]] = arith.constant 2 : i32
  // CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
  // CHECK: scf.for %[[AT:.*]] = %[[TWO]] to %{{.*}} step %[[FOUR]]
  // CHECK: aik_tile.fill
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: arith.addi %[[AT]], %[[ONE]]
  // CHECK-COUNT-3: aik_tile.fill
  // CHECK-NOT: aik_tile.fill
  // CHECK: aik_tile.role warpgroups 1
  // CHECK-COUNT-2: aik_tile.release
  // CHECK: scf.for
  // CHECK: %[[STAGE:.*]] = aik_tile.acquire
  // CHECK: %[[D0:.*]] = aik_tile.multiply
  // CHECK: aik_tile.acquire
  // CHECK: %[[D1:.*]] = aik_tile.multiply %{{.*}}, %{{.*}}, %[[D0]] :
  // CHECK: aik_tile.acquire
  // CHECK: aik_tile.multiply %{{.*}}, %{{.*}}, %[[D1]] :
  // CHECK: aik_tile.acquire
  // CHECK: %[[D3:.*]] = aik_tile.multiply
  // CHECK-NEXT: aik_tile.wait %[[D3]]
  // CHECK-NEXT: aik_tile.release %[[STAGE]]
  // CHECK-COUNT-3: aik_tile.release
  // CHECK-NOT: aik_tile.release
  gpu.func @together(%x: memref<64x640xbf16>, %w: memref<128x640xbf16>, %y: memref<64x128xbf16>, %rows: index) kernel {
    aik_tile.product %x, %w outs %y rows %rows attributes {
        extra_maps = [], rhs_transposed,
        schedule = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = 12, boxes = 1, cluster = 1, warpgroups = 1, registers = 232, load_registers = 40, blocks = 132, group = 8, at_once = 4>} {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to bf16
      aik_tile.yield %0 : bf16
    } : (memref<64x640xbf16>, memref<128x640xbf16>, memref<64x128xbf16>)
    gpu.return
  }
}
