// Attention as threads see it: claims, words in shared memory, masks, exchanges
// among four lanes, and waits that let the younger product go on.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-build-tile-programs,aik-lower-tile-programs))' | FileCheck %s

// CHECK-LABEL: gpu.func @attend
// CHECK-SAME: aikernel.tensor_maps = [{argument = 0 : i32, box = array<i32: 64, 1, 192, 1>
// CHECK-SAME: box = array<i32: 64, 1, 80, 1>
// CHECK-SAME: box = array<i32: 64, 1, 16, 1>
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>

// Who loads: waits for an empty slot and posts, loads two panels of keys, of
// queries and of values, claims, and says at last that there are no more tiles.
// CHECK: nvvm.setmaxregister decrease 32
// CHECK: nvvm.mbarrier.try_wait
// CHECK-COUNT-6: llvm.store volatile
// CHECK: nvvm.mbarrier.arrive %
// CHECK-COUNT-4: nvvm.cp.async.bulk.tensor.shared.cluster.global
// The first tiles are the blocks' own: what is claimed comes after those.
// CHECK: %[[CLAIMED:.*]] = llvm.atomicrmw add %{{.*}}, %{{.*}} syncscope("device") monotonic
// CHECK: %[[TILE:.*]] = llvm.add %[[CLAIMED]], %{{.*}} : i32
// CHECK: scf.yield %[[TILE]]
// CHECK: llvm.mlir.constant(-1 : i32)
// CHECK-COUNT-6: llvm.store volatile

// Who multiplies: all lanes of a warp have read before one says so.
// CHECK: nvvm.setmaxregister increase 160
// CHECK-COUNT-6: llvm.load volatile
// CHECK: nvvm.bar.warp.sync
// CHECK: @p mbarrier.arrive.shared::cta.b64 _, [$0]; }

// What lies past the last key becomes zeros, for this warpgroup and for the
// instructions that read it.
// CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK: bar.sync $0, $1;

