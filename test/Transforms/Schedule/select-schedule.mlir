// The tile of a product is a whole number of register tiles: 64 rows rounded
// up to rows of the register tile, about 512 bytes of accumulators per row.
// RUN: aik-opt %s --aik-select-schedule --split-input-file | FileCheck %s

// 6 x 2 registers of 8: 66 rows, 128 columns.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: @wide
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [66, 128, 0]
  func.func private @wide(%a: tensor<?x64xf32>, %b: tensor<64x256xf32>, %c: tensor<?x256xf32>) -> tensor<?x256xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<?x64xf32>, tensor<64x256xf32>) outs(%c : tensor<?x256xf32>) -> tensor<?x256xf32>
    return %0 : tensor<?x256xf32>
  }

  // Sums of less than a byte.
  // CHECK-LABEL: @bits
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [{{[0-9]+, [0-9]+, 0}}]
  func.func private @bits(%a: tensor<?x64xi1>, %b: tensor<64x256xi1>, %c: tensor<?x256xi1>) -> tensor<?x256xi1> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<?x64xi1>, tensor<64x256xi1>) outs(%c : tensor<?x256xi1>) -> tensor<?x256xi1>
    return %0 : tensor<?x256xi1>
  }
}

// -----

// 8 x 3 registers of 4: 64 rows, 120 columns (a multiple of 12).
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: @narrow
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [64, 120, 0]
  func.func private @narrow(%a: tensor<?x64xf32>, %b: tensor<64x256xf32>, %c: tensor<?x256xf32>) -> tensor<?x256xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<?x64xf32>, tensor<64x256xf32>) outs(%c : tensor<?x256xf32>) -> tensor<?x256xf32>
    return %0 : tensor<?x256xf32>
  }
}

// -----

// f64 has half the columns; batches go one by one.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: @batched
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [1, 66, 64, 0]
  func.func private @batched(%a: tensor<3x8x64xf64>, %b: tensor<3x64x256xf64>, %c: tensor<3x8x256xf64>) -> tensor<3x8x256xf64> attributes {aikernel.kernel} {
    %0 = linalg.batch_matmul {aikernel.root = array<i64: 0, 1, 2>} ins(%a, %b : tensor<3x8x64xf64>, tensor<3x64x256xf64>) outs(%c : tensor<3x8x256xf64>) -> tensor<3x8x256xf64>
    return %0 : tensor<3x8x256xf64>
  }
}

// -----

// Products with quantized weights: whole panels of sixteen, and enough tiles
// for several threads.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: @blocks
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [64]
  func.func private @blocks(%w: tensor<256x2x288xi8>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %o: tensor<4096xf32>) -> tensor<4096xf32> attributes {aikernel.kernel} {
    %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>, aikernel.root = array<i64: 0>} : (tensor<256x2x288xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<4096xf32>) -> tensor<4096xf32>
    return %y : tensor<4096xf32>
  }

  // CHECK-LABEL: @rows_of_blocks
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [512, 16]
  func.func private @rows_of_blocks(%w: tensor<7x2x288xi8>, %x: tensor<1x?x8x8x8xi8>, %d: tensor<1x?x2x8x1xf32>, %s: tensor<1x?x2x8x1xi32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> attributes {aikernel.kernel} {
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>, aikernel.root = array<i64: 0, 1>} : (tensor<7x2x288xi8>, tensor<1x?x8x8x8xi8>, tensor<1x?x2x8x1xf32>, tensor<1x?x2x8x1xi32>, tensor<?x100xf32>) -> tensor<?x100xf32>
    return %y : tensor<?x100xf32>
  }
}

// -----

