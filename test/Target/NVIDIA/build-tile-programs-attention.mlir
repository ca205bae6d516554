// Attention: one role claims tiles and loads, the other multiplies, keeps the
// scores in registers, and has two products under way at a time.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-build-tile-programs))' | FileCheck %s

// CHECK-LABEL: gpu.func @attend
// CHECK: %[[Q:.*]] = aik_tile.tensor_map %{{.*}} rows 1 : memref<2x?x8x128xbf16> -> <192x64xbf16>
// CHECK: %[[K:.*]] = aik_tile.tensor_map %{{.*}} rows 1 : memref<2x?x2x128xbf16> -> <80x64xbf16>
// CHECK: %[[V:.*]] = aik_tile.tensor_map %{{.*}} rows 1 : memref<2x?x2x128xbf16> -> <80x64xbf16>
// CHECK: %[[O:.*]] = aik_tile.tensor_map %{{.*}} rows 1 : memref<2x?x8x128xbf16> -> <16x64xbf16>
// CHECK: aik_tile.program cluster 1 {
// CHECK: %[[QR:.*]] = aik_tile.make_ring : <2, <192x128xbf16>>
// CHECK: %[[KR:.*]] = aik_tile.make_ring : <2, <80x128xbf16>>
// CHECK: %[[VR:.*]] = aik_tile.make_ring : <2, <128x80xbf16, row_major>>
// CHECK: %[[BOX:.*]] = aik_tile.make_mailbox : <2 x 6>

// CHECK: aik_tile.role warpgroups 1 registers 32 {
// CHECK: %[[LAST:.*]]:3 = aik_tile.claim_tiles of %{{.*}} by %{{.*}} for %[[BOX]] carrying(%c0_i32, %c0_i32, %c0_i32 : i32, i32, i32) -> i32, i32, i32 {
// CHECK: ^bb0(%{{.*}}: i32, %[[BEFORE:.*]]: i32, %[[HEAD:.*]]: i32, %[[BATCH:.*]]: i32):
// CHECK: aik_tile.post %[[BOX]](%{{.*}}, %{{.*}}, %{{.*}}, %[[MASKED:.*]], %[[COUNT:.*]], %{{.*}})
// CHECK: aik_tile.fill %[[QR]]
// CHECK: aik_tile.fill %[[KR]]
// CHECK: aik_tile.fill %[[VR]]
// CHECK-NEXT: aik_tile.load %[[V]][%[[BEFORE]], %c0_i32, %[[HEAD]], %[[BATCH]]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[MASKED]]
// CHECK: aik_tile.fill %[[KR]]
// CHECK: aik_tile.fill %[[VR]]
// CHECK: scf.for %{{.*}} = %[[MASKED]] to %[[COUNT]]
// CHECK: aik_tile.fill %[[VR]]
// CHECK: aik_tile.yield
// CHECK: aik_tile.fill %[[VR]]
// CHECK-NEXT: aik_tile.load %[[V]][%[[LAST]]#0, %c0_i32, %[[LAST]]#1, %[[LAST]]#2]

