// f32 in tile registers: queries, keys, values and powers in parts, and products
// of the numbers themselves where one of the block is too large.
// RUN: aik-opt %s --aik-lower-attention | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4+amx-tile+amx-bf16", arch = "x86_64", features = "+avx512f,+amx-tile,+amx-bf16", vector_bits = 512>} {
  // CHECK-LABEL: func.func private @aik$attention0(
  // Two steps of 32 features are seven.
  // CHECK: %[[Q:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x12x112x32x2xbf16>
  // CHECK: %[[K:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x4x7x32x32xbf16>
  // CHECK: %[[V:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x2x13x32x32xbf16>
  // Three parts of two strips.
  // CHECK: %[[POWERS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<384x64xbf16>
  // CHECK: aikernel.pack_panels %{{.*}} outs %[[Q]] {{{.*}}parts = 3 : i64
  // CHECK: aikernel.pack_panels %{{.*}} outs %[[K]] {{{.*}}parts = 3 : i64
  // CHECK: aikernel.pack_panels %{{.*}} outs %[[V]] {{{.*}}parts = 3 : i64
  // CHECK-COUNT-3: vector.reduction <maxui>
  // The first strip's keys: work is none yet.
  // CHECK: scf.if
  // CHECK: math.fma
  // CHECK: } else {
  // CHECK: scf.for {{.*}} -> (!llvm.x86_amx, !llvm.x86_amx) {
  // Keys of each part once; queries as often as another part or tile follows.
  // CHECK: tileloaddt164
  // CHECK-COUNT-2: tileloadd64
  // CHECK: tileloaddt164
  // CHECK-NOT: tileloadd64
  // CHECK: tdpbf16ps
  // CHECK-COUNT-3: tileloadd64
  // CHECK: tileloaddt164
  // CHECK-NOT: tileloadd64
  // CHECK: tdpbf16ps
  // CHECK-COUNT-5: tileloadd64
  // CHECK-COUNT-2: tilestored64
  // Powers beside values are taken apart.
  // CHECK: scf.for {{.*}} -> (!llvm.x86_amx, !llvm.x86_amx, vector<16xf32>, vector<16xf32>) {
  // CHECK: tdpbf16ps
  // CHECK-COUNT-3: vector.store %{{.*}}, %[[POWERS]]
  // CHECK: tdpbf16ps
  func.func @parts(%q: memref<1x1x500x64xf32>, %k: memref<1x1x500x64xf32>, %v: memref<1x1x500x64xf32>, %scale: f32, %acc: memref<1x1x500x64xf32>, %max: memref<1x1x500xf32>, %sum: memref<1x1x500xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {instruction = "tdpbf16ps.f32"} : (memref<1x1x500x64xf32>, memref<1x1x500x64xf32>, memref<1x1x500x64xf32>, f32, index, index, index, memref<1x1x500x64xf32>, memref<1x1x500xf32>, memref<1x1x500xf32>) -> ()
    return
  }
}
