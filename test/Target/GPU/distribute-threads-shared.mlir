// Products of matrices that have a tile go through shared memory.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-distribute-threads,canonicalize,cse))' | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#rows = affine_map<(m, n, k) -> (n, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

gpu.module @device {
  // A tile of 64x128 has steps of 16. A thread loads vectors of both, along the
  // sum or across it, and then those of the next steps; those along the sum are
  // turned. It has 4x8 sums.
  // CHECK-LABEL: gpu.func @whole
  // CHECK-SAME: workgroup(%[[ROOM:.*]] : memref<12800xi8
  // CHECK: %[[LEFT:.*]] = memref.view %[[ROOM]][%c0][] : {{.*}} to memref<16x68xf32
  // CHECK: %[[RIGHT:.*]] = memref.view %[[ROOM]][%c4352][] : {{.*}} to memref<16x132xf32
  // CHECK: vector.load %arg0[{{.*}}] {alignment = 16 : i64} : memref<64x256xf32>, vector<4xf32>
  // CHECK-COUNT-2: vector.load %arg1[{{.*}}] {alignment = 16 : i64} : memref<256x128xf32>, vector<4xf32>
  // CHECK: gpu.barrier
  // CHECK-COUNT-4: memref.store %{{.*}}, %[[LEFT]]
  // CHECK-COUNT-2: vector.store %{{.*}}, %[[RIGHT]]
  // CHECK: gpu.barrier
  // CHECK: %[[SUMS:.*]]:32 = scf.for %{{.*}} = %c0 to %c256 step %c16
  // CHECK-COUNT-3: vector.load %arg
  // CHECK-NOT: vector.load %arg
  // CHECK-COUNT-512: arith.mulf %{{.*}} fastmath<contract> : f32
  // CHECK-NOT: arith.mulf
  // CHECK: gpu.barrier
  // CHECK: arith.select
  // CHECK: memref.store %{{.*}}, %[[LEFT]]
  // CHECK: gpu.barrier
  // CHECK: scf.yield
  // CHECK: %[[OLD:.*]] = memref.load %arg2
  // CHECK: arith.addf %[[OLD]], %[[SUMS]]#0
  gpu.func @whole(%a: memref<64x256xf32>, %b: memref<256x128xf32>, %c: memref<64x128xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#x, #columns, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x256xf32>, memref<256x128xf32>) outs(%c : memref<64x128xf32>) attrs = {aikernel.shared_tile = array<i64: 64, 128>} {
    ^bb0(%p: f32, %q: f32, %sum: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }

  // Eight groups of 32 threads have eight steps of 64 each, and sums of 4x4; all
  // threads add up two sums of each group. Rows change places from four steps to
  // the next. Nobody reads beyond rows of 809 and 13 of them.
  // CHECK-LABEL: gpu.func @groups
  // CHECK-SAME: workgroup(%[[ROOM:.*]] : memref<16384xi8
  // CHECK: %[[LEFT:.*]] = memref.view %[[ROOM]][%c0][] : {{.*}} to memref<64x16xbf16
  // CHECK: %[[RIGHT:.*]] = memref.view %[[ROOM]][%c2048][] : {{.*}} to memref<64x32xf32
  // CHECK: %[[ALL:.*]] = memref.view %[[ROOM]][%c0][] : {{.*}} to memref<8x16x32xf32
  // CHECK: arith.minsi %{{.*}}, %c12
  // CHECK: arith.minsi %{{.*}}, %c808
  // CHECK-NOT: vector.load %arg
  // CHECK: arith.xori
  // CHECK: scf.for %{{.*}} = %c0 to %c809 step %c64
  // CHECK: %[[X:.*]] = vector.load %[[LEFT]]{{.*}} : {{.*}}, vector<4xbf16>
  // CHECK: vector.load %[[RIGHT]]{{.*}} : {{.*}}, vector<4xf32>
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK-COUNT-16: memref.store %{{.*}}, %[[ALL]]
  // CHECK: gpu.barrier
  // CHECK-COUNT-8: memref.load %[[ALL]]
  // CHECK: arith.cmpi slt, %{{.*}}, %c13
  // CHECK: memref.store %{{.*}}, %arg2
  gpu.func @groups(%a: memref<13x809xbf16>, %b: memref<32x809xf32>, %c: memref<13x32xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#x, #rows, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<13x809xbf16>, memref<32x809xf32>) outs(%c : memref<13x32xf32>) attrs = {aikernel.shared_tile = array<i64: 16, 32>} {
    ^bb0(%p: bf16, %q: f32, %sum: f32):
      %w = arith.extf %p : bf16 to f32
      %0 = arith.mulf %w, %q : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }

  // A sum of a length that is not known may be of nothing, which has no last
  // element, and no tile with barriers of its own.
  // CHECK-LABEL: gpu.func @unknown
  // CHECK: %[[K:.*]] = memref.dim %arg0, %c1
  // CHECK: gpu.barrier
  // CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[K]], %c0
  // CHECK: %[[M:.*]] = arith.select %[[ANY]], %{{.*}}, %c0
  // CHECK: scf.for %{{.*}} = %c0 to %[[M]] step %c16
  // CHECK: gpu.return
  gpu.func @unknown(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#x, #columns, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>) attrs = {aikernel.shared_tile = array<i64: 16, 32>} {
    ^bb0(%p: f32, %q: f32, %sum: f32):
      %0 = arith.mulf %p, %q : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }

  // One product after the other uses the same room.
  // CHECK-LABEL: gpu.func @two
  // CHECK-SAME: workgroup(%{{.*}} : memref<16384xi8, {{[^,]*}}> {{[^,]*}}) kernel
  gpu.func @two(%a: memref<32x64xf32>, %b: memref<64x64xf32>, %c: memref<32x64xf32>, %d: memref<32x64xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.matmul {aikernel.shared_tile = array<i64: 32, 64>} ins(%a, %b : memref<32x64xf32>, memref<64x64xf32>) outs(%c : memref<32x64xf32>)
    linalg.matmul {aikernel.shared_tile = array<i64: 32, 64>} ins(%c, %b : memref<32x64xf32>, memref<64x64xf32>) outs(%d : memref<32x64xf32>)
    gpu.return
  }

  // Scratch has left too little: no room, and sums one by one.
  // CHECK-LABEL: gpu.func @crowded
  // CHECK-NOT: xi8
  // CHECK: memref.load %arg0
  // CHECK: gpu.return
  gpu.func @crowded(%a: memref<64x256xf32>, %b: memref<256x128xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c = memref.alloca() : memref<64x144xf32>
    %s = memref.subview %c[0, 0] [64, 128] [1, 1] : memref<64x144xf32> to memref<64x128xf32, strided<[144, 1]>>
    linalg.matmul {aikernel.shared_tile = array<i64: 64, 128>} ins(%a, %b : memref<64x256xf32>, memref<256x128xf32>) outs(%s : memref<64x128xf32, strided<[144, 1]>>)
    gpu.return
  }

  // Two zeros beyond the end of the sum have to change no sum, bits have no place
  // of their own, and numbers of 64 bits more than there is room for; nor has a tile that threads cannot divide a meaning.
  // CHECK-LABEL: gpu.func @other_products
  // CHECK-NOT: xi8
  // CHECK: gpu.return
  gpu.func @other_products(%a: memref<16x100xf32>, %b: memref<100x32xf32>, %c: memref<16x32xf32>, %p: memref<16x100xi1>, %q: memref<100x32xi1>, %n: memref<16x32xi32>, %d: memref<16x100xf64>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#x, #columns, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<16x100xf32>, memref<100x32xf32>) outs(%c : memref<16x32xf32>) attrs = {aikernel.shared_tile = array<i64: 16, 32>} {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %0 = arith.addf %l, %r : f32
      %1 = arith.maximumf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#x, #columns, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<16x100xf32>, memref<100x32xf32>) outs(%c : memref<16x32xf32>) attrs = {aikernel.shared_tile = array<i64: 16, 32>} {
    ^bb0(%l: f32, %r: f32, %sum: f32):
      %one = arith.constant 1.0 : f32
      %0 = arith.addf %l, %one : f32
      %1 = arith.mulf %0, %r : f32
      %2 = arith.addf %sum, %1 : f32
      linalg.yield %2 : f32
    }
    linalg.generic {indexing_maps = [#x, #columns, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %q : memref<16x100xi1>, memref<100x32xi1>) outs(%n : memref<16x32xi32>) attrs = {aikernel.shared_tile = array<i64: 16, 32>} {
    ^bb0(%l: i1, %r: i1, %sum: i32):
      %0 = arith.extui %l : i1 to i32
      %1 = arith.extui %r : i1 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %sum, %2 : i32
      linalg.yield %3 : i32
    }
    linalg.generic {indexing_maps = [#x, #columns, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%d, %b : memref<16x100xf64>, memref<100x32xf32>) outs(%c : memref<16x32xf32>) attrs = {aikernel.shared_tile = array<i64: 16, 32>} {
    ^bb0(%l: f64, %r: f32, %sum: f32):
      %0 = arith.truncf %l : f64 to f32
      %1 = arith.mulf %0, %r : f32
      %2 = arith.addf %sum, %1 : f32
      linalg.yield %2 : f32
    }
    linalg.matmul {aikernel.shared_tile = array<i64: 8, 8>} ins(%a, %b : memref<16x100xf32>, memref<100x32xf32>) outs(%c : memref<16x32xf32>)
    linalg.matmul {aikernel.shared_tile = array<i64: 256, 256>} ins(%a, %b : memref<16x100xf32>, memref<100x32xf32>) outs(%c : memref<16x32xf32>)
    linalg.matmul {aikernel.shared_tile = array<i64: 24, 32>} ins(%a, %b : memref<16x100xf32>, memref<100x32xf32>) outs(%c : memref<16x32xf32>)
    linalg.matmul {aikernel.shared_tile = 16 : i64} ins(%a, %b : memref<16x100xf32>, memref<100x32xf32>) outs(%c : memref<16x32xf32>)
    gpu.return
  }
}