// Beside a product of another kind, a tile is whole panels of both.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: @both
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [40, 240]
  func.func private @both(%w: tensor<13x2x288xi8>, %x: tensor<1x9x8x8x8xi8>, %d: tensor<1x9x2x8x1xf32>, %s: tensor<1x9x2x8x1xi32>, %a: tensor<1x9x64x8x1xf32>, %b: tensor<1x17x64x12x1xf32>, %o: tensor<70x200xf32>) -> tensor<70x200xf32> attributes {aikernel.kernel} {
    %e = tensor.empty() : tensor<70x200xf32>
    %k = arith.constant 64 : index
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %e {format = #aikernel.quant<q4_0>} : (tensor<13x2x288xi8>, tensor<1x9x8x8x8xi8>, tensor<1x9x2x8x1xf32>, tensor<1x9x2x8x1xi32>, tensor<70x200xf32>) -> tensor<70x200xf32>
    %z = aikernel.packed_product %a, %b depth %k outs %e {instruction = "fmla.f32", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>, overwrite} : (tensor<1x9x64x8x1xf32>, tensor<1x17x64x12x1xf32>, index, tensor<70x200xf32>) -> tensor<70x200xf32>
    %r = linalg.add {aikernel.root = array<i64: 0, 1>} ins(%y, %z : tensor<70x200xf32>, tensor<70x200xf32>) outs(%o : tensor<70x200xf32>) -> tensor<70x200xf32>
    return %r : tensor<70x200xf32>
  }

  // Those for tile registers have sixteen rows.
  // CHECK-LABEL: @both_in_tiles
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [80, 240]
  func.func private @both_in_tiles(%w: tensor<13x2x288xi8>, %x: tensor<1x5x2x16x32xi8>, %d: tensor<1x5x2x16x1xf32>, %s: tensor<1x5x2x16x1xi32>, %a: tensor<1x9x64x8x1xf32>, %b: tensor<1x17x64x12x1xf32>, %o: tensor<70x200xf32>) -> tensor<70x200xf32> attributes {aikernel.kernel} {
    %e = tensor.empty() : tensor<70x200xf32>
    %k = arith.constant 64 : index
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %e {format = #aikernel.quant<q4_0>} : (tensor<13x2x288xi8>, tensor<1x5x2x16x32xi8>, tensor<1x5x2x16x1xf32>, tensor<1x5x2x16x1xi32>, tensor<70x200xf32>) -> tensor<70x200xf32>
    %z = aikernel.packed_product %a, %b depth %k outs %e {instruction = "fmla.f32", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>, overwrite} : (tensor<1x9x64x8x1xf32>, tensor<1x17x64x12x1xf32>, index, tensor<70x200xf32>) -> tensor<70x200xf32>
    %r = linalg.add {aikernel.root = array<i64: 0, 1>} ins(%y, %z : tensor<70x200xf32>, tensor<70x200xf32>) outs(%o : tensor<70x200xf32>) -> tensor<70x200xf32>
    return %r : tensor<70x200xf32>
  }
}

// -----

// Tile registers want fewer rows, and columns are not divided for many threads.
module attributes {aikernel.target = #aikernel.target<"amx", arch = "x86_64", features = "+avx512bf16,+amx-bf16", vector_bits = 512>} {
  // CHECK-LABEL: @tile_registers
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [256, 224]
  func.func @tile_registers(%a: tensor<2x32x16x32x32xbf16>, %b: tensor<2x32x256x32x2xbf16>, %k: index, %e: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> attributes {aikernel.kernel} {
    %y = aikernel.packed_product %a, %b depth %k outs %e {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>, overwrite} : (tensor<2x32x16x32x32xbf16>, tensor<2x32x256x32x2xbf16>, index, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    return %y : tensor<1024x1024xf32>
  }
}

// -----

// All rows of bf16 are one tile, up to 512; of bytes they are not.
module attributes {aikernel.target = #aikernel.target<"amx", arch = "x86_64", features = "+avx512bf16,+amx-bf16,+amx-int8", vector_bits = 512>} {
  // CHECK-LABEL: @all_rows
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [512, 256]
  func.func @all_rows(%a: tensor<2x16x16x32x32xbf16>, %b: tensor<2x128x256x32x2xbf16>, %k: index, %e: tensor<512x4096xf32>) -> tensor<512x4096xf32> attributes {aikernel.kernel} {
    %y = aikernel.packed_product %a, %b depth %k outs %e {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>, overwrite} : (tensor<2x16x16x32x32xbf16>, tensor<2x128x256x32x2xbf16>, index, tensor<512x4096xf32>) -> tensor<512x4096xf32>
    return %y : tensor<512x4096xf32>
  }

  // CHECK-LABEL: @rows_of_bytes
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [256, 256]
  func.func @rows_of_bytes(%a: tensor<2x16x16x32x64xi8>, %b: tensor<2x128x256x32x4xi8>, %k: index, %e: tensor<512x4096xi32>) -> tensor<512x4096xi32> attributes {aikernel.kernel} {
    %y = aikernel.packed_product %a, %b depth %k outs %e {aikernel.root = array<i64: 0, 1>, instruction = "tdpbssd", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>, overwrite} : (tensor<2x16x16x32x64xi8>, tensor<2x128x256x32x4xi8>, index, tensor<512x4096xi32>) -> tensor<512x4096xi32>
    return %y : tensor<512x4096xi32>
  }
}

// -----

// With AVX-512 all tiles take a block of the sum before the next, and operands
// are packed a block at a time: where there are several blocks, and a result
// that is large enough. Batches, and what is not packed here, go tile by tile.
#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
#batch = affine_map<(b, m, n) -> (b)>
#all = affine_map<(b, m, n) -> (b, m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f", vector_bits = 512>} {
  // CHECK-LABEL: @by_blocks
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [128, 96], inner = 256>
  func.func private @by_blocks(%a: tensor<640x512xf32>, %b: tensor<512x512xf32>, %o: tensor<640x512xf32>) -> tensor<640x512xf32> attributes {aikernel.kernel} {
    %k = arith.constant 512 : index
    %e = tensor.empty() : tensor<2x80x256x8x1xf32>
    %f = tensor.empty() : tensor<2x11x256x48x1xf32>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<640x512xf32>, tensor<2x80x256x8x1xf32>) -> tensor<2x80x256x8x1xf32>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<512x512xf32>, tensor<2x11x256x48x1xf32>) -> tensor<2x11x256x48x1xf32>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<2x80x256x8x1xf32>, tensor<2x11x256x48x1xf32>, index, tensor<640x512xf32>) -> tensor<640x512xf32>
    return %y : tensor<640x512xf32>
  }

  // Tiles are higher where a block of all columns does not stay in L2.
  // CHECK-LABEL: @far_columns
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [256, 144], inner = 256>
  func.func private @far_columns(%a: tensor<768x512xf32>, %b: tensor<512x2048xf32>, %o: tensor<768x2048xf32>) -> tensor<768x2048xf32> attributes {aikernel.kernel} {
    %k = arith.constant 512 : index
    %e = tensor.empty() : tensor<2x96x256x8x1xf32>
    %f = tensor.empty() : tensor<2x43x256x48x1xf32>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<768x512xf32>, tensor<2x96x256x8x1xf32>) -> tensor<2x96x256x8x1xf32>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<512x2048xf32>, tensor<2x43x256x48x1xf32>) -> tensor<2x43x256x48x1xf32>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<2x96x256x8x1xf32>, tensor<2x43x256x48x1xf32>, index, tensor<768x2048xf32>) -> tensor<768x2048xf32>
    return %y : tensor<768x2048xf32>
  }

  // CHECK-LABEL: @one_block
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [128, 96]>
  func.func private @one_block(%a: tensor<640x256xf32>, %b: tensor<256x512xf32>, %o: tensor<640x512xf32>) -> tensor<640x512xf32> attributes {aikernel.kernel} {
    %k = arith.constant 256 : index
    %e = tensor.empty() : tensor<1x80x256x8x1xf32>
    %f = tensor.empty() : tensor<1x11x256x48x1xf32>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<640x256xf32>, tensor<1x80x256x8x1xf32>) -> tensor<1x80x256x8x1xf32>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<256x512xf32>, tensor<1x11x256x48x1xf32>) -> tensor<1x11x256x48x1xf32>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x80x256x8x1xf32>, tensor<1x11x256x48x1xf32>, index, tensor<640x512xf32>) -> tensor<640x512xf32>
    return %y : tensor<640x512xf32>
  }

  // Up to 512 rows are one tile, which packs its own columns, or two where a
  // block of the sum of all would leave L2; there need be no more than eight.
  // CHECK-LABEL: @few_rows
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [384, 48]>
  func.func private @few_rows(%a: tensor<384x384xf32>, %b: tensor<384x384xf32>, %o: tensor<384x384xf32>) -> tensor<384x384xf32> attributes {aikernel.kernel} {
    %k = arith.constant 384 : index
    %e = tensor.empty() : tensor<1x48x384x8x1xf32>
    %f = tensor.empty() : tensor<1x8x384x48x1xf32>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<384x384xf32>, tensor<1x48x384x8x1xf32>) -> tensor<1x48x384x8x1xf32>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<384x384xf32>, tensor<1x8x384x48x1xf32>) -> tensor<1x8x384x48x1xf32>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x48x384x8x1xf32>, tensor<1x8x384x48x1xf32>, index, tensor<384x384xf32>) -> tensor<384x384xf32>
    return %y : tensor<384x384xf32>
  }

  // CHECK-LABEL: @few_long_rows
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [512, 144], inner = 352>
  func.func private @few_long_rows(%a: tensor<512x704xf32>, %b: tensor<704x4096xf32>, %o: tensor<512x4096xf32>) -> tensor<512x4096xf32> attributes {aikernel.kernel} {
    %k = arith.constant 704 : index
    %e = tensor.empty() : tensor<2x64x352x8x1xf32>
    %f = tensor.empty() : tensor<2x86x352x48x1xf32>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<512x704xf32>, tensor<2x64x352x8x1xf32>) -> tensor<2x64x352x8x1xf32>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<704x4096xf32>, tensor<2x86x352x48x1xf32>) -> tensor<2x86x352x48x1xf32>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<2x64x352x8x1xf32>, tensor<2x86x352x48x1xf32>, index, tensor<512x4096xf32>) -> tensor<512x4096xf32>
    return %y : tensor<512x4096xf32>
  }

  // CHECK-LABEL: @two_tiles
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [256, 48]>
  func.func private @two_tiles(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>, %o: tensor<512x512xf32>) -> tensor<512x512xf32> attributes {aikernel.kernel} {
    %k = arith.constant 512 : index
    %e = tensor.empty() : tensor<1x64x512x8x1xf32>
    %f = tensor.empty() : tensor<1x11x512x48x1xf32>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<512x512xf32>, tensor<1x64x512x8x1xf32>) -> tensor<1x64x512x8x1xf32>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<512x512xf32>, tensor<1x11x512x48x1xf32>) -> tensor<1x11x512x48x1xf32>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x64x512x8x1xf32>, tensor<1x11x512x48x1xf32>, index, tensor<512x512xf32>) -> tensor<512x512xf32>
    return %y : tensor<512x512xf32>
  }

  // What is packed before, as weights are, is no tile's own.
  // CHECK-LABEL: @few_rows_of_weight
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [128, 48]>
  func.func private @few_rows_of_weight(%a: tensor<384x384xf32>, %b: tensor<384x384xf32>, %o: tensor<384x384xf32>) -> tensor<384x384xf32> attributes {aikernel.kernel} {
    %k = arith.constant 384 : index
    %e = tensor.empty() : tensor<1x48x384x8x1xf32>
    %f = tensor.empty() : tensor<1x8x384x48x1xf32>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<384x384xf32>, tensor<1x48x384x8x1xf32>) -> tensor<1x48x384x8x1xf32>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<384x384xf32>, tensor<1x8x384x48x1xf32>) -> tensor<1x8x384x48x1xf32>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x48x384x8x1xf32>, tensor<1x8x384x48x1xf32>, index, tensor<384x384xf32>) -> tensor<384x384xf32>
    return %y : tensor<384x384xf32>
  }

  func.func @program(%a: tensor<384x384xf32>, %b: tensor<384x384xf32> {aikernel.weight}, %o: tensor<384x384xf32>) -> tensor<384x384xf32> attributes {aikernel.entry = "run"} {
    %0 = call @few_rows_of_weight(%a, %b, %o) : (tensor<384x384xf32>, tensor<384x384xf32>, tensor<384x384xf32>) -> tensor<384x384xf32>
    return %0 : tensor<384x384xf32>
  }

  // CHECK-LABEL: @small
  // CHECK-NOT: inner
  // CHECK-LABEL: @packed_before
  // CHECK-NOT: inner
  // CHECK-LABEL: @batches
  // CHECK-NOT: inner
  func.func private @small(%a: tensor<128x512xf32>, %b: tensor<512x128xf32>, %o: tensor<128x128xf32>) -> tensor<128x128xf32> attributes {aikernel.kernel} {
    %k = arith.constant 512 : index
    %e = tensor.empty() : tensor<2x16x256x8x1xf32>
    %f = tensor.empty() : tensor<2x3x256x48x1xf32>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<128x512xf32>, tensor<2x16x256x8x1xf32>) -> tensor<2x16x256x8x1xf32>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<512x128xf32>, tensor<2x3x256x48x1xf32>) -> tensor<2x3x256x48x1xf32>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<2x16x256x8x1xf32>, tensor<2x3x256x48x1xf32>, index, tensor<128x128xf32>) -> tensor<128x128xf32>
    return %y : tensor<128x128xf32>
  }
  func.func private @packed_before(%p: tensor<2x64x256x8x1xf32>, %q: tensor<2x11x256x48x1xf32>, %o: tensor<512x512xf32>) -> tensor<512x512xf32> attributes {aikernel.kernel} {
    %k = arith.constant 512 : index
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "vfmadd.f32.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<2x64x256x8x1xf32>, tensor<2x11x256x48x1xf32>, index, tensor<512x512xf32>) -> tensor<512x512xf32>
    return %y : tensor<512x512xf32>
  }
  func.func private @batches(%a: tensor<4x512x512xf32>, %b: tensor<4x512x512xf32>, %o: tensor<4x512x512xf32>) -> tensor<4x512x512xf32> attributes {aikernel.kernel} {
    %k = arith.constant 512 : index
    %e = tensor.empty() : tensor<4x2x64x256x8x1xf32>
    %f = tensor.empty() : tensor<4x2x11x256x48x1xf32>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 1 : i64, depth_dim = 2 : i64} : (tensor<4x512x512xf32>, tensor<4x2x64x256x8x1xf32>) -> tensor<4x2x64x256x8x1xf32>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 2 : i64, depth_dim = 1 : i64} : (tensor<4x512x512xf32>, tensor<4x2x11x256x48x1xf32>) -> tensor<4x2x11x256x48x1xf32>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1, 2>, instruction = "vfmadd.f32.512", lhs_map = #batch, rhs_map = #batch, out_map = #all, overwrite} : (tensor<4x2x64x256x8x1xf32>, tensor<4x2x11x256x48x1xf32>, index, tensor<4x512x512xf32>) -> tensor<4x512x512xf32>
    return %y : tensor<4x512x512xf32>
  }
}

