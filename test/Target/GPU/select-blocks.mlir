// What one block of 256 threads computes of a kernel.
// RUN: aik-opt %s --aik-select-blocks | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // Elementwise work: 2048 elements, whole rows first.
  // CHECK-LABEL: @elementwise
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [4, 512]>
  func.func private @elementwise(%x: tensor<64x512xf32>, %y: tensor<64x512xf32>) -> tensor<64x512xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x512xf32>) outs(%y : tensor<64x512xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %in, %in : f32
      linalg.yield %1 : f32
    } -> tensor<64x512xf32>
    return %0 : tensor<64x512xf32>
  }

  // Short rows share a block, long ones have one each.
  // CHECK-LABEL: @short_rows
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [8, 0]>
  func.func private @short_rows(%x: tensor<64x128xf32>, %y: tensor<64xf32>) -> tensor<64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x128xf32>) outs(%y : tensor<64xf32>) attrs = {aikernel.root = array<i64: 0>} {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %out, %in : f32
      linalg.yield %1 : f32
    } -> tensor<64xf32>
    return %0 : tensor<64xf32>
  }
  // CHECK-LABEL: @long_rows
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [1, 0]>
  func.func private @long_rows(%x: tensor<64x8192xf32>, %y: tensor<64xf32>) -> tensor<64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x8192xf32>) outs(%y : tensor<64xf32>) attrs = {aikernel.root = array<i64: 0>} {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %out, %in : f32
      linalg.yield %1 : f32
    } -> tensor<64xf32>
    return %0 : tensor<64xf32>
  }

  // Products that no instruction has: the larger the tile the better, if there
  // are three blocks for two multiprocessors, and six for the largest.
  // CHECK-LABEL: @few_rows
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [16, 32, 0]>, aikernel.shared_tile = array<i64: 16, 32>
  func.func private @few_rows(%a: tensor<16x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<16x4096xf32>) -> tensor<16x4096xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<16x4096xf32>, tensor<4096x4096xf32>) outs(%c : tensor<16x4096xf32>) -> tensor<16x4096xf32>
    return %0 : tensor<16x4096xf32>
  }
  // CHECK-LABEL: @some_rows
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [64, 128, 0]>, aikernel.shared_tile = array<i64: 64, 128>
  func.func private @some_rows(%a: tensor<512x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<512x4096xf32>) -> tensor<512x4096xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<512x4096xf32>, tensor<4096x4096xf32>) outs(%c : tensor<512x4096xf32>) -> tensor<512x4096xf32>
    return %0 : tensor<512x4096xf32>
  }
  // CHECK-LABEL: @many_rows
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [128, 128, 0]>, aikernel.shared_tile = array<i64: 128, 128>
  func.func private @many_rows(%a: tensor<4096x64xf32>, %b: tensor<64x4096xf32>, %c: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<4096x64xf32>, tensor<64x4096xf32>) outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
  // CHECK-LABEL: @batch
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [1, 64, 64, 0]>, aikernel.shared_tile = array<i64: 64, 64>
  func.func private @batch(%a: tensor<8x256x64xf32>, %b: tensor<8x64x512xf32>, %c: tensor<8x256x512xf32>) -> tensor<8x256x512xf32> attributes {aikernel.kernel} {
    %0 = linalg.batch_matmul {aikernel.root = array<i64: 0, 1, 2>} ins(%a, %b : tensor<8x256x64xf32>, tensor<8x64x512xf32>) outs(%c : tensor<8x256x512xf32>) -> tensor<8x256x512xf32>
    return %0 : tensor<8x256x512xf32>
  }
  // Shared memory also has what becomes of the sums, and of two of them.
  // CHECK-LABEL: @and_more
  // CHECK: linalg.matmul {{.*}}aikernel.shared_tile = array<i64: 64, 128>
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [64, 128]>
  func.func private @and_more(%a: tensor<4096x64xf32>, %b: tensor<64x4096xf32>, %c: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul ins(%a, %b : tensor<4096x64xf32>, tensor<64x4096xf32>) outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4096x4096xf32>) outs(%c : tensor<4096x4096xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%in: f32, %out: f32):
      %2 = math.absf %in : f32
      linalg.yield %2 : f32
    } -> tensor<4096x4096xf32>
    return %1 : tensor<4096x4096xf32>
  }
  // CHECK-LABEL: @two
  // CHECK-COUNT-2: linalg.matmul {{.*}}aikernel.shared_tile = array<i64: 32, 64>
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [32, 64]>
  func.func private @two(%a: tensor<4096x64xf32>, %b: tensor<64x4096xf32>, %d: tensor<64x4096xf32>, %c: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul ins(%a, %b : tensor<4096x64xf32>, tensor<64x4096xf32>) outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %1 = linalg.matmul ins(%a, %d : tensor<4096x64xf32>, tensor<64x4096xf32>) outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%c : tensor<4096x4096xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%in: f32, %other: f32, %out: f32):
      %3 = arith.mulf %in, %other : f32
      linalg.yield %3 : f32
    } -> tensor<4096x4096xf32>
    return %2 : tensor<4096x4096xf32>
  }
  // Rows that are not known may be one; sums of f64 are left to single threads.
  // CHECK-LABEL: @product
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [16, 32, 0]>
  // CHECK-LABEL: @wide_sums
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [16, 64, 0]>
  // CHECK-NOT: shared_tile
  func.func private @product(%a: tensor<?x64xf32>, %b: tensor<64x256xf32>, %c: tensor<?x256xf32>) -> tensor<?x256xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<?x64xf32>, tensor<64x256xf32>) outs(%c : tensor<?x256xf32>) -> tensor<?x256xf32>
    return %0 : tensor<?x256xf32>
  }

  func.func private @wide_sums(%a: tensor<64x64xf64>, %b: tensor<64x256xf64>, %c: tensor<64x256xf64>) -> tensor<64x256xf64> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<64x64xf64>, tensor<64x256xf64>) outs(%c : tensor<64x256xf64>) -> tensor<64x256xf64>
    return %0 : tensor<64x256xf64>
  }

  // A matrix and one vector: four rows of the matrix, or 32 columns.
  // CHECK-LABEL: @rows_of_matrix
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [1, 4, 0]>
  func.func private @rows_of_matrix(%a: tensor<1x4096xbf16>, %b: tensor<512x4096xbf16>, %c: tensor<1x512xf32>) -> tensor<1x512xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<1x4096xbf16>, tensor<512x4096xbf16>) outs(%c : tensor<1x512xf32>) -> tensor<1x512xf32>
    return %0 : tensor<1x512xf32>
  }
  // CHECK-LABEL: @columns_of_matrix
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [1, 32, 0]>
  func.func private @columns_of_matrix(%a: tensor<1x4096xbf16>, %b: tensor<4096x512xbf16>, %c: tensor<1x512xf32>) -> tensor<1x512xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<1x4096xbf16>, tensor<4096x512xbf16>) outs(%c : tensor<1x512xf32>) -> tensor<1x512xf32>
    return %0 : tensor<1x512xf32>
  }

  // A quantized product has at most so many blocks as are there at once: 7168
  // groups of four rows in 256 blocks of 28.
  // CHECK-LABEL: @lanes
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [0, 112]>
  func.func private @lanes(%c: tensor<7168x4x1x2x4xi32>, %s: tensor<7168x2x2xi32>, %x: tensor<3x64xf32>, %o: tensor<3x28672xf32>) -> tensor<3x28672xf32> attributes {aikernel.kernel} {
    %0 = aikernel.lane_product %c scales %s, %x outs %o {format = #aikernel.quant<q4_0>, aikernel.root = array<i64: 0, 1>} : (tensor<7168x4x1x2x4xi32>, tensor<7168x2x2xi32>, tensor<3x64xf32>, tensor<3x28672xf32>) -> tensor<3x28672xf32>
    return %0 : tensor<3x28672xf32>
  }

  // The few may be on the right: the rows on the left are divided.
  // CHECK-LABEL: @few_columns
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [2, 8, 0]>
  func.func private @few_columns(%a: tensor<512x4096xbf16>, %b: tensor<8x4096xbf16>, %c: tensor<512x8xf32>) -> tensor<512x8xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<512x4096xbf16>, tensor<8x4096xbf16>) outs(%c : tensor<512x8xf32>) -> tensor<512x8xf32>
    return %0 : tensor<512x8xf32>
  }

  // An input that is the same for all heads is read once for eight of them.
  // CHECK-LABEL: @turned
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [8, 4, 64]>
  func.func private @turned(%x: tensor<32x8192x64xf32>, %w: tensor<8192x64xf32>, %o: tensor<32x8192x64xf32>) -> tensor<32x8192x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [affine_map<(h, s, d) -> (h, s, d)>, affine_map<(h, s, d) -> (s, d)>, affine_map<(h, s, d) -> (h, s, d)>], iterator_types = ["parallel", "parallel", "parallel"], aikernel.root = array<i64: 0, 1, 2>} ins(%x, %w : tensor<32x8192x64xf32>, tensor<8192x64xf32>) outs(%o : tensor<32x8192x64xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %1 = arith.mulf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<32x8192x64xf32>
    return %0 : tensor<32x8192x64xf32>
  }

  // Two results of what is read once: a thread has both.
  // CHECK-LABEL: @halves
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [32, 2, 64]>
  func.func private @halves(%x: tensor<8192x2x64xf32>, %o: tensor<8192x2x64xf32>) -> tensor<8192x2x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [affine_map<(s, h, d) -> (s, 0, d)>, affine_map<(s, h, d) -> (s, 1, d)>, affine_map<(s, h, d) -> (s, h, d)>], iterator_types = ["parallel", "parallel", "parallel"], aikernel.root = array<i64: 0, 1, 2>} ins(%x, %x : tensor<8192x2x64xf32>, tensor<8192x2x64xf32>) outs(%o : tensor<8192x2x64xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %1 = arith.mulf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<8192x2x64xf32>
    return %0 : tensor<8192x2x64xf32>
  }

  // What a person wrote stays.
  // CHECK-LABEL: @chosen
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [2, 3, 0]>
  func.func private @chosen(%a: tensor<?x64xf32>, %b: tensor<64x256xf32>, %c: tensor<?x256xf32>) -> tensor<?x256xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [2, 3, 0]>} ins(%a, %b : tensor<?x64xf32>, tensor<64x256xf32>) outs(%c : tensor<?x256xf32>) -> tensor<?x256xf32>
    return %0 : tensor<?x256xf32>
  }
}
