// Products whose matrices, sums or schedules do not fit.
// RUN: aik-opt %s --split-input-file --verify-diagnostics

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x16xbf16>, %w: tensor<24x32xbf16>, %d: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{the length of sums is 16 and 24}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], schedule = #schedule} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (tensor<8x16xbf16>, tensor<24x32xbf16>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x16xbf16>, %w: tensor<16x32xbf16>, %d: tensor<8x32xbf16>) -> tensor<8x32xbf16> {
  // expected-error @+1 {{yields one element of its destination}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], schedule = #schedule} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (tensor<8x16xbf16>, tensor<16x32xbf16>, tensor<8x32xbf16>) -> tensor<8x32xbf16>
  return %y : tensor<8x32xbf16>
}

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x128xbf16>, %w: tensor<32x128xf16>, %d: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{has no instruction for 'bf16' and 'f16'}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], rhs_transposed, schedule = #schedule} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (tensor<8x128xbf16>, tensor<32x128xf16>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x128xi8>, %w: tensor<128x32xi8>, %d: tensor<8x32xi32>) -> tensor<8x32xi32> {
  // expected-error @+1 {{of 'i8' needs both matrices contiguous along the sums}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], schedule = #schedule} {
  ^bb0(%sum: i32):
    aik_tile.yield %sum : i32
  } : (tensor<8x128xi8>, tensor<128x32xi8>, tensor<8x32xi32>) -> tensor<8x32xi32>
  return %y : tensor<8x32xi32>
}

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x128xf32>, %w: tensor<32x128xf32>, %d: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{of f32 rounds its operands, which has to be asked for}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], rhs_transposed, schedule = #schedule} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (tensor<8x128xf32>, tensor<32x128xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x128xi8>, %w: tensor<32x128xi8>, %d: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{sums are 'i32'}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], rhs_transposed, schedule = #schedule} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (tensor<8x128xi8>, tensor<32x128xi8>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

#schedule = #aik_tile.schedule<rows = 64, columns = 16, depth = 128, stages = 3, boxes = 0, cluster = 1, warpgroups = 1, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x256xbf16>, %w: tensor<64x128xi8>, %s: tensor<2x32xf32>, %d: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
  // expected-error @+1 {{of packed weights takes 64 lines of codes and 4 of scales}}
  %y = aik_tile.product %x, %w extras(%s : tensor<2x32xf32>) outs %d attributes {extra_maps = [affine_map<(i, j) -> (i, j)>], packed, schedule = #schedule} {
  ^bb0(%sum: f32, %scale: f32):
    %0 = arith.truncf %sum : f32 to bf16
    aik_tile.yield %0 : bf16
  } : (tensor<8x256xbf16>, tensor<64x128xi8>, tensor<8x64xbf16>) -> tensor<8x64xbf16>
  return %y : tensor<8x64xbf16>
}

// -----

// A slab of packed weights for each warpgroup of each block: 1 is not enough for 2.
#schedule = #aik_tile.schedule<rows = 128, columns = 16, depth = 128, stages = 3, boxes = 0, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, swapped = true>
func.func @f(%x: tensor<8x256xbf16>, %w: tensor<64x128xi8>, %s: tensor<4x32xf32>, %d: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
  // expected-error @+1 {{of packed weights has 64 rows for each warpgroup, and whole clusters of them}}
  %y = aik_tile.product %x, %w extras(%s : tensor<4x32xf32>) outs %d attributes {extra_maps = [affine_map<(i, j) -> (i, j)>], packed, schedule = #schedule} {
  ^bb0(%sum: f32, %scale: f32):
    %0 = arith.truncf %sum : f32 to bf16
    aik_tile.yield %0 : bf16
  } : (tensor<8x256xbf16>, tensor<64x128xi8>, tensor<8x64xbf16>) -> tensor<8x64xbf16>
  return %y : tensor<8x64xbf16>
}

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x16xbf16>, %w: tensor<16x32xbf16>, %d: tensor<8x32xf8E4M3FN>) -> tensor<8x32xf8E4M3FN> {
  // expected-error @+1 {{gives numbers of 16 or 32 bits}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], schedule = #schedule} {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to f8E4M3FN
    aik_tile.yield %0 : f8E4M3FN
  } : (tensor<8x16xbf16>, tensor<16x32xbf16>, tensor<8x32xf8E4M3FN>) -> tensor<8x32xf8E4M3FN>
  return %y : tensor<8x32xf8E4M3FN>
}