// -----

// So are rows for AVX2, whose last panel may end beyond the 512th.
#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: @few_rows
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [516, 64]>
  func.func private @few_rows(%a: tensor<512x256xf32>, %b: tensor<256x1024xf32>, %o: tensor<512x1024xf32>) -> tensor<512x1024xf32> attributes {aikernel.kernel} {
    %k = arith.constant 256 : index
    %e = tensor.empty() : tensor<1x86x256x6x1xf32>
    %f = tensor.empty() : tensor<1x64x256x16x1xf32>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<512x256xf32>, tensor<1x86x256x6x1xf32>) -> tensor<1x86x256x6x1xf32>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<256x1024xf32>, tensor<1x64x256x16x1xf32>) -> tensor<1x64x256x16x1xf32>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "vfmadd.f32.256", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x86x256x6x1xf32>, tensor<1x64x256x16x1xf32>, index, tensor<512x1024xf32>) -> tensor<512x1024xf32>
    return %y : tensor<512x1024xf32>
  }

  // CHECK-LABEL: @more_rows
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [264, 112]>
  func.func private @more_rows(%a: tensor<517x256xf32>, %b: tensor<256x1024xf32>, %o: tensor<517x1024xf32>) -> tensor<517x1024xf32> attributes {aikernel.kernel} {
    %k = arith.constant 256 : index
    %e = tensor.empty() : tensor<1x87x256x6x1xf32>
    %f = tensor.empty() : tensor<1x64x256x16x1xf32>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<517x256xf32>, tensor<1x87x256x6x1xf32>) -> tensor<1x87x256x6x1xf32>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<256x1024xf32>, tensor<1x64x256x16x1xf32>) -> tensor<1x64x256x16x1xf32>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "vfmadd.f32.256", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x87x256x6x1xf32>, tensor<1x64x256x16x1xf32>, index, tensor<517x1024xf32>) -> tensor<517x1024xf32>
    return %y : tensor<517x1024xf32>
  }
}

