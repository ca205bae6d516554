// What a kernel says about its launches goes into the tables of Entry.h, and
// tensor maps are described in words that the runtime replaces.
// RUN: aik-opt %s --split-input-file --verify-diagnostics --aik-lower-launches | FileCheck %s

module attributes {gpu.container_module} {
  // The map is by value, and the number of blocks comes last, asked for or not.
  // CHECK: gpu.func @f_0(%{{.*}}: i64, %[[MAP:.*]]: !llvm.ptr, %{{.*}}: index)
  // CHECK-SAME: aikernel.map_arguments = array<i32: 1>
  // CHECK-NOT: aikernel.tensor_maps
  // CHECK: llvm.load %[[MAP]] : !llvm.ptr -> i64
  gpu.module @device {
    gpu.func @f_0(%w: i64, %x: memref<?x64xbf16, strided<[?, 1], offset: ?>>) kernel
        attributes {known_block_size = array<i32: 384, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>,
                    aikernel.shared_bytes = 230400 : i32, aikernel.overlaps, aikernel.resident,
                    aikernel.tensor_maps = [{argument = 1 : i32, box = array<i32: 64, 128>, swizzle = 128 : i32, promotion = 256 : i32}]} {
      %map = builtin.unrealized_conversion_cast %x : memref<?x64xbf16, strided<[?, 1], offset: ?>> to !llvm.ptr
      %v = llvm.load %map : !llvm.ptr -> i64
      gpu.return
    }
  }
  func.func private @f_0$twin(%w: i64, %x: memref<?x64xbf16, strided<[?, 1], offset: ?>>) {
    return
  }
  // The twin has a memref of the same words.
  // CHECK: llvm.func internal @f_0$entry(%{{.*}}: i64, %[[W:.*]]: !llvm.ptr)
  // CHECK: llvm.getelementptr %[[W]][1]
  // CHECK: llvm.sdiv
  // CHECK: call @f_0$twin

  // One word, sixteen of the map, and the blocks.
  // CHECK-LABEL: func.func @f(
  // CHECK: %[[WORDS:.*]] = llvm.alloca %{{.*}} x !llvm.array<18 x i64>
  // CHECK: llvm.getelementptr %[[WORDS]][0]
  // CHECK: %[[START:.*]] = llvm.ptrtoint
  // CHECK: %[[AT:.*]] = llvm.add %[[START]]
  // CHECK: %[[WORD:.*]] = llvm.getelementptr %[[WORDS]][1]
  // CHECK-NEXT: llvm.store %[[AT]], %[[WORD]]
  // CHECK-COUNT-15: llvm.store
  // CHECK: llvm.getelementptr %[[WORDS]][17]
  func.func @f(%x: memref<?x64xbf16, strided<[?, 1], offset: ?>>, %n: index, %w: i64) attributes {aikernel.entry = "run"} {
    %c1 = arith.constant 1 : index
    %c384 = arith.constant 384 : index
    gpu.launch_func @device::@f_0 blocks in (%n, %c1, %c1) threads in (%c384, %c1, %c1) args(%w : i64, %x : memref<?x64xbf16, strided<[?, 1], offset: ?>>)
    return
  }
  // Threads, cluster, shared bytes, words, flags 2 | 4 | 8.
  // CHECK: llvm.mlir.global external constant @aik$kernels()
  // CHECK: llvm.mlir.constant(384 : i32)
  // CHECK-NEXT: llvm.mlir.constant(2 : i32)
  // CHECK-NEXT: llvm.mlir.constant(230400 : i32)
  // CHECK-NEXT: llvm.mlir.constant(18 : i32)
  // CHECK-NEXT: llvm.mlir.constant(14 : i32)
  // Parameter, bf16, rank, swizzle, promotion, the box.
  // CHECK: llvm.mlir.global external constant @aik$maps()
  // CHECK: llvm.mlir.constant(1 : i32)
  // CHECK-NEXT: llvm.mlir.constant(4 : i32)
  // CHECK-NEXT: llvm.mlir.constant(2 : i32)
  // CHECK-NEXT: llvm.mlir.constant(128 : i32)
  // CHECK-NEXT: llvm.mlir.constant(256 : i32)
  // CHECK-NEXT: llvm.mlir.constant(64 : i32)
  // CHECK-NEXT: llvm.mlir.constant(128 : i32)
  // CHECK-NEXT: llvm.mlir.constant(1 : i32)
}

// -----

module attributes {gpu.container_module} {
  gpu.module @device {
    // expected-error @+1 {{argument 0 cannot be a tensor map: the kernel uses it for more than its address}}
    gpu.func @f_0(%x: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>,
                    aikernel.tensor_maps = [{argument = 0 : i32, box = array<i32: 64>}]} {
      %c0 = arith.constant 0 : index
      %v = memref.load %x[%c0] : memref<64xf32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @device {
    // expected-error @+1 {{argument 0 cannot be a tensor map: its box has another rank}}
    gpu.func @f_0(%x: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>,
                    aikernel.tensor_maps = [{argument = 0 : i32, box = array<i32: 64, 1>}]} {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @device {
    // expected-error @+1 {{argument 0 cannot be a tensor map: elements of a row are not next to each other}}
    gpu.func @f_0(%x: memref<64x8xf32, strided<[1, 64]>>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>,
                    aikernel.tensor_maps = [{argument = 0 : i32, box = array<i32: 64, 1>}]} {
      gpu.return
    }
  }
}
