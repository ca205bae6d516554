// A launch is words on the stack and a call; tables tell the runtime the rest.
// RUN: aik-opt %s --aik-lower-launches | FileCheck %s

module attributes {gpu.container_module} {
  // Checks report into the status word, and nothing is done once it is set.
  // CHECK: gpu.func @f_0(%[[S:.*]]: i64, %{{.*}}: memref<?xi32>, %{{.*}}: i64, %[[BLOCKS:.*]]: index)
  // CHECK: %[[P:.*]] = llvm.inttoptr %[[S]]
  // CHECK: %[[EARLIER:.*]] = llvm.load %[[P]] : !llvm.ptr -> i32
  // CHECK: aikernel.propagate %[[EARLIER]]
  // CHECK: memref.store %{{.*}}, %{{.*}}[%[[BLOCKS]]]
  // CHECK: aikernel.check %{{.*}}, 34, "negative" env %[[P]] : !llvm.ptr {aikernel.check_number = 1 : i32}
  gpu.module @device {
    gpu.func @f_0(%x: memref<?xi32>, %w: i64) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %v = memref.load %x[%c0] : memref<?xi32>
      %ok = arith.cmpi sge, %v, %zero : i32
      // The number of blocks is the last parameter.
      %blocks = gpu.grid_dim x
      memref.store %v, %x[%blocks] : memref<?xi32>
      aikernel.check %ok, 34, "negative"
      gpu.return
    }
  }
  func.func private @f_0$twin(%x: memref<?xi32>, %w: i64) {
    return
  }
  // CHECK: llvm.func internal @f_0$entry(%{{.*}}: i64, %[[W:.*]]: !llvm.ptr)
  // CHECK-COUNT-8: llvm.load
  // CHECK: call @f_0$twin

  // The status, five words of the memref, the number, the blocks.
  // CHECK-LABEL: func.func @f(
  // CHECK: %[[WORDS:.*]] = llvm.alloca %{{.*}} x !llvm.array<8 x i64>
  // CHECK-COUNT-8: llvm.store
  // CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %[[WORDS]]) : !llvm.ptr, (!llvm.ptr, i32, i64, !llvm.ptr) -> i32
  // CHECK: aikernel.propagate
  // CHECK-NOT: gpu.launch_func
  func.func @f(%x: memref<?xi32>, %n: index, %w: i64) attributes {aikernel.entry = "run"} {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    gpu.launch_func @device::@f_0 blocks in (%n, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : memref<?xi32>, %w : i64)
    return
  }

  // CHECK: llvm.mlir.global external constant @aik$kernels()
  // CHECK: llvm.mlir.addressof @f_0$entry
  // CHECK: llvm.mlir.global external constant @aik$checks()
}