// The first scores of a tile, and the last values of the one before.
// CHECK: scf.if {{.*}} -> (!llvm.struct
// CHECK: "wgmma.fence.sync.aligned;"
// CHECK: setp.ne.b32 adds, 0, 0; wgmma.mma_async.sync.aligned.m64n80k16
// CHECK-COUNT-7: setp.ne.b32 adds, 1, 0; wgmma.mma_async.sync.aligned.m64n80k16
// CHECK-COUNT-5: m64n128k16
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: @p mbarrier.arrive.shared::cta.b64
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: } else {
// CHECK-COUNT-5: m64n128k16
// CHECK: wgmma.wait_group.sync.aligned 0;
// Products have kept the warps together.
// CHECK-NOT: bar.sync
// CHECK-COUNT-2: @p mbarrier.arrive.shared::cta.b64
// Sums of four lanes, in two exchanges for each row.
// CHECK: scf.yield
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK: llvm.nvvm.rcp.approx.ftz.f
// CHECK: nvvm.stmatrix
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-COUNT-4: llvm.store %{{.*}} : f32, !llvm.ptr<1>

// Other blocks.
// CHECK: scf.for
// CHECK: scf.if {{.*}} -> (!llvm.struct
// CHECK-COUNT-8: m64n80k16
// CHECK-COUNT-5: m64n128k16
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: @p mbarrier.arrive.shared::cta.b64
// CHECK: mov.u32 $0, %tid.x;
// CHECK: llvm.intr.smin
// CHECK: llvm.icmp "sgt"
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK: llvm.nvvm.ex2.approx.ftz.f
// CHECK: nvvm.vote.sync any
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: nvvm.convert.f32x2.to.bf16x2
// CHECK: scf.if {{.*}} -> (!llvm.struct
// Who passes over a block: a warp must not give back what another has not waited for.
// CHECK: } else {
// CHECK: } else {
// CHECK: bar.sync $0, $1;
// CHECK-COUNT-2: @p mbarrier.arrive.shared::cta.b64
// CHECK: scf.for
// CHECK: nvvm.vote.sync any
// CHECK: scf.if {{.*}} -> (!llvm.struct
// The last values of all.
// CHECK-COUNT-5: m64n128k16
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta

// Scores out of sight become -infinity before caps, of which four share a reciprocal,
// and after what the mask adds; its elements come from global memory.
// CHECK-LABEL: gpu.func @scored
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: llvm.icmp "sgt"
// CHECK: llvm.icmp "sle"
// CHECK: llvm.or
// CHECK: %[[STEPS:.*]] = llvm.intr.minimum
// CHECK: %[[GROWN:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[STEPS]])
// CHECK: %[[A:.*]] = llvm.fadd %[[GROWN]]
// CHECK: %[[B:.*]] = llvm.fadd
// CHECK: %[[AB:.*]] = llvm.fmul %[[A]], %[[B]]
// CHECK-NEXT: %[[CD:.*]] = llvm.fmul
// CHECK-NEXT: %[[ABCD:.*]] = llvm.fmul %[[AB]], %[[CD]]
// CHECK-NEXT: %[[ALL:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[ABCD]])
// CHECK-NEXT: %[[OTHERS:.*]] = llvm.fmul
// CHECK-NEXT: %[[PAIR:.*]] = llvm.fmul %[[ALL]], %[[OTHERS]]
// CHECK-NEXT: %[[OF_A:.*]] = llvm.fmul %[[PAIR]], %[[B]]
// CHECK-NEXT: %[[OF_B:.*]] = llvm.fmul %[[PAIR]], %[[A]]
// CHECK: llvm.intr.fma(%[[OF_A]], %{{.*}}, %{{.*}})
// CHECK: llvm.intr.fma(%[[OF_B]], %{{.*}}, %{{.*}})
// CHECK: llvm.intr.smin
// CHECK: llvm.getelementptr %{{.*}} : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
// CHECK: setp.gt.s32 p, $2, 0; mov.b16 $0, 0; @p ld.global.b16 $0, [$1+0];
// CHECK: %[[BITS:.*]] = llvm.inline_asm {{.*}}setp.gt.s32 p, $2, 1; mov.b16 $0, 0; @p ld.global.b16 $0, [$1+2];
// CHECK: %[[NARROW:.*]] = llvm.bitcast %[[BITS]] : i16 to f16
// CHECK: %[[WIDE:.*]] = llvm.fpext %[[NARROW]] : f16 to f32
// CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %[[WIDE]])
// CHECK: llvm.icmp "sgt"

// Scores that are small beside the cap, as a warp's mostly are, need no powers.
// CHECK-LABEL: gpu.func @capped
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: llvm.intr.fabs
// CHECK: %[[SMALL:.*]] = llvm.fcmp "olt" %{{.*}}, %{{.*}} : f32
// CHECK: %[[ALL:.*]] = nvvm.vote.sync all %{{.*}}, %[[SMALL]]
// CHECK: scf.if %[[ALL]] -> (!llvm.struct
// CHECK: %[[SQUARE:.*]] = llvm.fmul %[[SCORE:.*]], %[[SCORE]]
// CHECK-NEXT: %[[A:.*]] = llvm.intr.fma(%{{.*}}, %[[SQUARE]], %{{.*}})
// CHECK-NEXT: %[[B:.*]] = llvm.intr.fma(%[[A]], %[[SQUARE]], %{{.*}})
// CHECK-NEXT: %[[C:.*]] = llvm.intr.fma(%[[B]], %[[SQUARE]], %{{.*}})
// CHECK-NEXT: llvm.fmul %[[SCORE]], %[[C]]
// CHECK: } else {
// CHECK: llvm.intr.minimum
// CHECK: scf.yield

// A cap whose square is no number, and two warpgroups, which have no registers left.
// CHECK-LABEL: gpu.func @tiny_cap
// CHECK-NOT: nvvm.vote.sync all
// CHECK-LABEL: gpu.func @two_capped
// CHECK-NOT: nvvm.vote.sync all
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

  gpu.func @capped(%q: memref<2x8x1024x64xf16>, %k: memref<2x2x1024x64xf16>, %v: memref<2x2x1024x64xf16>, %o: memref<2x8x1024x64xf16>, %c: memref<1xi32>, %batches: index, %queries: index, %keys: index) kernel {
    aik_tile.attention %q, %k, %v outs %o, %c sizes %batches, %queries, %keys {softcap = 5.0 : f32, scale = 0.125 : f32, schedule = #aik_tile.attention_schedule<rows = 192, keys = 128, stages = 2, query_stages = 2, boxes = 1, registers = 160, load_registers = 32, blocks = 132>} : (memref<2x8x1024x64xf16>, memref<2x2x1024x64xf16>, memref<2x2x1024x64xf16>, memref<2x8x1024x64xf16>, memref<1xi32>, index, index, index) -> ()
    gpu.return
  }

  gpu.func @tiny_cap(%q: memref<2x8x1024x64xf16>, %k: memref<2x2x1024x64xf16>, %v: memref<2x2x1024x64xf16>, %o: memref<2x8x1024x64xf16>, %c: memref<1xi32>, %batches: index, %queries: index, %keys: index) kernel {
    aik_tile.attention %q, %k, %v outs %o, %c sizes %batches, %queries, %keys {softcap = 1.0e-20 : f32, scale = 0.125 : f32, schedule = #aik_tile.attention_schedule<rows = 192, keys = 128, stages = 2, query_stages = 2, boxes = 1, registers = 160, load_registers = 32, blocks = 132>} : (memref<2x8x1024x64xf16>, memref<2x2x1024x64xf16>, memref<2x2x1024x64xf16>, memref<2x8x1024x64xf16>, memref<1xi32>, index, index, index) -> ()
    gpu.return
  }

  gpu.func @two_capped(%q: memref<2x8x1024x64xf16>, %k: memref<2x2x1024x64xf16>, %v: memref<2x2x1024x64xf16>, %o: memref<2x8x1024x64xf16>, %c: memref<1xi32>, %batches: index, %queries: index, %keys: index) kernel {
    aik_tile.attention %q, %k, %v outs %o, %c sizes %batches, %queries, %keys {softcap = 5.0 : f32, scale = 0.125 : f32, schedule = #aik_tile.attention_schedule<rows = 128, keys = 128, stages = 2, query_stages = 2, boxes = 1, registers = 232, load_registers = 40, blocks = 132>} : (memref<2x8x1024x64xf16>, memref<2x2x1024x64xf16>, memref<2x2x1024x64xf16>, memref<2x8x1024x64xf16>, memref<1xi32>, index, index, index) -> ()
    gpu.return
  }
}