// -----

// In tile registers rows that stay in L2 with all of their sum, if need be fewer
// of them, have narrow tiles beside them, longer ones have not. Where one tile has all rows, what it takes
// of the right operand is packed in it, a block of the sum at a time; but a
// weight is packed before.
#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"amx", arch = "x86_64", features = "+avx512bf16,+amx-bf16", vector_bits = 512>} {
  // CHECK-LABEL: @rows_stay
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [256, 64]>
  func.func private @rows_stay(%a: tensor<2048x2048xbf16>, %b: tensor<2048x2048xbf16>, %o: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> attributes {aikernel.kernel} {
    %k = arith.constant 2048 : index
    %e = tensor.empty() : tensor<4x64x16x32x32xbf16>
    %f = tensor.empty() : tensor<4x64x256x32x2xbf16>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<2048x2048xbf16>, tensor<4x64x16x32x32xbf16>) -> tensor<4x64x16x32x32xbf16>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (tensor<2048x2048xbf16>, tensor<4x64x256x32x2xbf16>) -> tensor<4x64x256x32x2xbf16>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<4x64x16x32x32xbf16>, tensor<4x64x256x32x2xbf16>, index, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
    return %y : tensor<2048x2048xf32>
  }

  // CHECK-LABEL: @fewer_rows_stay
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [192, 64]>
  func.func private @fewer_rows_stay(%a: tensor<2048x2304xbf16>, %b: tensor<2304x2048xbf16>, %o: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> attributes {aikernel.kernel} {
    %k = arith.constant 2304 : index
    %e = tensor.empty() : tensor<5x64x16x32x32xbf16>
    %f = tensor.empty() : tensor<5x64x256x32x2xbf16>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<2048x2304xbf16>, tensor<5x64x16x32x32xbf16>) -> tensor<5x64x16x32x32xbf16>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (tensor<2304x2048xbf16>, tensor<5x64x256x32x2xbf16>) -> tensor<5x64x256x32x2xbf16>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<5x64x16x32x32xbf16>, tensor<5x64x256x32x2xbf16>, index, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
    return %y : tensor<2048x2048xf32>
  }

  // CHECK-LABEL: @rows_go
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [256, 256]>
  func.func private @rows_go(%a: tensor<2048x3072xbf16>, %b: tensor<3072x2048xbf16>, %o: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> attributes {aikernel.kernel} {
    %k = arith.constant 3072 : index
    %e = tensor.empty() : tensor<6x64x16x32x32xbf16>
    %f = tensor.empty() : tensor<6x64x256x32x2xbf16>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<2048x3072xbf16>, tensor<6x64x16x32x32xbf16>) -> tensor<6x64x16x32x32xbf16>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (tensor<3072x2048xbf16>, tensor<6x64x256x32x2xbf16>) -> tensor<6x64x256x32x2xbf16>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<6x64x16x32x32xbf16>, tensor<6x64x256x32x2xbf16>, index, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
    return %y : tensor<2048x2048xf32>
  }

  // A panel of rows that are read in place takes all columns at once.
  // CHECK-LABEL: @rows_in_place
  // CHECK: aikernel.rows_in_place, aikernel.schedule = #aikernel.schedule<tiles = [32, 512]>
  func.func private @rows_in_place(%a: tensor<512x512xbf16>, %b: tensor<512x512xbf16>, %o: tensor<512x512xf32>) -> tensor<512x512xf32> attributes {aikernel.kernel} {
    %k = arith.constant 512 : index
    %e = tensor.empty() : tensor<1x16x16x32x32xbf16>
    %f = tensor.empty() : tensor<1x16x256x32x2xbf16>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<512x512xbf16>, tensor<1x16x16x32x32xbf16>) -> tensor<1x16x16x32x32xbf16>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (tensor<512x512xbf16>, tensor<1x16x256x32x2xbf16>) -> tensor<1x16x256x32x2xbf16>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x16x16x32x32xbf16>, tensor<1x16x256x32x2xbf16>, index, tensor<512x512xf32>) -> tensor<512x512xf32>
    return %y : tensor<512x512xf32>
  }

  // In tiles of equal size: of one panel of rows if there are odd ones.
  // CHECK-LABEL: @odd_rows_in_place
  // CHECK: aikernel.rows_in_place, aikernel.schedule = #aikernel.schedule<tiles = [32, 800]>
  func.func private @odd_rows_in_place(%a: tensor<288x512xbf16>, %b: tensor<512x800xbf16>, %o: tensor<288x800xf32>) -> tensor<288x800xf32> attributes {aikernel.kernel} {
    %k = arith.constant 512 : index
    %e = tensor.empty() : tensor<1x9x16x32x32xbf16>
    %f = tensor.empty() : tensor<1x25x256x32x2xbf16>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<288x512xbf16>, tensor<1x9x16x32x32xbf16>) -> tensor<1x9x16x32x32xbf16>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (tensor<512x800xbf16>, tensor<1x25x256x32x2xbf16>) -> tensor<1x25x256x32x2xbf16>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x9x16x32x32xbf16>, tensor<1x25x256x32x2xbf16>, index, tensor<288x800xf32>) -> tensor<288x800xf32>
    return %y : tensor<288x800xf32>
  }

  // 37 panels of columns are more than a tile has, and make no equal ones.
  // CHECK-LABEL: @unequal_columns
  // CHECK-NOT: aikernel.rows_in_place
  // CHECK: aikernel.schedule =
  func.func private @unequal_columns(%a: tensor<256x512xbf16>, %b: tensor<512x1184xbf16>, %o: tensor<256x1184xf32>) -> tensor<256x1184xf32> attributes {aikernel.kernel} {
    %k = arith.constant 512 : index
    %e = tensor.empty() : tensor<1x8x16x32x32xbf16>
    %f = tensor.empty() : tensor<1x37x256x32x2xbf16>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<256x512xbf16>, tensor<1x8x16x32x32xbf16>) -> tensor<1x8x16x32x32xbf16>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (tensor<512x1184xbf16>, tensor<1x37x256x32x2xbf16>) -> tensor<1x37x256x32x2xbf16>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x8x16x32x32xbf16>, tensor<1x37x256x32x2xbf16>, index, tensor<256x1184xf32>) -> tensor<256x1184xf32>
    return %y : tensor<256x1184xf32>
  }

  // CHECK-LABEL: @packed_in_tiles
  // CHECK-NOT: aikernel.rows_in_place
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [512, 256], inner = 512>
  func.func private @packed_in_tiles(%a: tensor<512x1024xbf16>, %b: tensor<1024x4096xbf16>, %o: tensor<512x4096xf32>) -> tensor<512x4096xf32> attributes {aikernel.kernel} {
    %k = arith.constant 1024 : index
    %e = tensor.empty() : tensor<2x16x16x32x32xbf16>
    %f = tensor.empty() : tensor<2x128x256x32x2xbf16>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<512x1024xbf16>, tensor<2x16x16x32x32xbf16>) -> tensor<2x16x16x32x32xbf16>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (tensor<1024x4096xbf16>, tensor<2x128x256x32x2xbf16>) -> tensor<2x128x256x32x2xbf16>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<2x16x16x32x32xbf16>, tensor<2x128x256x32x2xbf16>, index, tensor<512x4096xf32>) -> tensor<512x4096xf32>
    return %y : tensor<512x4096xf32>
  }

  // Columns of weights need not be packed: fewer rows, if they stay in L2.
  // CHECK-LABEL: @weight
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [256, 64]>
  func.func private @weight(%a: tensor<512x1024xbf16>, %b: tensor<1024x4096xbf16>, %o: tensor<512x4096xf32>) -> tensor<512x4096xf32> attributes {aikernel.kernel} {
    %k = arith.constant 1024 : index
    %e = tensor.empty() : tensor<2x16x16x32x32xbf16>
    %f = tensor.empty() : tensor<2x128x256x32x2xbf16>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<512x1024xbf16>, tensor<2x16x16x32x32xbf16>) -> tensor<2x16x16x32x32xbf16>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (tensor<1024x4096xbf16>, tensor<2x128x256x32x2xbf16>) -> tensor<2x128x256x32x2xbf16>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<2x16x16x32x32xbf16>, tensor<2x128x256x32x2xbf16>, index, tensor<512x4096xf32>) -> tensor<512x4096xf32>
    return %y : tensor<512x4096xf32>
  }
  // CHECK-LABEL: @long_weight
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [512, 256]>
  func.func private @long_weight(%a: tensor<512x4096xbf16>, %b: tensor<4096x4096xbf16>, %o: tensor<512x4096xf32>) -> tensor<512x4096xf32> attributes {aikernel.kernel} {
    %k = arith.constant 4096 : index
    %e = tensor.empty() : tensor<8x16x16x32x32xbf16>
    %f = tensor.empty() : tensor<8x128x256x32x2xbf16>
    %p = aikernel.pack_panels %a outs %e {panel_dim = 0 : i64, depth_dim = 1 : i64} : (tensor<512x4096xbf16>, tensor<8x16x16x32x32xbf16>) -> tensor<8x16x16x32x32xbf16>
    %q = aikernel.pack_panels %b outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64, step_multiple = 16 : i64} : (tensor<4096x4096xbf16>, tensor<8x128x256x32x2xbf16>) -> tensor<8x128x256x32x2xbf16>
    %y = aikernel.packed_product %p, %q depth %k outs %o {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<8x16x16x32x32xbf16>, tensor<8x128x256x32x2xbf16>, index, tensor<512x4096xf32>) -> tensor<512x4096xf32>
    return %y : tensor<512x4096xf32>
  }
  func.func @caller(%a: tensor<512x1024xbf16>, %w: tensor<1024x4096xbf16> {aikernel.weight}, %o: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
    %y = func.call @weight(%a, %w, %o) : (tensor<512x1024xbf16>, tensor<1024x4096xbf16>, tensor<512x4096xf32>) -> tensor<512x4096xf32>
    return %y : tensor<512x4096xf32>
  }
  func.func @long_caller(%a: tensor<512x4096xbf16>, %w: tensor<4096x4096xbf16> {aikernel.weight}, %o: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
    %y = func.call @long_weight(%a, %w, %o) : (tensor<512x4096xbf16>, tensor<4096x4096xbf16>, tensor<512x4096xf32>) -> tensor<512x4096xf32>
    return %y : tensor<512x4096xf32>
  }
}

