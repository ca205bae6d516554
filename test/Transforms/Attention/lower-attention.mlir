// Attention on memrefs becomes calls of a function that serves heads of all
// lengths.
// RUN: aik-opt %s --aik-lower-attention --split-input-file | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // Query head h reads key head (head_offset + h) / group.
  // CHECK-LABEL: func.func @tile(
  // CHECK-SAME: %[[OFFSET:[^:]*]]: index, %[[GROUP:[^:]*]]: index
  // CHECK: scf.for
  // CHECK: scf.for %[[H:.*]] =
  // CHECK: %[[SUM:.*]] = arith.addi %[[OFFSET]], %[[H]]
  // CHECK: arith.divui %[[SUM]], %[[GROUP]]
  // CHECK: call @aik$attention0(
  // CHECK-NOT: aikernel.online_attention
  func.func @tile(%head: index, %group: index, %q: memref<1x2x100x16xf32>, %k: memref<1x2x200x16xf32>, %v: memref<1x2x200x32xf32>, %end: memref<1x100xi32>, %scale: f32, %acc: memref<1x2x100x32xf32>, %max: memref<1x2x100xf32>, %sum: memref<1x2x100xf32>) {
    %c0 = arith.constant 0 : index
    aikernel.online_attention %q, %k, %v end %end scale %scale key_offset %c0 head_offset %head group %group outs %acc, %max, %sum {instruction = "fmla.f32"} : (memref<1x2x100x16xf32>, memref<1x2x200x16xf32>, memref<1x2x200x32xf32>, memref<1x100xi32>, f32, index, index, index, memref<1x2x100x32xf32>, memref<1x2x100xf32>, memref<1x2x100xf32>) -> ()
    return
  }

  // The same code for other lengths.
  // CHECK-LABEL: func.func @longer(
  // CHECK: call @aik$attention0(
  func.func @longer(%group: index, %q: memref<1x2x?x16xf32>, %k: memref<1x2x?x16xf32>, %v: memref<1x2x?x32xf32>, %end: memref<1x?xi32>, %scale: f32, %acc: memref<1x2x?x32xf32>, %max: memref<1x2x?xf32>, %sum: memref<1x2x?xf32>) {
    %c0 = arith.constant 0 : index
    aikernel.online_attention %q, %k, %v end %end scale %scale key_offset %c0 head_offset %c0 group %group outs %acc, %max, %sum {instruction = "fmla.f32"} : (memref<1x2x?x16xf32>, memref<1x2x?x16xf32>, memref<1x2x?x32xf32>, memref<1x?xi32>, f32, index, index, index, memref<1x2x?x32xf32>, memref<1x2x?xf32>, memref<1x2x?xf32>) -> ()
    return
  }

  // Chunks of 384 queries, blocks of 128 keys in panels of 8, strips of 24
  // queries in panels of 12; 32 features of V in panels of 16.
  // CHECK-LABEL: func.func private @aik$attention0(
  // CHECK-SAME: passthrough = ["noinline"]
  // CHECK: %[[Q:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x32x16x12x1xf32>
  // CHECK: %[[K:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x16x16x8x1xf32>
  // CHECK: %[[V:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x2x128x16x1xf32>
  // CHECK: %[[S:.*]] = memref.alloca() {alignment = 64 : i64} : memref<128x24xf32>
  // CHECK: scf.for
  // CHECK: aikernel.pack_panels %{{.*}} outs %[[Q]] {depth_dim = 1 : i64, panel_dim = 0 : i64}
  // CHECK: aikernel.pack_panels %{{.*}} outs %[[K]] {depth_dim = 1 : i64, panel_dim = 0 : i64}
  // CHECK: aikernel.pack_panels %{{.*}} outs %[[V]] {depth_dim = 0 : i64, panel_dim = 1 : i64}
  // Powers of a strip are one vector, sums of them six.
  // CHECK: %[[SHIFTS:.*]] = vector.insert_strided_slice %{{.*}} {offsets = [20], strides = [1]} : vector<4xf32> into vector<24xf32>
  // CHECK: vector.load %[[S]]{{.*}} vector<24xf32>
  // CHECK-NEXT: arith.subf %{{.*}}, %[[SHIFTS]] : vector<24xf32>
  // CHECK: vector.store %[[POWERS:[0-9]+]], %{{.*}} : memref<128x24xf32>, vector<24xf32>
  // CHECK-NEXT: %[[FIRST:.*]] = vector.extract_strided_slice %[[POWERS]] {offsets = [0], sizes = [4], strides = [1]}
  // CHECK-NEXT: arith.addf %{{.*}}, %[[FIRST]] : vector<4xf32>
  // CHECK: %[[LAST:.*]] = vector.extract_strided_slice %[[POWERS]] {offsets = [20], sizes = [4], strides = [1]}
  // CHECK-NEXT: arith.addf %{{.*}}, %[[LAST]] : vector<4xf32>
}

