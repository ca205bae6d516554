// Rows that are too long for a block are shared by the blocks of a cluster.
// RUN: aik-opt %s --aik-stream-long-rows | FileCheck %s
// RUN: sed 's/sm_90a/sm_80/' %s | aik-opt --aik-stream-long-rows | FileCheck %s --check-prefix=OLD

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// Eight blocks for each row, and the number of rows as a parameter.
// CHECK-LABEL: func.func @f(
// CHECK: %[[ROWS:.*]] = arith.constant 64 : index
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[ROWS]], %c8{{.*}} : index
// CHECK: gpu.launch_func @device::@f_0 blocks in (%[[BLOCKS]],
// CHECK-SAME: %[[ROWS]] : index)
// CHECK: func.func private @f_0$twin({{.*}}, %{{.*}}: index)

// CHECK: memref.global @aik_rows : memref<0xi8, #gpu.address_space<workgroup>> {alignment = 128 : i64}
// CHECK-LABEL: gpu.func @f_0
// CHECK-SAME: %[[COUNT:[a-z0-9]+]]: index)
// CHECK-SAME: aikernel.per_thread
// CHECK-SAME: aikernel.resident
// CHECK-SAME: aikernel.shared_bytes = 98304 : i32
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>
// CHECK-SAME: known_cluster_size = array<i32: 8, 1, 1>
// CHECK: %[[RANK:.*]] = arith.remui %{{.*}}, %c8
// The first thread sets up barriers, one for each parity of a row's turn.
// CHECK: scf.if
// CHECK-COUNT-2: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.cluster.arrive.relaxed
// The weights once, then two rows that come.
// CHECK-COUNT-4: nvgpu.device_async_copy %arg1
// CHECK-COUNT-8: nvgpu.device_async_copy
// CHECK: nvvm.cluster.wait
// CHECK: scf.for %{{.*}} to %[[COUNT]]
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-COUNT-4: vector.load %{{.*}} : memref<2x4x512x8xbf16, #gpu.address_space<workgroup>>
// A block waits for the sums of all 8 * 16 warps; lane c of a warp sends it to
// block c.
// CHECK: scf.if
// CHECK: %[[BYTES:.*]] = arith.constant 512 : i32
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]]
// CHECK: %[[MINE:.*]] = arith.cmpi ult, %{{.*}}, %c8
// CHECK: scf.if %[[MINE]]
// CHECK-COUNT-2: nvvm.mapa
// CHECK: llvm.inline_asm {{.*}} "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [$1], $0, [$2];"
// CHECK-COUNT-4: nvgpu.device_async_copy
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: nvvm.mbarrier.try_wait
// CHECK-COUNT-4: memref.load %{{.*}} : memref<2x128x1xi32, #gpu.address_space<workgroup>>
// The barrier of a cluster would wait for stores to global memory, too.
// CHECK-NOT: nvvm.cluster
// CHECK-COUNT-4: vector.store
// CHECK-NOT: vector.store

// There are no clusters before.
// OLD-LABEL: gpu.func @f_0
// OLD-NOT: nvvm
// OLD: linalg.generic

module attributes {gpu.container_module, aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func @f(%x: memref<64x131072xbf16>, %w: memref<131072xbf16>, %y: memref<64x131072xbf16>) {
    %one = arith.constant 1 : index
    %rows = arith.constant 64 : index
    %threads = arith.constant 256 : index
    gpu.launch_func @device::@f_0 blocks in (%rows, %one, %one) threads in (%threads, %one, %one) args(%x : memref<64x131072xbf16>, %w : memref<131072xbf16>, %y : memref<64x131072xbf16>)
    return
  }
  func.func private @f_0$twin(%x: memref<64x131072xbf16>, %w: memref<131072xbf16>, %y: memref<64x131072xbf16>) {
    return
  }
  gpu.module @device {
    gpu.func @f_0(%x: memref<64x131072xbf16>, %w: memref<131072xbf16>, %y: memref<64x131072xbf16>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %i = gpu.block_id x
      %in = memref.subview %x[%i, 0] [1, 131072] [1, 1] : memref<64x131072xbf16> to memref<1x131072xbf16, strided<[131072, 1], offset: ?>>
      %out = memref.subview %y[%i, 0] [1, 131072] [1, 1] : memref<64x131072xbf16> to memref<1x131072xbf16, strided<[131072, 1], offset: ?>>
      %sum = memref.alloca() : memref<1xf32>
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%sum : memref<1xf32>)
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%in : memref<1x131072xbf16, strided<[131072, 1], offset: ?>>) outs(%sum : memref<1xf32>) {
      ^bb0(%a: bf16, %o: f32):
        %1 = arith.extf %a : bf16 to f32
        %2 = arith.addf %o, %1 : f32
        linalg.yield %2 : f32
      }
      linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%in, %sum, %w : memref<1x131072xbf16, strided<[131072, 1], offset: ?>>, memref<1xf32>, memref<131072xbf16>) outs(%out : memref<1x131072xbf16, strided<[131072, 1], offset: ?>>) {
      ^bb0(%a: bf16, %s: f32, %b: bf16, %o: bf16):
        %1 = arith.extf %a : bf16 to f32
        %2 = arith.extf %b : bf16 to f32
        %3 = arith.mulf %1, %s : f32
        %4 = arith.mulf %3, %2 : f32
        %5 = arith.truncf %4 : f32 to bf16
        linalg.yield %5 : bf16
      }
      gpu.return
    }
  }
}
