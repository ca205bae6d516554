// Attention in tile registers. Whole panels of keys are read where they lie, if
// no row is in two lines of the cache; and both products go beside the powers of
// a strip: the values of the one before, and the keys of the next, whose scores
// take the place of those that have been read.
// RUN: aik-opt %s --aik-lower-attention | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4+avx512bf16+amx-tile+amx-bf16", arch = "x86_64", features = "+avx512f,+avx512bf16,+amx-tile,+amx-bf16", vector_bits = 512>} {
  // CHECK-LABEL: func.func private @aik$attention0(
  // CHECK-SAME: %{{[^:]*}}: {{[^%]*}} %[[KEYS:[^:]*]]: memref<
  // CHECK: memref.alloca() {alignment = 64 : i64} : memref<1x12x32x32x2xbf16>
  // CHECK: %[[K:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x8x2x32x32xbf16>
  // CHECK: %[[SCORES:.*]] = memref.alloca() {alignment = 64 : i64} : memref<256x32xf32>
  // Powers of two strips.
  // CHECK: %[[POWERS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<256x64xbf16>

  // CHECK: memref.extract_aligned_pointer_as_index %[[KEYS]]
  // CHECK: %[[START:.*]] = arith.remui %{{.*}}, %c64
  // CHECK: %[[STRIDE:.*]] = arith.remui %{{.*}}, %c64
  // CHECK: arith.ori %[[START]], %[[STRIDE]]
  // CHECK: scf.if %[[INPLACE:.*]] {
  // CHECK-NEXT: } else {
  // CHECK: aikernel.pack_panels %{{.*}} outs %[[K]]
  // CHECK: }
  // CHECK: arith.select %[[INPLACE]], %{{.*}}, %c64

  // The first strip has no powers before it.
  // CHECK: scf.for {{.*}} -> (!llvm.x86_amx, !llvm.x86_amx) {
  // CHECK-NOT: vector.store
  // CHECK-COUNT-2: tilestored64

  // Values of the strip before, alone if the keys of this one are too few.
  // CHECK: scf.for {{.*}} -> (!llvm.x86_amx, !llvm.x86_amx) {
  // CHECK-COUNT-2: tilestored64
  // CHECK: } else {
  // CHECK: scf.for {{.*}} -> (!llvm.x86_amx, !llvm.x86_amx, vector<16xf32>, vector<16xf32>) {
  // CHECK: tdpbf16ps
  // CHECK: vector.load %[[SCORES]]
  // CHECK: vector.store %{{.*}}, %[[POWERS]]
  // CHECK: tdpbf16ps
  // CHECK: vector.store %{{.*}}, %[[POWERS]]
  // CHECK: scf.yield {{.*}} !llvm.x86_amx, vector<16xf32>, vector<16xf32>
  // CHECK-COUNT-2: tilestored64

  // Keys of the next.
  // CHECK: scf.for {{.*}} -> (!llvm.x86_amx, !llvm.x86_amx, vector<16xf32>, vector<16xf32>) {
  // CHECK: tdpbf16ps
  // CHECK: vector.load %[[SCORES]]
  // CHECK: vector.store %{{.*}}, %[[POWERS]]
  // CHECK: tdpbf16ps
  // CHECK: vector.store %{{.*}}, %[[POWERS]]
  // CHECK: scf.yield {{.*}} !llvm.x86_amx, vector<16xf32>, vector<16xf32>
  // CHECK: extract_aligned_pointer_as_index %[[SCORES]]
  // CHECK-COUNT-2: tilestored64
  func.func @tiles(%q: memref<1x1x500x64xbf16>, %k: memref<1x1x500x64xbf16>, %v: memref<1x1x500x64xbf16>, %end: memref<1x500xi32>, %scale: f32, %acc: memref<1x1x500x64xf32>, %max: memref<1x1x500xf32>, %sum: memref<1x1x500xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    aikernel.online_attention %q, %k, %v end %end scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {instruction = "tdpbf16ps"} : (memref<1x1x500x64xbf16>, memref<1x1x500x64xbf16>, memref<1x1x500x64xbf16>, memref<1x500xi32>, f32, index, index, index, memref<1x1x500x64xf32>, memref<1x1x500xf32>, memref<1x1x500xf32>) -> ()
    return
  }

  // Steps that are not whole are packed and filled with zeros.
  // CHECK-LABEL: func.func private @aik$attention1(
  // CHECK-NOT: scf.if
  // CHECK: aikernel.pack_panels %{{.*}} outs %{{.*}} memref<1x8x2x32x32xbf16>
  func.func @ragged(%q: memref<1x1x500x40xbf16>, %k: memref<1x1x500x40xbf16>, %v: memref<1x1x500x64xbf16>, %scale: f32, %acc: memref<1x1x500x64xf32>, %max: memref<1x1x500xf32>, %sum: memref<1x1x500xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {instruction = "tdpbf16ps"} : (memref<1x1x500x40xbf16>, memref<1x1x500x40xbf16>, memref<1x1x500x64xbf16>, f32, index, index, index, memref<1x1x500x64xf32>, memref<1x1x500xf32>, memref<1x1x500xf32>) -> ()
    return
  }
}