// -----

// Without aik-load-addends they are computed a register at a time.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  func.func @apart(%q: memref<1x1x500x16xf32>, %k: memref<1x1x500x16xf32>, %v: memref<1x1x500x16xf32>, %scale: f32, %acc: memref<1x1x500x16xf32>, %max: memref<1x1x500xf32>, %sum: memref<1x1x500xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {instruction = "vfmadd.f32.256"} : (memref<1x1x500x16xf32>, memref<1x1x500x16xf32>, memref<1x1x500x16xf32>, f32, index, index, index, memref<1x1x500x16xf32>, memref<1x1x500xf32>, memref<1x1x500xf32>) -> ()
    return
  }
  // CHECK-LABEL: func.func private @aik$attention0(
  // CHECK-NOT: vector.insert_strided_slice
  // CHECK: return
}

// -----

// As many queries for 128 features: keys and values are packed for each chunk.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  func.func @wide(%q: memref<1x1x500x128xf32>, %k: memref<1x1x500x128xf32>, %v: memref<1x1x500x128xf32>, %scale: f32, %acc: memref<1x1x500x128xf32>, %max: memref<1x1x500xf32>, %sum: memref<1x1x500xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {instruction = "fmla.f32"} : (memref<1x1x500x128xf32>, memref<1x1x500x128xf32>, memref<1x1x500x128xf32>, f32, index, index, index, memref<1x1x500x128xf32>, memref<1x1x500xf32>, memref<1x1x500xf32>) -> ()
    return
  }
  // CHECK-LABEL: func.func private @aik$attention0(
  // CHECK: memref.alloca() {alignment = 64 : i64} : memref<1x32x128x12x1xf32>
}

// -----

// bfmmla takes the powers of four keys side by side, rounded.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64+bf16", arch = "aarch64", features = "+bf16", vector_bits = 128>} {
  func.func @bf16(%q: memref<1x1x100x16xbf16>, %k: memref<1x1x200x16xbf16>, %v: memref<1x1x200x24xbf16>, %scale: f32, %acc: memref<1x1x100x24xf32>, %max: memref<1x1x100xf32>, %sum: memref<1x1x100xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {instruction = "bfmmla"} : (memref<1x1x100x16xbf16>, memref<1x1x200x16xbf16>, memref<1x1x200x24xbf16>, f32, index, index, index, memref<1x1x100x24xf32>, memref<1x1x100xf32>, memref<1x1x100xf32>) -> ()
    return
  }
  // CHECK-LABEL: func.func private @aik$attention0(
  // CHECK: memref.alloca() {alignment = 64 : i64} : memref<1x32x4x12x4xbf16>
  // CHECK: memref.alloca() {alignment = 64 : i64} : memref<128x24xf32>
  // CHECK: %[[P:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32x96xbf16>
  // CHECK: arith.andi
  // CHECK: %[[LOW:.*]] = arith.shrui
  // CHECK: arith.ori %{{.*}}, %[[LOW]] : vector<4xi32>
  // CHECK: vector.interleave %{{.*}} : vector<4xi32> -> vector<8xi32>
  // CHECK: vector.store %{{.*}}, %[[P]]{{.*}} vector<16xbf16>
  // CHECK: llvm.call_intrinsic "llvm.aarch64.neon.bfmmla"
}