// -----

// A few tiles are enough if more would have few rows.
#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"amx", arch = "x86_64", features = "+avx512bf16,+amx-bf16", vector_bits = 512>} {
  // CHECK-LABEL: @twelve_tiles
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [192, 64]>
  func.func @twelve_tiles(%a: tensor<1x12x12x32x32xbf16>, %b: tensor<1x12x192x32x2xbf16>, %k: index, %e: tensor<384x384xf32>) -> tensor<384x384xf32> attributes {aikernel.kernel} {
    %y = aikernel.packed_product %a, %b depth %k outs %e {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x12x12x32x32xbf16>, tensor<1x12x192x32x2xbf16>, index, tensor<384x384xf32>) -> tensor<384x384xf32>
    return %y : tensor<384x384xf32>
  }

  // CHECK-LABEL: @eight_tiles
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [32, 64]>
  func.func @eight_tiles(%a: tensor<1x4x12x32x32xbf16>, %b: tensor<1x4x192x32x2xbf16>, %k: index, %e: tensor<128x128xf32>) -> tensor<128x128xf32> attributes {aikernel.kernel} {
    %y = aikernel.packed_product %a, %b depth %k outs %e {aikernel.root = array<i64: 0, 1>, instruction = "tdpbf16ps", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (tensor<1x4x12x32x32xbf16>, tensor<1x4x192x32x2xbf16>, index, tensor<128x128xf32>) -> tensor<128x128xf32>
    return %y : tensor<128x128xf32>
  }
}
