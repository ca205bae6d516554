// Kernels in one conversion; what is a thread's own is in its address space, and
// they may have as many threads as they are launched with.
// RUN: aik-opt %s --pass-pipeline='builtin.module(builtin.module(gpu.module(aik-convert-to-rocdl)))' | FileCheck %s

module {
module attributes {aikernel.target = #aikernel.target<"amd:gfx942", arch = "amdgcn", features = "", vector_bits = 128>} {
  gpu.module @device {
    // CHECK: llvm.func @exp(f64) -> f64
    // CHECK: llvm.func @f(
    // CHECK-SAME: rocdl.flat_work_group_size = "512,512", rocdl.kernel
    // CHECK: %[[ROOM:.*]] = llvm.alloca %{{.*}} x i32 : (i64) -> !llvm.ptr<5>
    // CHECK: llvm.addrspacecast %[[ROOM]] : !llvm.ptr<5> to !llvm.ptr
    // CHECK: rocdl.workitem.id.x
    // CHECK: llvm.call @exp
    // CHECK: rocdl.ds_bpermute
    // CHECK-NOT: unrealized
    gpu.func @f(%x: memref<?xf64>) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
      %one = llvm.mlir.constant(1 : i64) : i64
      %room = llvm.alloca %one x i32 : (i64) -> !llvm.ptr
      %t = gpu.thread_id x
      %v = memref.load %x[%t] : memref<?xf64>
      %e = math.exp %v : f64
      %n = arith.truncf %e : f64 to f32
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      %other, %valid = gpu.shuffle xor %n, %c1, %c32 : f32
      %bits = arith.bitcast %other : f32 to i32
      llvm.store %bits, %room : i32, !llvm.ptr
      %w = arith.extf %other : f32 to f64
      memref.store %w, %x[%t] : memref<?xf64>
      gpu.return
    }
  }
}
}
