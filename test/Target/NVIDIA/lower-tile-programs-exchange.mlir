// Blocks of a cluster send each other parts of sums: thread by thread, four numbers at once; then
// each warp says so. Parts are added in the order of the blocks.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-lower-tile-programs))' | FileCheck %s

gpu.module @device {
  // CHECK-LABEL: gpu.func @sums
  // CHECK-SAME: known_cluster_size = array<i32: 2, 1, 1>
  // CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32)
  // CHECK: nvvm.mbarrier.init %{{.*}}, %[[EIGHT]] : !llvm.ptr<3>, i32
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: nvvm.mbarrier.init %{{.*}}, %[[TWO]] : !llvm.ptr<3>, i32

  // Nobody is waited for at first, later for reads of other blocks. A thread has four numbers for
  // each block.
  // CHECK: nvvm.mbarrier.try_wait %{{[0-9]+}}, %{{[0-9]+}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
  // CHECK: %[[BLOCK0:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: nvvm.mapa %{{.*}}, %[[BLOCK0]] : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<7>
  // CHECK: %[[BLOCK1:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: nvvm.mapa %{{.*}}, %[[BLOCK1]] : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<7>
  // CHECK-NOT: !llvm.ptr<7>
  // CHECK: nvvm.bar.warp.sync
  // CHECK: nvvm.mapa %[[HERE:.*]], %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: nvvm.mbarrier.arrive %{{.*}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // CHECK: nvvm.mbarrier.try_wait %[[HERE]], %{{.*}} {scope = #nvvm.mem_scope<cluster>}
  // CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK: %[[SECOND:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK: llvm.fadd %[[FIRST]], %[[SECOND]] : vector<4xf32>

  // All threads have read before both blocks are told; and a block does not end before it is.
  // CHECK: "bar.sync $0, $1;"
  // CHECK: nvvm.mapa
  // CHECK: nvvm.mbarrier.arrive %{{.*}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // CHECK: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<1>
  // CHECK: nvvm.mbarrier.try_wait
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
}
