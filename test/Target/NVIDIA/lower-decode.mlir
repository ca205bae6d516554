// What one thread does of a part of attention.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-lower-decode))' --split-input-file | FileCheck %s

gpu.module @device {
  // CHECK-LABEL: gpu.func @decode
  // CHECK-SAME: %[[COUNTERS:[^:]*]]: memref<8xi64>
  // CHECK-SAME: aikernel.hot
  // The word of this head's arrivals is asked for first.
  // CHECK: memref.extract_aligned_pointer_as_index %[[COUNTERS]]
  // CHECK: %[[COUNTER:.*]] = llvm.inttoptr
  // CHECK: %[[FOUND:.*]] = llvm.load %[[COUNTER]] atomic syncscope("device") monotonic {alignment = 8 : i64} : !llvm.ptr<1> -> i64
  // Queries once, then keys and values in vectors of 16 bytes, a step ahead.
  // CHECK-COUNT-2: vector.load {{.*}} {alignment = 16 : i64} : memref<1x4x1x64xbf16>, vector<8xbf16>
  // CHECK-COUNT-8: vector.load {{.*}} {alignment = 16 : i64} : memref<1x1x4096x64xbf16>, vector<8xbf16>
  // While they are on their way, one thread makes the word a counter if it is none.
  // CHECK: scf.if
  // CHECK: %[[MARK:.*]] = arith.shrui %[[FOUND]],
  // CHECK: %[[HAS_NONE:.*]] = arith.cmpi ne, %[[MARK]],
  // CHECK: scf.if %[[HAS_NONE]]
  // CHECK: llvm.cmpxchg %[[COUNTER]], %[[FOUND]], %{{.*}} syncscope("device") monotonic monotonic
  // CHECK: scf.for
  // CHECK-COUNT-8: vector.load {{.*}} {alignment = 16 : i64} : memref<1x1x4096x64xbf16>, vector<8xbf16>
  // Sixteen keys times 64 features: four products for each half of them.
  // CHECK-COUNT-8: nvvm.mma.sync
  // CHECK: nvvm.vote.sync any
  // CHECK: math.exp2
  // CHECK: arith.truncf {{.*}} : vector<2xf32> to vector<2xbf16>
  // CHECK: nvvm.prmt
  // CHECK-COUNT-4: nvvm.mma.sync
  // Warps, each for each, then parts.
  // CHECK: gpu.barrier
  // CHECK-COUNT-8: vector.store {{.*}} {alignment = 8 : i64} : memref<8x8x32x2xf32, {{.*}}>, vector<2xf32>
  // CHECK: gpu.barrier
  // CHECK-COUNT-8: vector.load {{.*}} {alignment = 8 : i64} : memref<8x8x32x2xf32, {{.*}}>, vector<2xf32>
  // CHECK: gpu.barrier
  // CHECK: llvm.fence syncscope("device") acq_rel
  // CHECK: llvm.atomicrmw add %[[COUNTER]], {{.*}} syncscope("device") monotonic
  // CHECK: llvm.fence syncscope("device") acq_rel
  // The last block leaves a counter that has counted nobody.
  // CHECK: llvm.store %{{.*}}, %[[COUNTER]] atomic syncscope("device") monotonic {alignment = 8 : i64} : i64, !llvm.ptr<1>
  // CHECK-NOT: aikernel.attention_part
  // CHECK: gpu.return
  gpu.func @decode(%q: memref<1x4x1x64xbf16>, %k: memref<1x1x4096x64xbf16>, %v: memref<1x1x4096x64xbf16>, %accs: memref<8x16x4x64xf32>, %maxs: memref<8x16x4xf32>, %sums: memref<8x16x4xf32>, %counters: memref<8xi64>, %acc: memref<1x4x1x64xf32>, %max: memref<1x4x1xf32>, %sum: memref<1x4x1xf32>, %first: index, %past: index, %h: index, %p: index, %used: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = arith.constant 0.125 : f32
    %done = aikernel.attention_part %q, %k, %v scale %s keys %first to %past head %h part %p of %used parts %accs, %maxs, %sums, %counters outs %acc, %max, %sum {aligned} : (memref<1x4x1x64xbf16>, memref<1x1x4096x64xbf16>, memref<1x1x4096x64xbf16>, f32, index, index, index, index, index, memref<8x16x4x64xf32>, memref<8x16x4xf32>, memref<8x16x4xf32>, memref<8xi64>, memref<1x4x1x64xf32>, memref<1x4x1xf32>, memref<1x4x1xf32>) -> i1
    gpu.return
  }
}

// -----

