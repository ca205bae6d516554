// Products by all threads of a block, for emulate_products.py: each pair of
// layouts, edges in all directions, extras, results of each type. TARGET and
// STAGES are filled in.
module attributes {aikernel.target = #aikernel.target<"TARGET", arch = "x", features = "", vector_bits = 128>} {
gpu.module @device {
  gpu.func @nt(%x: memref<?x72xbf16>, %w: memref<200x72xbf16>, %y: memref<?x200xbf16>, %rows: index, %b: memref<200xf32>, %r: memref<?x200xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, test.expect = "rhs_transposed bias relu residual", test.blocks = 8 : i32} {
    %zero = arith.constant 0.0 : f32
    aik_tile.product %x, %w extras(%b, %r : memref<200xf32>, memref<?x200xbf16>) outs %y rows %rows attributes {extra_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], rhs_transposed, schedule = #aik_tile.schedule<rows = 64, columns = 64, depth = 32, stages = STAGES, boxes = 0, cluster = 1, warpgroups = 1, registers = 0, load_registers = 0, blocks = 1073741824, group = 8>} {
    ^bb0(%sum: f32, %bias: f32, %rest: bf16):
      %0 = arith.addf %sum, %bias : f32
      %1 = arith.maximumf %0, %zero : f32
      %2 = arith.extf %rest : bf16 to f32
      %3 = arith.addf %1, %2 : f32
      %4 = arith.truncf %3 : f32 to bf16
      aik_tile.yield %4 : bf16
    } : (memref<?x72xbf16>, memref<200x72xbf16>, memref<?x200xbf16>)
    gpu.return
  }
  // Three blocks take six tiles.
  gpu.func @nn(%x: memref<136x264xf16>, %w: memref<264x312xf16>, %y: memref<136x312xf32>, %rows: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>, test.expect = "", test.blocks = 3 : i32} {
    aik_tile.product %x, %w outs %y rows %rows attributes {extra_maps = [], schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 32, stages = STAGES, boxes = 0, cluster = 1, warpgroups = 1, registers = 0, load_registers = 0, blocks = 3, group = 1>} {
    ^bb0(%sum: f32):
      aik_tile.yield %sum : f32
    } : (memref<136x264xf16>, memref<264x312xf16>, memref<136x312xf32>)
    gpu.return
  }
  gpu.func @tn(%x: memref<40x136xbf16>, %w: memref<40x264xbf16>, %y: memref<136x264xbf16>, %rows: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>, test.expect = "lhs_transposed", test.blocks = 4 : i32} {
    aik_tile.product %x, %w outs %y rows %rows attributes {extra_maps = [], lhs_transposed, schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 32, stages = STAGES, boxes = 0, cluster = 1, warpgroups = 2, registers = 0, load_registers = 0, blocks = 1073741824, group = 8>} {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to bf16
      aik_tile.yield %0 : bf16
    } : (memref<40x136xbf16>, memref<40x264xbf16>, memref<136x264xbf16>)
    gpu.return
  }
  // Lines of the depth that fill all banks; columns that are no multiple of 8.
  gpu.func @tt(%x: memref<136x96xf16>, %w: memref<76x136xf16>, %y: memref<96x76xf32>, %rows: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>, test.expect = "lhs_transposed rhs_transposed", test.blocks = 4 : i32} {
    aik_tile.product %x, %w outs %y rows %rows attributes {extra_maps = [], lhs_transposed, rhs_transposed, schedule = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = STAGES, boxes = 0, cluster = 1, warpgroups = 1, registers = 0, load_registers = 0, blocks = 1073741824, group = 8>} {
    ^bb0(%sum: f32):
      aik_tile.yield %sum : f32
    } : (memref<136x96xf16>, memref<76x136xf16>, memref<96x76xf32>)
    gpu.return
  }
}
}
