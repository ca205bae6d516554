// A matrix times a few vectors is read once, in vectors of 16 bytes.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-distribute-threads,canonicalize))' | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#rows = affine_map<(m, n, k) -> (n, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

gpu.module @device {
  // Four rows at a time: each thread asks for its piece of the vector, then
  // for one of each row, and has a vector of sums for each row.
  // CHECK-LABEL: gpu.func @rows
  // CHECK-SAME: known_block_size = array<i32: 512, 1, 1>
  // CHECK: vector.load %arg0[{{.*}}] {alignment = 16 : i64} : memref<1x4096xbf16>, vector<8xbf16>
  // CHECK-NOT: vector.load %arg0
  // CHECK-COUNT-4: vector.load %arg1[{{.*}}] {alignment = 16 : i64} : memref<4x4096xbf16>, vector<8xbf16>
  // CHECK-NOT: vector.load
  // CHECK: arith.mulf %{{.*}} fastmath<contract> : vector<8xf32>
  // CHECK: arith.addf %{{.*}} fastmath<contract> : vector<8xf32>
  // CHECK: gpu.shuffle xor
  // CHECK: gpu.barrier
  gpu.func @rows(%x: memref<1x4096xbf16>, %w: memref<4x4096xbf16>, %y: memref<1x4xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#x, #rows, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1x4096xbf16>, memref<4x4096xbf16>) outs(%y : memref<1x4xf32>) {
    ^bb0(%a: bf16, %b: bf16, %sum: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %sum, %2 : f32
      linalg.yield %3 : f32
    }
    gpu.return
  }

  // Eight vectors would need eight vectors of sums: single sums it is, and the
  // warps have a row each, as rows are short.
  // CHECK-LABEL: gpu.func @short_rows
  // CHECK: scf.for
  // CHECK-COUNT-16: vector.load %arg0[{{.*}}] {alignment = 16 : i64} : memref<8x256xf32>, vector<4xf32>
  // CHECK-NOT: vector.load %arg0
  // CHECK: arith.mulf %{{.*}} fastmath<contract> : f32
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @short_rows(%x: memref<8x256xf32>, %w: memref<16x256xf32>, %y: memref<8x16xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#x, #rows, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<8x256xf32>, memref<16x256xf32>) outs(%y : memref<8x16xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }

  // Eight sums of sixteen warps: a lane combines one of them and tells the
  // others.
  // CHECK-LABEL: gpu.func @many_sums
  // CHECK-SAME: workgroup(%[[ROOM:.*]] : memref<16x8xf32
  // CHECK-COUNT-8: memref.store %{{.*}}, %[[ROOM]][%{{.*}}, %c
  // CHECK: gpu.barrier
  // CHECK: %[[OWN:.*]] = arith.minsi %{{.*}}, %c7
  // CHECK-COUNT-16: memref.load %[[ROOM]][%c{{.*}}, %[[OWN]]]
  // CHECK-NOT: memref.load %[[ROOM]]
  // CHECK-COUNT-8: gpu.shuffle idx
  gpu.func @many_sums(%x: memref<8x8192xf32>, %w: memref<16x8192xf32>, %y: memref<8x16xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#x, #rows, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<8x8192xf32>, memref<16x8192xf32>) outs(%y : memref<8x16xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }

  // Columns: a vector of eight numbers meets eight rows of the matrix.
  // CHECK-LABEL: gpu.func @columns
  // CHECK: scf.for
  // CHECK: vector.load %arg0[{{.*}}] {alignment = 16 : i64} : memref<1x4096xbf16>, vector<8xbf16>
  // CHECK-COUNT-8: vector.load %arg1[{{.*}}] {alignment = 16 : i64} : memref<4096x32xbf16>, vector<8xbf16>
  // CHECK: gpu.shuffle xor
  // CHECK: gpu.barrier
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @columns(%x: memref<1x4096xbf16>, %w: memref<4096x32xbf16>, %y: memref<1x32xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#x, #columns, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1x4096xbf16>, memref<4096x32xbf16>) outs(%y : memref<1x32xf32>) {
    ^bb0(%a: bf16, %b: bf16, %sum: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %sum, %2 : f32
      linalg.yield %3 : f32
    }
    gpu.return
  }

  // Nine vectors are a product like any other.
  // CHECK-LABEL: gpu.func @nine
  // CHECK-NOT: vector.load
  // CHECK: gpu.return
  gpu.func @nine(%x: memref<9x256xf32>, %w: memref<16x256xf32>, %y: memref<9x16xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#x, #rows, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<9x256xf32>, memref<16x256xf32>) outs(%y : memref<9x16xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }
}
