// Elementwise ops are handled in vectors of 16 bytes, and loops that only feed
// a check are shared among threads.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-distribute-threads))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

gpu.module @device {
  // Spread over the grid: 64 x 128 elements are 1024 vectors.
  // CHECK-LABEL: gpu.func @spread
  // CHECK: scf.for %{{.*}} = %{{.*}} to %c1024 step
  // CHECK:   vector.load {{.*}} {alignment = 16 : i64} : memref<64x128xbf16>, vector<8xbf16>
  // CHECK:   vector.load {{.*}} {alignment = 16 : i64} : memref<128xbf16>, vector<8xbf16>
  // CHECK:   arith.addf {{.*}} : vector<8xbf16>
  // CHECK:   vector.store {{.*}} {alignment = 16 : i64}
  // CHECK-NOT: memref.load
  // CHECK: gpu.return
  gpu.func @spread(%x: memref<64x128xbf16>, %b: memref<128xbf16>, %y: memref<64x128xbf16>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %b : memref<64x128xbf16>, memref<128xbf16>) outs(%y : memref<64x128xbf16>) attrs = {aikernel.spread} {
    ^bb0(%in: bf16, %bias: bf16, %out: bf16):
      %1 = arith.addf %in, %bias : bf16
      linalg.yield %1 : bf16
    }
    gpu.return
  }

  // Only the device knows whether rows begin at multiples of a vector.
  // CHECK-LABEL: gpu.func @unknown
  // CHECK: %[[REST:.*]] = arith.andi %{{.*}}, %c7
  // CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0
  // CHECK: scf.if %[[WHOLE]] {
  // CHECK:   vector.load {{.*}} vector<8xbf16>
  // CHECK: } else {
  // CHECK:   memref.load
  // CHECK: }
  gpu.func @unknown(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xbf16>) outs(%y : memref<?x?xbf16>) attrs = {aikernel.spread} {
    ^bb0(%in: bf16, %out: bf16):
      %1 = arith.addf %in, %in : bf16
      linalg.yield %1 : bf16
    }
    gpu.return
  }

  // 127 columns are no multiple of any vector.
  // CHECK-LABEL: gpu.func @odd
  // CHECK-NOT: vector.load
  // CHECK: gpu.return
  gpu.func @odd(%x: memref<64x127xbf16>, %y: memref<64x127xbf16>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x127xbf16>) outs(%y : memref<64x127xbf16>) attrs = {aikernel.spread} {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    }
    gpu.return
  }

  // Nothing that is read goes along the third loop: a thread computes both of
  // its results of what it has loaded once, and as all have one there is no loop.
  // CHECK-LABEL: gpu.func @halves
  // CHECK-NOT: scf.for
  // CHECK-COUNT-2: vector.load
  // CHECK-NOT: load
  // CHECK: arith.subf
  // CHECK: vector.store %{{.*}}, %{{.*}}[%[[ROW:.*]], %c0{{.*}}, %[[AT:.*]]]
  // CHECK-NOT: load
  // CHECK: arith.addf
  // CHECK: vector.store %{{.*}}, %{{.*}}[%[[ROW]], %c1{{.*}}, %[[AT]]]
  // CHECK-NOT: store
  // CHECK: gpu.return
  gpu.func @halves(%x: memref<8x2x64xbf16>, %y: memref<8x2x64xbf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, 1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %x : memref<8x2x64xbf16>, memref<8x2x64xbf16>) outs(%y : memref<8x2x64xbf16>) {
    ^bb0(%a: bf16, %b: bf16, %out: bf16):
      %c0 = arith.constant 0 : index
      %half = linalg.index 1 : index
      %first = arith.cmpi eq, %half, %c0 : index
      %less = arith.subf %a, %b : bf16
      %more = arith.addf %a, %b : bf16
      %1 = arith.select %first, %less, %more : bf16
      linalg.yield %1 : bf16
    }
    gpu.return
  }

  // Each thread looks at some positions and checks those.
  // CHECK-LABEL: gpu.func @positions
  // CHECK: %[[T:.*]] = gpu.thread_id x
  // CHECK: %[[FROM:.*]] = arith.addi %c0, %{{.*}}
  // CHECK: %[[BY:.*]] = arith.muli %{{.*}}, %c256
  // CHECK: %[[OK:.*]] = scf.for %{{.*}} = %[[FROM]] to %c512 step %[[BY]]
  // CHECK-NOT: gpu.barrier
  // CHECK: aikernel.check %[[OK]]
  gpu.func @positions(%p: memref<512xi32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %zero = arith.constant 0 : i32
    %true = arith.constant true
    %ok = scf.for %i = %c0 to %c512 step %c1 iter_args(%so = %true) -> (i1) {
      %x = memref.load %p[%i] : memref<512xi32>
      %good = arith.cmpi sge, %x, %zero : i32
      %both = arith.andi %so, %good : i1
      scf.yield %both : i1
    }
    aikernel.check %ok, 34, "a position is negative"
    gpu.return
  }

  // The same with all threads of the grid.
  // CHECK-LABEL: gpu.func @many_positions
  // CHECK: %[[T:.*]] = gpu.thread_id x
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: %[[BLOCKS:.*]] = gpu.grid_dim x
  // CHECK: %[[BEFORE:.*]] = arith.muli %[[BLOCK]], %c256
  // CHECK: %[[N:.*]] = arith.addi %[[BEFORE]], %[[T]]
  // CHECK: %[[COUNT:.*]] = arith.muli %[[BLOCKS]], %c256
  // CHECK: %[[SKIP:.*]] = arith.muli %[[N]], %c1
  // CHECK: %[[FROM:.*]] = arith.addi %c0, %[[SKIP]]
  // CHECK: %[[BY:.*]] = arith.muli %c1{{[_0-9]*}}, %[[COUNT]]
  // CHECK: scf.for %{{.*}} = %[[FROM]] to %c8192 step %[[BY]]
  gpu.func @many_positions(%p: memref<8192xi32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8192 = arith.constant 8192 : index
    %zero = arith.constant 0 : i32
    %true = arith.constant true
    %ok = scf.for %i = %c0 to %c8192 step %c1 iter_args(%so = %true) -> (i1) {
      %x = memref.load %p[%i] : memref<8192xi32>
      %good = arith.cmpi sge, %x, %zero : i32
      %both = arith.andi %so, %good : i1
      scf.yield %both : i1
    } {aikernel.spread}
    aikernel.check %ok, 34, "a position is negative"
    gpu.return
  }
}