gpu.module @device {
  // Twelve rows are two sets, and the only part of a head needs no counter: it
  // is added to what the outputs hold.
  // Rows that may begin anywhere are loaded as LLVM likes.
  // CHECK-LABEL: gpu.func @two_sets
  // CHECK: vector.load {{.*}} {alignment = 2 : i64} : memref<1x6x2x16xf16>, vector<4xf16>
  // CHECK: nvvm.mma.sync {{.*}} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  // Keys that only one of the two queries sees: one query after the other.
  // CHECK: scf.for %{{.*}} = %c0{{.*}} to %c2
  // CHECK-NOT: memref<8x1x12
  // CHECK: memref.load %{{.*}} : memref<1x6x2xf32>
  // CHECK-COUNT-2: memref.store %{{.*}} : memref<1x6x2xf32>
  // CHECK-COUNT-2: memref.store %{{.*}} : memref<2x12xf32
  // CHECK-NOT: memref<8x1x12
  // CHECK: %[[BEFORE:.*]] = vector.load %{{.*}} : memref<1x6x2x16xf32>, vector<2xf32>
  // CHECK: %[[SUM:.*]] = vector.fma
  // CHECK: vector.store %[[SUM]], %{{.*}} : memref<1x6x2x16xf32>, vector<2xf32>
  // CHECK-NOT: memref<8x1x12
  // CHECK-NOT: llvm.atomicrmw
  // CHECK: gpu.return
  gpu.func @two_sets(%q: memref<1x6x2x16xf16>, %k: memref<1x1x64x16xf16>, %v: memref<1x1x64x16xf16>, %end: memref<1x2xi32>, %accs: memref<8x1x12x16xf32>, %maxs: memref<8x1x12xf32>, %sums: memref<8x1x12xf32>, %acc: memref<1x6x2x16xf32>, %max: memref<1x6x2xf32>, %sum: memref<1x6x2xf32>, %first: index, %past: index, %h: index, %p: index, %used: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = arith.constant 0.25 : f32
    %done = aikernel.attention_part %q, %k, %v end %end scale %s keys %first to %past head %h part %p of %used parts %accs, %maxs, %sums outs %acc, %max, %sum : (memref<1x6x2x16xf16>, memref<1x1x64x16xf16>, memref<1x1x64x16xf16>, memref<1x2xi32>, f32, index, index, index, index, index, memref<8x1x12x16xf32>, memref<8x1x12xf32>, memref<8x1x12xf32>, memref<1x6x2x16xf32>, memref<1x6x2xf32>, memref<1x6x2xf32>) -> i1
    gpu.return
  }
}

// -----

gpu.module @device {
  // A quotient that is rounded afterwards is an approximation, others are not.
  // CHECK-LABEL: gpu.func @quotients
  // CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<afn> : f32
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  // CHECK: gpu.return
  gpu.func @quotients(%q: memref<1x4x1x64xbf16>, %k: memref<1x1x4096x64xbf16>, %v: memref<1x1x4096x64xbf16>, %accs: memref<8x1x4x64xf32>, %maxs: memref<8x1x4xf32>, %sums: memref<8x1x4xf32>, %acc: memref<1x4x1x64xf32>, %max: memref<1x4x1xf32>, %sum: memref<1x4x1xf32>, %h: index, %narrow: memref<bf16>, %wide: memref<f32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = arith.constant 0.125 : f32
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4096 = arith.constant 4096 : index
    %done = aikernel.attention_part %q, %k, %v scale %s keys %c0 to %c4096 head %h part %c0 of %c1 parts %accs, %maxs, %sums outs %acc, %max, %sum {aligned} : (memref<1x4x1x64xbf16>, memref<1x1x4096x64xbf16>, memref<1x1x4096x64xbf16>, f32, index, index, index, index, index, memref<8x1x4x64xf32>, memref<8x1x4xf32>, memref<8x1x4xf32>, memref<1x4x1x64xf32>, memref<1x4x1xf32>, memref<1x4x1xf32>) -> i1
    %x = memref.load %acc[%c0, %c0, %c0, %c0] : memref<1x4x1x64xf32>
    %y = memref.load %sum[%c0, %c0, %c0] : memref<1x4x1xf32>
    %rounded = arith.divf %x, %y : f32
    %chosen = arith.select %done, %rounded, %zero : f32
    %bf16 = arith.truncf %chosen : f32 to bf16
    memref.store %bf16, %narrow[] : memref<bf16>
    %exact = arith.divf %y, %x : f32
    %both = arith.truncf %exact : f32 to bf16
    memref.store %both, %narrow[] : memref<bf16>
    memref.store %exact, %wide[] : memref<f32>
    gpu.return
  }
}