// CHECK: aik_tile.role warpgroups 3 registers 160 {
// CHECK: %[[END:.*]]:8 = aik_tile.posted_tiles %[[BOX]] carrying(
// CHECK: ^bb0(%[[ROW:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32, %[[M:.*]]: i32, %[[C:.*]]: i32, %[[LENGTH:.*]]: i32, %{{.*}}: !aik_tile.rows, %{{.*}}: !aik_tile.rows, %[[W0:.*]]: !aik_tile.frag<64x80xbf16>, %[[SUMS0:.*]]: !aik_tile.frag<64x128xf32>,
// A warpgroup that sees nothing of the first block, or has no queries, only ends the
// tile before.
// CHECK: aik_tile.acquire %[[KR]]
// CHECK: aik_tile.acquire %[[VR]]
// CHECK: %[[SEES:.*]] = arith.andi
// CHECK: %[[FIRST:.*]]:4 = scf.if %[[SEES]]
// CHECK: %[[SCORED:.*]] = aik_tile.multiply
// CHECK-NEXT: %[[SUMMED:.*]] = aik_tile.multiply %[[W0]], %{{.*}}, %[[SUMS0]]
// CHECK: aik_tile.wait %[[SCORED]] {leaving = 1 : i64}
// CHECK: aik_tile.mask
// CHECK: aik_tile.softmax {{.*}}keep_maximum, masked
// CHECK: aik_tile.wait %[[SUMMED]], %{{.*}}
// CHECK: } else {
// CHECK: aik_tile.multiply %[[W0]], %{{.*}}, %[[SUMS0]]
// CHECK-NEXT: aik_tile.wait
// CHECK-NEXT: aik_tile.release
// CHECK-NEXT: aik_tile.release
// CHECK: aik_tile.divide_rows %[[FIRST]]#3
// CHECK: aik_tile.store %{{.*}}, %[[O]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[M]]
// CHECK: scf.if
// CHECK: aik_tile.mask {{.*}} diagonal
// CHECK: scf.for %{{.*}} = %[[M]] to %[[C]]
// CHECK: aik_tile.acquire %[[KR]]
// CHECK: aik_tile.acquire %[[VR]]
// CHECK: aik_tile.clear
// CHECK: %[[QUERIES:.*]] = arith.cmpi slt
// CHECK-NEXT: scf.if %[[QUERIES]]
// CHECK: %[[S:.*]] = aik_tile.multiply
// CHECK-NEXT: %[[P:.*]] = aik_tile.multiply
// CHECK-NEXT: aik_tile.wait %[[S]] {leaving = 1 : i64}
// CHECK-NEXT: aik_tile.release
// CHECK-NOT: aik_tile.mask
// CHECK: %[[W:.*]], %{{.*}}, %{{.*}}, %[[F:.*]], %[[CHANGED:.*]] = aik_tile.softmax
// CHECK-NEXT: %[[D:.*]]:2 = aik_tile.wait %[[P]], %[[W]]
// CHECK-NEXT: aik_tile.release
// CHECK-NEXT: aik_tile.round %[[D]]#1
// CHECK-NEXT: aik_tile.scale_rows %[[D]]#0 by %[[F]] if %[[CHANGED]]
// CHECK: } else {
// CHECK-NEXT: aik_tile.release
// CHECK-NEXT: aik_tile.release
// CHECK-NEXT: scf.yield
// CHECK: aik_tile.release
// CHECK: aik_tile.yield
// CHECK: aik_tile.multiply %[[END]]#2, %{{.*}}, %[[END]]#3
// CHECK: aik_tile.divide_rows
// CHECK: aik_tile.store %{{.*}}, %[[O]][%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}]
// CHECK: aik_tile.store_rows
// CHECK: aik_tile.store_rows
// CHECK-NOT: aik_tile.attention

// Scores lose what is out of sight, are capped, get what the mask adds, and lose what
// is out of sight again, in every block; maximums are stored as they are.
// CHECK-LABEL: gpu.func @scored
// CHECK: %[[KEYS:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: aik_tile.role warpgroups 2 registers 232 {
// CHECK: posted_tiles
// CHECK: ^bb0(%{{.*}}: i32, %[[HEAD:.*]]: i32, %[[LAST:.*]]: i32, %{{.*}}: i32, %[[C:.*]]: i32, %[[LENGTH:.*]]: i32, %{{.*}}: !aik_tile.rows,
// CHECK: %[[NUMBERS:.*]] = aik_tile.mask
// CHECK: %[[CAP:.*]] = aik_tile.cap %[[NUMBERS]] {cap = 5.000000e+00 : f32, scale = 1.250000e-01 : f32}
// CHECK: %[[PLANE:.*]] = arith.remui %[[HEAD]], %c8_i32
// CHECK: %[[SUM:.*]] = aik_tile.add_mask %[[CAP]], %{{.*}}[%[[PLANE]], %[[ROW:.*]], %[[COLUMN:.*]]] of(%c1_i32, %{{.*}}) {scale = 1.000000e+00 : f32}
// CHECK: %[[SEEN:.*]] = aik_tile.mask %[[SUM]] at(%[[ROW]], %{{.*}}) length %[[LENGTH]] diagonal %{{.*}} window 100
// CHECK: aik_tile.softmax %[[SEEN]]{{.*}} {masked, scale = 1.000000e+00 : f32}
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C]]
// CHECK: aik_tile.cap
// CHECK: aik_tile.add_mask
// CHECK: aik_tile.mask
// CHECK-NOT: scf.for
// CHECK: aik_tile.store_rows {{.*}} {scale = 1.000000e+00 : f32}
// CHECK: aik_tile.store_rows {{.*}} {scale = 1.000000e+00 : f32}