// -----

// Queries whose number is known only when it runs: up to four go one by one,
// nothing is packed for them. All room on the stack is the function's.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  func.func @any(%q: memref<1x1x?x16xf32>, %k: memref<1x1x?x16xf32>, %scale: f32, %acc: memref<1x1x?x16xf32>, %max: memref<1x1x?xf32>, %sum: memref<1x1x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {any_queries, instruction = "fmla.f32"} : (memref<1x1x?x16xf32>, memref<1x1x?x16xf32>, memref<1x1x?x16xf32>, f32, index, index, index, memref<1x1x?x16xf32>, memref<1x1x?xf32>, memref<1x1x?xf32>) -> ()
    return
  }
  // CHECK-LABEL: func.func private @aik$attention0(
  // CHECK-SAME: %[[Q:[a-z0-9]*]]: memref
  // CHECK: %[[COUNT:.*]] = memref.dim %[[Q]]
  // CHECK: %[[C4:.*]] = arith.constant 4 : index
  // CHECK: %[[FEW:.*]] = arith.cmpi sle, %[[COUNT]], %[[C4]]
  // CHECK-NOT: memref.alloca
  // CHECK: scf.if %[[FEW]] {
  // CHECK-NOT: memref.alloca
  // CHECK: scf.for %[[QUERY:.*]] = %{{.*}} to %[[COUNT]]
  // CHECK-NOT: memref.alloca
  // CHECK: vector.load %[[Q]][%[[QUERY]], %{{.*}}]
  // It goes on with what the sums, the maximum and their sum were.
  // CHECK-NOT: memref.alloca
  // CHECK: vector.load %arg3[%[[QUERY]], %{{.*}}]
  // CHECK: memref.load %arg4[%{{.*}}, %[[QUERY]]]
  // CHECK: memref.load %arg5[%{{.*}}, %[[QUERY]]]
  // CHECK-NOT: memref.alloca
  // CHECK-NOT: aikernel.pack_panels
  // CHECK: } else {
  // CHECK-NOT: memref.alloca
  // CHECK: aikernel.pack_panels
  // CHECK-NOT: memref.alloca
}

// -----

// Rows with gaps are packed, however few they are.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  func.func @gaps(%q: memref<1x1x?x16xf32>, %k: memref<1x1x?x16xf32, strided<[?, ?, ?, 2]>>, %scale: f32, %acc: memref<1x1x?x16xf32>, %max: memref<1x1x?xf32>, %sum: memref<1x1x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {any_queries, instruction = "fmla.f32"} : (memref<1x1x?x16xf32>, memref<1x1x?x16xf32, strided<[?, ?, ?, 2]>>, memref<1x1x?x16xf32, strided<[?, ?, ?, 2]>>, f32, index, index, index, memref<1x1x?x16xf32>, memref<1x1x?xf32>, memref<1x1x?xf32>) -> ()
    return
  }
  // CHECK-LABEL: func.func private @aik$attention0(
  // CHECK-NOT: scf.if
  // CHECK: aikernel.pack_panels
}

// -----

// And so are rows that are not whole vectors.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  func.func @odd(%q: memref<1x1x?x18xf32>, %k: memref<1x1x?x18xf32>, %scale: f32, %acc: memref<1x1x?x18xf32>, %max: memref<1x1x?xf32>, %sum: memref<1x1x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {any_queries, instruction = "fmla.f32"} : (memref<1x1x?x18xf32>, memref<1x1x?x18xf32>, memref<1x1x?x18xf32>, f32, index, index, index, memref<1x1x?x18xf32>, memref<1x1x?xf32>, memref<1x1x?xf32>) -> ()
    return
  }
  // CHECK-LABEL: func.func private @aik$attention0(
  // CHECK-NOT: scf.if
  // CHECK: aikernel.pack_panels
}
