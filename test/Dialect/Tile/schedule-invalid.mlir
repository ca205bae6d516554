// Schedules that no block could follow, and parts of sums that are not as they are.
// RUN: aik-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{a schedule has 1 to 3 warpgroups and at most 256 rows, 64 or more for each, but had 2 and 64}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = 4, boxes = 1, cluster = 1, warpgroups = 2, registers = 128, load_registers = 40, blocks = 132, group = 8>}

// -----

// expected-error @below {{a schedule has 8 to 256 columns, a multiple of 8, but had 12}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 64, columns = 12, depth = 64, stages = 4, boxes = 0, cluster = 1, warpgroups = 1, registers = 128, load_registers = 40, blocks = 132, group = 8>}

// -----

// expected-error @below {{a schedule has a depth of 16 to 128, a multiple of 16, but had 8}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 64, columns = 64, depth = 8, stages = 4, boxes = 1, cluster = 1, warpgroups = 1, registers = 128, load_registers = 40, blocks = 132, group = 8>}

// -----

// expected-error @below {{a schedule has 2 to 16 stages but had 1}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = 1, boxes = 1, cluster = 1, warpgroups = 1, registers = 128, load_registers = 40, blocks = 132, group = 8>}

// -----

// expected-error @below {{a schedule multiplies 1 step at once, or up to half of its 6 stages, but had 4}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = 6, boxes = 1, cluster = 1, warpgroups = 1, registers = 128, load_registers = 40, blocks = 132, group = 8, at_once = 4>}

// -----

// expected-error @below {{a schedule stores columns in boxes of 64 but had 80 columns and 1 boxes}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 64, columns = 80, depth = 64, stages = 4, boxes = 1, cluster = 1, warpgroups = 1, registers = 128, load_registers = 40, blocks = 132, group = 8>}

// -----

// expected-error @below {{a schedule has clusters of 1, 2, 4 or 8 blocks but had 3}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = 4, boxes = 1, cluster = 3, warpgroups = 1, registers = 128, load_registers = 40, blocks = 132, group = 8>}

// -----

// expected-error @below {{a schedule gives threads 24 to 256 registers, a multiple of 8, and a block 65536, but had 3 x 168 + 40}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 192, columns = 64, depth = 64, stages = 4, boxes = 1, cluster = 1, warpgroups = 3, registers = 168, load_registers = 40, blocks = 132, group = 8>}

// -----

// expected-error @below {{a schedule has blocks for a cluster and groups of rows, but had 1 and 8}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = 4, boxes = 1, cluster = 2, warpgroups = 1, registers = 128, load_registers = 40, blocks = 1, group = 8>}

// -----

// expected-error @below {{a schedule splits sums into 1 to 32 parts, 1 where it is swapped, but had 33}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = 4, boxes = 1, cluster = 1, warpgroups = 1, registers = 128, load_registers = 40, blocks = 132, group = 8, split = 33>}

// -----

// expected-error @below {{a schedule splits sums into 1 to 32 parts, 1 where it is swapped, but had 2}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = 4, boxes = 0, cluster = 1, warpgroups = 1, registers = 128, load_registers = 40, blocks = 132, group = 8, split = 2, swapped = true>}

// -----

// expected-error @below {{columns of a tile are kept in whole boxes of 64, by warpgroups of 64 rows that take one step at once}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 128, columns = 192, depth = 64, stages = 4, boxes = 2, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, keep = 96>}

// -----

// expected-error @below {{columns of a tile are kept in whole boxes of 64}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 256, columns = 128, depth = 64, stages = 4, boxes = 2, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, keep = 64>}

// -----

// expected-error @below {{columns of a tile are kept in whole boxes of 64}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 4, boxes = 0, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, keep = 128>}

// -----

// expected-error @below {{columns of a tile are kept in whole boxes of 64}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 4, boxes = 2, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, keep = 192>}

// -----

// expected-error @below {{columns of a tile are kept in whole boxes of 64}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 4, boxes = 2, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, keep = -64>}

// -----

// expected-error @below {{columns of a tile are kept in whole boxes of 64}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 6, boxes = 2, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, at_once = 2, keep = 64>}

// -----

// expected-error @below {{a schedule takes 278528 bytes of shared memory, a block has 232448}}
func.func private @f() attributes {s = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 4, boxes = 5, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>}

// -----

func.func @rows(%x: memref<200x256xf16>, %w: memref<256x384xf16>, %y: memref<400x384xf32>) {
  // expected-error @below {{gives parts of 256 rows, 512 in all, but has 400}}
  aik_tile.product %x, %w outs %y attributes {
      extra_maps = [],
      schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 2>} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (memref<200x256xf16>, memref<256x384xf16>, memref<400x384xf32>)
  return
}

// -----

func.func @changed(%x: memref<200x256xf16>, %w: memref<256x384xf16>, %y: memref<512x384xf32>) {
  // expected-error @below {{gives parts of sums as they are, in f32}}
  aik_tile.product %x, %w outs %y attributes {
      extra_maps = [],
      schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 2>} {
  ^bb0(%sum: f32):
    %0 = arith.negf %sum : f32
    aik_tile.yield %0 : f32
  } : (memref<200x256xf16>, memref<256x384xf16>, memref<512x384xf32>)
  return
}

// -----

func.func @unknown(%x: memref<?x256xf16>, %w: memref<256x384xf16>, %y: memref<512x384xf32>) {
  // expected-error @below {{splits sums of unknown sizes}}
  aik_tile.product %x, %w outs %y attributes {
      extra_maps = [],
      schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 2>} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (memref<?x256xf16>, memref<256x384xf16>, memref<512x384xf32>)
  return
}

// -----

gpu.module @device {
  gpu.func @write(%y: memref<16x511xbf16>, %n: i32) kernel {
    aik_tile.program cluster 1 {
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%group: i32):
        %zero = aik_tile.zero : !aik_tile.frag<64x16xbf16>
        // expected-error @below {{writes pairs of elements of a matrix of 'bf16' whose last dimension is contiguous}}
        aik_tile.write %zero, %y[%n, %n] within (%n, %n) : !aik_tile.frag<64x16xbf16>, memref<16x511xbf16>
      }
    }
    gpu.return
  }
}

// -----

// expected-error @below {{a clustered schedule has a part for each block of a cluster}}
#schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 4, boxes = 0, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 4, clustered = true>
func.func @f() attributes {a = #schedule} {
  return
}

// -----

// expected-error @below {{a clustered schedule has a part for each block of a cluster}}
#schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 4, boxes = 1, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 2, clustered = true>
func.func @f() attributes {a = #schedule} {
  return
}

// -----

// expected-error @below {{a clustered schedule has a part for each block of a cluster}}
#schedule = #aik_tile.schedule<rows = 256, columns = 64, depth = 64, stages = 4, boxes = 0, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 2, clustered = true>
func.func @f() attributes {a = #schedule} {
  return
}

// -----

// expected-error @below {{a clustered schedule has a part for each block of a cluster}}
#schedule = #aik_tile.schedule<rows = 128, columns = 88, depth = 64, stages = 4, boxes = 0, cluster = 8, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 8, clustered = true>
func.func @f() attributes {a = #schedule} {
  return
}

// -----

// expected-error @below {{a left operand is shared by a cluster}}
#schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 4, boxes = 0, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, share_left = true>
func.func @f() attributes {a = #schedule} {
  return
}

// -----

// expected-error @below {{a left operand is shared by a cluster}}
#schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 4, boxes = 0, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 2, share_left = true>
func.func @f() attributes {a = #schedule} {
  return
}
