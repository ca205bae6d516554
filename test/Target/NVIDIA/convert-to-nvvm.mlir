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
}
