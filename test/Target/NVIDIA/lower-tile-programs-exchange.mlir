// Blocks of a cluster send each other parts of sums: thread by thread, four numbers at once, whose
// bytes a barrier of the receiver counts. Parts are added in the order of the blocks.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-lower-tile-programs))' | FileCheck %s

gpu.module @device {
  // CHECK-LABEL: gpu.func @sums
  // CHECK-SAME: known_cluster_size = array<i32: 2, 1, 1>
  // CHECK: llvm.mlir.constant(4096 : i32)
  // CHECK-NEXT: %[[FULL:.*]] = llvm.getelementptr
  // CHECK-NEXT: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK-NEXT: nvvm.mbarrier.init %[[FULL]], %[[ONE]] : !llvm.ptr<3>, i32
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: nvvm.mbarrier.init %{{.*}}, %[[TWO]] : !llvm.ptr<3>, i32

  // Nobody is waited for at first. Later all threads have read before both blocks are told, and a
  // block sends when it has been told so. A thread has four numbers for each block.
  // CHECK: %[[USED:.*]] = llvm.load
  // CHECK: %[[AGAIN:.*]] = llvm.icmp "eq" %[[USED]]
  // CHECK: scf.if %[[AGAIN]]
  // CHECK: "bar.sync $0, $1;"
  // CHECK: nvvm.mapa
  // CHECK: nvvm.mbarrier.arrive %{{.*}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // CHECK: nvvm.mbarrier.try_wait %{{[0-9]+}}, %{{[0-9]+}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
  // CHECK: llvm.store
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(4096 : i32)
  // CHECK: nvvm.mbarrier.arrive.expect_tx %[[HERE:.*]], %[[BYTES]]
  // CHECK: %[[BLOCK0:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: nvvm.mapa %{{.*}}, %[[BLOCK0]] : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: nvvm.mapa %[[HERE]], %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [$4], {$0, $1, $2, $3}, [$5];"
  // CHECK: %[[BLOCK1:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: nvvm.mapa %{{.*}}, %[[BLOCK1]] : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: nvvm.mapa %[[HERE]], %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32
  // CHECK-NOT: st.async
  // CHECK: nvvm.mbarrier.try_wait %[[HERE]], %{{.*}} {scope = #nvvm.mem_scope<cluster>}
  // CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK: %[[SECOND:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK: llvm.fadd %[[FIRST]], %[[SECOND]] : vector<4xf32>
  // CHECK: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<1>
  gpu.func @sums(%y: memref<64x16xf32>, %n: i32) kernel {
    aik_tile.program cluster 2 {
      %room = aik_tile.make_exchange : !aik_tile.exchange<1 x 2 x 8>
      aik_tile.role warpgroups 1 registers 232 {
      ^bb0(%group: i32):
        %part = aik_tile.zero : !aik_tile.frag<64x16xf32>
        %sums = aik_tile.add_parts %part via %room : !aik_tile.frag<64x16xf32>, !aik_tile.exchange<1 x 2 x 8> -> !aik_tile.frag<64x8xf32>
        aik_tile.write %sums, %y[%n, %n] within (%n, %n) : !aik_tile.frag<64x8xf32>, memref<64x16xf32>
      }
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
      }
    }
    gpu.return
  }

  // Two of four blocks have columns to add up: bytes come to them only, from all four.
  // CHECK-LABEL: gpu.func @shares
  // CHECK: nvvm.mbarrier.try_wait
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(8192 : i32)
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[HAS:.*]] = llvm.icmp "ult" %{{.*}}, %[[TWO]] : i32
  // CHECK: %[[NONE:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[COME:.*]] = llvm.select %[[HAS]], %[[BYTES]], %[[NONE]]
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[COME]]
  // CHECK-COUNT-2: st.async
  // CHECK-NOT: st.async
  gpu.func @shares(%y: memref<64x16xf32>, %n: i32) kernel {
    aik_tile.program cluster 4 {
      %room = aik_tile.make_exchange : !aik_tile.exchange<1 x 4 x 8>
      aik_tile.role warpgroups 1 registers 232 {
      ^bb0(%group: i32):
        %part = aik_tile.zero : !aik_tile.frag<64x16xf32>
        %sums = aik_tile.add_parts %part via %room : !aik_tile.frag<64x16xf32>, !aik_tile.exchange<1 x 4 x 8> -> !aik_tile.frag<64x8xf32>
        aik_tile.write %sums, %y[%n, %n] within (%n, %n) : !aik_tile.frag<64x8xf32>, memref<64x16xf32>
      }
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
      }
    }
    gpu.return
  }

  // Who loads for its own block only waits for the others of the cluster too: compute-sanitizer's
  // racecheck does not end where it goes on.
  // CHECK-LABEL: gpu.func @apart
  // CHECK: nvvm.cluster.arrive.relaxed
  // CHECK: nvvm.setmaxregister decrease 40
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK: nvvm.cp.async.bulk.tensor
  // CHECK: nvvm.setmaxregister decrease 232
  // CHECK-NEXT: nvvm.cluster.wait
  gpu.func @apart(%A: memref<64x64xbf16>) kernel {
    %a = aik_tile.tensor_map %A : memref<64x64xbf16> -> !aik_tile.map<64x64xbf16>
    %c0 = arith.constant 0 : i32
    aik_tile.program cluster 2 {
      %ring = aik_tile.make_ring : !aik_tile.ring<2, <64x64xbf16>>
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
        aik_tile.fill %ring {
          aik_tile.load %a[%c0, %c0] tile 0 : !aik_tile.map<64x64xbf16>
        } : !aik_tile.ring<2, <64x64xbf16>>
      }
      aik_tile.role warpgroups 1 registers 232 {
      ^bb0(%group: i32):
        %stage = aik_tile.acquire %ring : !aik_tile.ring<2, <64x64xbf16>> -> !aik_tile.stage<<64x64xbf16>>
        aik_tile.release %stage : !aik_tile.stage<<64x64xbf16>>
      }
    }
    gpu.return
  }
}
