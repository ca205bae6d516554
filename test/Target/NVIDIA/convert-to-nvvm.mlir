// Kernels in one conversion, with our own functions for what has no
// instruction.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-convert-to-nvvm))' | FileCheck %s

gpu.module @device {
  // CHECK: llvm.func @exp(f64) -> f64
  // CHECK: llvm.func @f(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.maxntid = array<i32: 256, 1, 1>
  // CHECK: nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.call @exp
  // CHECK: llvm.intr.sqrt
  // CHECK: nvvm.barrier0
  // CHECK: nvvm.shfl.sync bfly
  // CHECK-NOT: __nv
  // CHECK-NOT: unrealized
  gpu.func @f(%x: memref<?xf64>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf64>
    %e = math.exp %v : f64
    %s = math.sqrt %e : f64
    gpu.barrier
    %n = arith.truncf %s : f64 to f32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %other, %valid = gpu.shuffle xor %n, %c1, %c32 : f32
    %least = arith.minnumf %n, %other : f32
    %w = arith.extf %least : f32 to f64
    memref.store %w, %x[%t] : memref<?xf64>
    gpu.return
  }

  // A tensor map is a parameter by value, of which the kernel has the address.
  // CHECK: llvm.func @g(%{{.*}}: i64, %[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
  // CHECK-NOT: map_arguments
  // CHECK: llvm.load volatile %[[MAP]]
  gpu.func @g(%x: i64, %map: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, aikernel.map_arguments = array<i32: 1>} {
    %v = llvm.load volatile %map : !llvm.ptr -> i64
    gpu.return
  }
}
