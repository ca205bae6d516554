// What threads do is right (emulated in numpy, with the lanes of ldmatrix and
// mma.sync as in the PTX manual), for every layout and at all edges.
// RUN: sed -e s/TARGET/nvidia:sm_80/ -e s/STAGES/4/ %S/../GPU/Inputs/products.mlir | aik-opt --pass-pipeline='builtin.module(gpu.module(aik-lower-warp-products))' --mlir-print-op-generic -o %t
// RUN: %python %S/../GPU/Inputs/emulate_products.py %t 32 100 | FileCheck %s --check-prefix=RESULT
// RESULT: nt: 0 of 20000 wrong, 0 bytes outside
// RESULT: nn: 0 of 42432 wrong, 0 bytes outside
// RESULT: tn: 0 of 35904 wrong, 0 bytes outside
// RESULT: tt: 0 of 7296 wrong, 0 bytes outside
// RUN: sed -e s/TARGET/nvidia:sm_80/ -e s/STAGES/2/ %S/../GPU/Inputs/products.mlir | aik-opt --pass-pipeline='builtin.module(gpu.module(aik-lower-warp-products))' --mlir-print-op-generic -o %t
// RUN: %python %S/../GPU/Inputs/emulate_products.py %t 32 100 | FileCheck %s --check-prefix=RESULT

// RUN: aik-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(aik-lower-warp-products))' | FileCheck %s

// CHECK: llvm.mlir.global external @aik_shared() {addr_space = 3 : i32
// CHECK-LABEL: gpu.func @product
// CHECK-SAME: aikernel.shared_bytes = 65536 : i32
// Three stages of four chunks per thread and operand, each with its own group.
// CHECK: scf.for
// CHECK-COUNT-8: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-16: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 2
// CHECK-NEXT: gpu.barrier
// Four blocks of rows, four of columns; lines of the right operand go along its
// rows, so it is turned.
// CHECK-COUNT-4: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4
// CHECK-COUNT-4: nvvm.ldmatrix %{{.*}} layout = #nvvm.mma_layout<col>
// CHECK: scf.for
// CHECK-COUNT-8: nvvm.ldmatrix
// CHECK-COUNT-32: nvvm.mma.sync
// CHECK-COUNT-8: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 2
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-8: nvvm.ldmatrix
// CHECK-COUNT-32: nvvm.mma.sync
// CHECK: scf.yield
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NOT: aik_tile
gpu.module @device {
  gpu.func @product(%x: memref<4096x4096xbf16>, %w: memref<4096x4096xbf16>, %y: memref<4096x4096xf32>, %rows: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    aik_tile.product %x, %w outs %y rows %rows attributes {extra_maps = [], schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 32, stages = 4, boxes = 0, cluster = 1, warpgroups = 1, registers = 0, load_registers = 0, blocks = 1073741824, group = 8>} {
    ^bb0(%sum: f32):
      aik_tile.yield %sum : f32
    } : (memref<4096x4096xbf16>, memref<4096x4096xbf16>, memref<4096x4096xf32>)
    gpu.return
  }
}

// -----

gpu.module @device {
  gpu.func @uneven(%x: memref<64x64xbf16>, %w: memref<64x64xbf16>, %y: memref<64x64xf32>, %rows: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @below {{has a schedule that does not divide its tile among the threads of a block}}
    aik_tile.product %x, %w outs %y rows %rows attributes {extra_maps = [], schedule = #aik_tile.schedule<rows = 64, columns = 40, depth = 32, stages = 4, boxes = 0, cluster = 1, warpgroups = 1, registers = 0, load_registers = 0, blocks = 8, group = 8>} {
    ^bb0(%sum: f32):
      aik_tile.yield %sum : f32
    } : (memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xf32>)
    gpu.return
  }
}