// With room for the queries of one tile, a tile ends before the next one begins, and
// nobody passes over a block.
// CHECK-LABEL: gpu.func @alone
// CHECK: aik_tile.claim_tiles of %{{.*}} by %{{.*}} for %{{[0-9]+}} {
// CHECK: aik_tile.fill %[[KR:[0-9]+]]
// CHECK: aik_tile.fill
// CHECK-NOT: scf.if
// CHECK: aik_tile.posted_tiles %{{[0-9]+}} {
// CHECK: aik_tile.acquire %[[KR]]
// CHECK: aik_tile.wait %{{.*}} : (
// CHECK-NOT: scf.if
// CHECK: aik_tile.divide_rows
// CHECK: aik_tile.store
// CHECK-NOT: aik_tile.acquire
gpu.module @device {
  gpu.func @attend(%q: memref<2x?x8x128xbf16>, %k: memref<2x?x2x128xbf16>, %v: memref<2x?x2x128xbf16>, %n: memref<2xi32>, %o: memref<2x?x8x128xbf16>, %m: memref<2x8x?xf32>, %l: memref<2x8x?xf32>, %c: memref<1xi32>, %batches: index, %queries: index, %keys: index) kernel {
    aik_tile.attention %q, %k, %v kv_len %n outs %o, %m, %l, %c sizes %batches, %queries, %keys {causal, heads_inner, scale = 0.125 : f32, schedule = #aik_tile.attention_schedule<rows = 192, keys = 80, stages = 2, query_stages = 2, boxes = 2, registers = 160, load_registers = 32, blocks = 132, keep_maximum = true>} : (memref<2x?x8x128xbf16>, memref<2x?x2x128xbf16>, memref<2x?x2x128xbf16>, memref<2xi32>, memref<2x?x8x128xbf16>, memref<2x8x?xf32>, memref<2x8x?xf32>, memref<1xi32>, index, index, index) -> ()
    gpu.return
  }

  // A soft cap, a mask of one row for each head, and a window.
  gpu.func @scored(%q: memref<2x8x?x64xf16>, %k: memref<2x2x?x64xf16>, %v: memref<2x2x?x64xf16>, %mask: memref<8x1x?xf16>, %o: memref<2x8x?x64xf16>, %m: memref<2x8x?xf32>, %l: memref<2x8x?xf32>, %c: memref<1xi32>, %batches: index, %queries: index, %keys: index) kernel {
    aik_tile.attention %q, %k, %v mask %mask outs %o, %m, %l, %c sizes %batches, %queries, %keys {causal, window = 100 : i64, softcap = 5.0 : f32, scale = 0.125 : f32, schedule = #aik_tile.attention_schedule<rows = 128, keys = 128, stages = 2, query_stages = 2, boxes = 1, registers = 232, load_registers = 40, blocks = 132>} : (memref<2x8x?x64xf16>, memref<2x2x?x64xf16>, memref<2x2x?x64xf16>, memref<8x1x?xf16>, memref<2x8x?x64xf16>, memref<2x8x?xf32>, memref<2x8x?xf32>, memref<1xi32>, index, index, index) -> ()
    gpu.return
  }

  gpu.func @alone(%q: memref<2x8x?x256xbf16>, %k: memref<2x2x?x256xbf16>, %v: memref<2x2x?x256xbf16>, %o: memref<2x8x?x256xbf16>, %c: memref<1xi32>, %batches: index, %queries: index, %keys: index) kernel {
    aik_tile.attention %q, %k, %v outs %o, %c sizes %batches, %queries, %keys {causal, scale = 0.125 : f32, schedule = #aik_tile.attention_schedule<rows = 128, keys = 64, stages = 2, query_stages = 1, boxes = 2, registers = 224, load_registers = 48, blocks = 132>} : (memref<2x8x?x256xbf16>, memref<2x2x?x256xbf16>, memref<2x2x?x256xbf16>, memref<2x8x?x256xbf16>, memref<1xi32>, index, index, index) -> ()
    gpu.return
  }
}
