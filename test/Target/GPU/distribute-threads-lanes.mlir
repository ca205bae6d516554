// A quantized product of 4096 elements a row has four warps for four rows, and
// two such teams in a block. A lane loads a unit of each row; x stays in
// registers, and the loop has no barrier.
// RUN: aik-opt %s --pass-pipeline="builtin.module(gpu.module(aik-distribute-threads))" --split-input-file | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  gpu.module @device {
    // CHECK-LABEL: gpu.func @nibbles(
    // CHECK-SAME: %[[C:[a-z0-9]*]]: memref<20x4x1x128x4xi32>, %[[S:[a-z0-9]*]]: memref<20x128x2xi32>, %[[X:[a-z0-9]*]]: memref<4096xf32>
    // CHECK-SAME: workgroup(%[[SUMS:[a-z0-9]*]] : memref<1x512x4xf32, #gpu.address_space<workgroup>>
    // CHECK-COUNT-8: vector.load %[[X]]{{.*}} {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
    // Two groups are on their way before x is looked at.
    // CHECK-COUNT-4: vector.load %[[C]]{{.*}} {alignment = 16 : i64} : memref<20x4x1x128x4xi32>, vector<4xi32>
    // CHECK: vector.load %[[S]]{{.*}} {alignment = 8 : i64} : memref<20x128x2xi32>, vector<2xi32>
    // CHECK-COUNT-4: vector.load %[[C]]
    // CHECK: vector.load %[[S]]
    // CHECK: arith.maximumf
    // CHECK: scf.for
    // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
    // CHECK-NOT: gpu.barrier
    // CHECK-COUNT-32: llvm.call_intrinsic "llvm.nvvm.idp4a.s.s"
    // CHECK-COUNT-4: vector.load %[[C]]
    // CHECK: vector.load %[[S]]
    // CHECK-COUNT-6: gpu.shuffle xor
    // CHECK: memref.store %{{.*}}, %[[SUMS]]
    // CHECK-COUNT-32: llvm.call_intrinsic "llvm.nvvm.idp4a.s.s"
    // CHECK-NOT: gpu.barrier
    // CHECK: scf.yield
    // CHECK: gpu.barrier
    // CHECK-COUNT-4: memref.load %[[SUMS]]
    gpu.func @nibbles(%c: memref<20x4x1x128x4xi32>, %s: memref<20x128x2xi32>, %x: memref<4096xf32>, %o: memref<80xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      aikernel.lane_product %c scales %s, %x outs %o {format = #aikernel.quant<q4_0>} : (memref<20x4x1x128x4xi32>, memref<20x128x2xi32>, memref<4096xf32>, memref<80xf32>) -> ()
      gpu.return
    }
  }
}

// -----

// The eight lanes of a block add up integers; each loads one scale. Elsewhere
// the instruction has another name.
module attributes {aikernel.target = #aikernel.target<"amd:gfx942", arch = "amdgcn", features = "", vector_bits = 128>} {
  gpu.module @device {
    // CHECK-LABEL: gpu.func @long_blocks(
    // CHECK-SAME: %[[D:[a-z0-9]*]]: memref<20x4x4xi32>, %[[X:[a-z0-9]*]]: memref<1024xbf16>
    // CHECK-COUNT-4: vector.load %[[X]]{{.*}} vector<8xbf16>
    // CHECK: memref.load %[[D]]
    // CHECK-COUNT-3: gpu.shuffle xor %{{.*}} : f32
    // CHECK: scf.for
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.sdot4"
    // CHECK-COUNT-8: gpu.shuffle xor %{{.*}} : i32
    // CHECK-COUNT-2: gpu.shuffle xor %{{.*}} : f32
    // CHECK-NOT: gpu.shuffle
    // CHECK: memref.store
    gpu.func @long_blocks(%c: memref<20x4x1x32x4xi32>, %b: memref<20x32x2xi32>, %d: memref<20x4x4xi32>, %x: memref<1024xbf16>, %o: memref<80xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      aikernel.lane_product %c small %b scales %d, %x outs %o {format = #aikernel.quant<q4_k>} : (memref<20x4x1x32x4xi32>, memref<20x32x2xi32>, memref<20x4x4xi32>, memref<1024xbf16>, memref<80xf32>) -> ()
      gpu.return
    }
  }
}
