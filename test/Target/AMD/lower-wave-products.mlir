// What threads do is right (emulated in numpy, with the lanes of MFMA and WMMA
// as in AMD's manuals of CDNA 3 and RDNA 3), for every layout and at all edges.
// RUN: sed -e s/TARGET/amd:gfx942/ -e s/STAGES/2/ %S/../GPU/Inputs/products.mlir | aik-opt --pass-pipeline='builtin.module(gpu.module(aik-lower-wave-products))' --mlir-print-op-generic -o %t.942
// RUN: %python %S/../GPU/Inputs/emulate_products.py %t.942 64 100 | FileCheck %s --check-prefix=RESULT
// RUN: sed -e s/TARGET/amd:gfx1100/ -e s/STAGES/2/ %S/../GPU/Inputs/products.mlir | aik-opt --pass-pipeline='builtin.module(gpu.module(aik-lower-wave-products))' --mlir-print-op-generic -o %t.1100
// RUN: %python %S/../GPU/Inputs/emulate_products.py %t.1100 32 100 | FileCheck %s --check-prefix=RESULT
// RESULT: nt: 0 of 20000 wrong, 0 bytes outside
// RESULT: nn: 0 of 42432 wrong, 0 bytes outside
// RESULT: tn: 0 of 35904 wrong, 0 bytes outside
// RESULT: tt: 0 of 7296 wrong, 0 bytes outside

// RUN: sed s/TARGET/amd:gfx942/ %s | aik-opt --pass-pipeline='builtin.module(gpu.module(aik-lower-wave-products))' | FileCheck %s --check-prefixes=CHECK,MFMA
// RUN: sed s/TARGET/amd:gfx1100/ %s | aik-opt --pass-pipeline='builtin.module(gpu.module(aik-lower-wave-products))' | FileCheck %s --check-prefixes=CHECK,WMMA

module attributes {aikernel.target = #aikernel.target<"TARGET", arch = "amdgcn", features = "", vector_bits = 128>} {
// CHECK: llvm.mlir.global internal @product_tiles() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<32768 x i8>
// CHECK-LABEL: gpu.func @product
// Two chunks per thread and operand.
// CHECK: scf.for
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xi16>
// CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<8xi16>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: scf.for
// The next ones are on their way while these are multiplied.
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<8xi16>
// MFMA-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<8xi16>
// MFMA-COUNT-32: rocdl.mfma.f32.16x16x16bf16.1k
// WMMA-COUNT-24: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<8xi16>
// WMMA-COUNT-16: rocdl.wmma.f32.16x16x16.bf16
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<8xi16>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: scf.yield
// CHECK-NOT: aik_tile
gpu.module @device {
  gpu.func @product(%x: memref<4096x4096xbf16>, %w: memref<4096x4096xbf16>, %y: memref<4096x4096xf32>, %rows: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    aik_tile.product %x, %w outs %y rows %rows attributes {extra_maps = [], rhs_transposed, schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 32, stages = 2, boxes = 0, cluster = 1, warpgroups = 2, registers = 0, load_registers = 0, blocks = 1073741824, group = 8>} {
    ^bb0(%sum: f32):
      aik_tile.yield %sum : f32
    } : (memref<4096x4096xbf16>, memref<4096x4096xbf16>, memref<4096x4096xf32>)
    gpu.return
  }
}
}
