// Blocks share the keys of a head.
// RUN: aik-opt %s --aik-split-keys --canonicalize | FileCheck %s

// Two batches of eight key heads and 4096 keys: eight parts of each make 128
// blocks of 132 that run at once. What comes after is done by the last block.
// CHECK-LABEL: func.func @heads
// CHECK-SAME: %[[Q:.*]]: memref<2x32x1x64xbf16>, %[[K:.*]]: memref<2x8x4096x64xbf16>, %[[V:.*]]: memref<2x8x4096x64xbf16>, %[[END:.*]]: memref<2x1xi32>
// CHECK-DAG: %[[ACCS:.*]] = memref.alloc() : memref<16x8x4x64xf32>
// CHECK-DAG: %[[MAXS:.*]] = memref.alloc() : memref<16x8x4xf32>
// Counters of the run, since two may be under way at the same time.
// CHECK: %[[COUNTERS:.*]] = memref.alloc() : memref<16xi64>
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %[[P:.*]]) = (0, 0, 0) to (2, 32, 8) step (1, 4, 1) {
// CHECK:   linalg.fill
// The keys that this batch sees, in parts of whole steps of 128.
// CHECK:   %[[SEEN:.*]] = memref.load
// CHECK:   %[[CAST:.*]] = arith.index_cast %[[SEEN]]
// CHECK:   %[[LEAST:.*]] = arith.maxsi %[[CAST]], %c0
// CHECK:   %[[HI:.*]] = arith.minsi %[[LEAST]], %c4096
// CHECK:   %[[COUNT:.*]] = arith.maxsi %[[HI]], %c0
// CHECK:   %[[UP:.*]] = arith.addi %[[COUNT]], %c7
// CHECK:   %[[SHARE:.*]] = arith.divui %[[UP]], %c8
// CHECK:   %[[ONE:.*]] = arith.maxsi %[[SHARE]], %c1
// CHECK:   %[[MORE:.*]] = arith.addi %[[ONE]], %c127
// CHECK:   %[[STEPS:.*]] = arith.divui %[[MORE]], %c128
// CHECK:   %[[SIZE:.*]] = arith.muli %[[STEPS]], %c128
// Parts that have a key, and the number of this head.
// CHECK:   arith.divui %{{.*}}, %[[SIZE]]
// CHECK:   %[[USED:.*]] = arith.maxsi
// CHECK:   %[[KH:.*]] = arith.divui %[[H]], %c4
// CHECK:   %[[ROW:.*]] = arith.muli %[[B]], %c8
// CHECK:   %[[HEAD:.*]] = arith.addi %[[ROW]], %[[KH]]
// CHECK:   %[[FIRST:.*]] = arith.muli %[[P]], %[[SIZE]]
// CHECK:   %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[SIZE]]
// CHECK:   %[[PAST:.*]] = arith.minsi %[[NEXT]], %[[HI]]
// CHECK:   %[[DONE:.*]] = aikernel.attention_part {{.*}} keys %[[FIRST]] to %[[PAST]] head %[[HEAD]] part %[[P]] of %[[USED]] parts %[[ACCS]], %[[MAXS]], %{{.*}}, %[[COUNTERS]] outs {{.*}} {aligned}
// CHECK:   scf.if %[[DONE]] {
// CHECK:   memref.copy
func.func @heads(%q: memref<2x32x1x64xbf16>, %k: memref<2x8x4096x64xbf16>, %v: memref<2x8x4096x64xbf16>, %end: memref<2x1xi32>, %y: memref<2x32x1x64xf32>) {
  %s = arith.constant 0.125 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.forall (%b, %h) = (0, 0) to (2, 32) step (1, 4) {
    %kh = arith.divui %h, %c4 : index
    %qs = memref.subview %q[%b, %h, 0, 0] [1, 4, 1, 64] [1, 1, 1, 1] : memref<2x32x1x64xbf16> to memref<1x4x1x64xbf16, strided<[2048, 64, 64, 1], offset: ?>>
    %ks = memref.subview %k[%b, %kh, 0, 0] [1, 1, 4096, 64] [1, 1, 1, 1] : memref<2x8x4096x64xbf16> to memref<1x1x4096x64xbf16, strided<[2097152, 262144, 64, 1], offset: ?>>
    %vs = memref.subview %v[%b, %kh, 0, 0] [1, 1, 4096, 64] [1, 1, 1, 1] : memref<2x8x4096x64xbf16> to memref<1x1x4096x64xbf16, strided<[2097152, 262144, 64, 1], offset: ?>>
    %es = memref.subview %end[%b, 0] [1, 1] [1, 1] : memref<2x1xi32> to memref<1x1xi32, strided<[1, 1], offset: ?>>
    %acc = memref.alloc() : memref<1x4x1x64xf32>
    %max = memref.alloc() : memref<1x4x1xf32>
    %sum = memref.alloc() : memref<1x4x1xf32>
    linalg.fill ins(%zero : f32) outs(%acc : memref<1x4x1x64xf32>)
    aikernel.online_attention %qs, %ks, %vs end %es scale %s key_offset %c0 head_offset %c0 group %c4 outs %acc, %max, %sum {instruction = "mma.m16n8k16"} : (memref<1x4x1x64xbf16, strided<[2048, 64, 64, 1], offset: ?>>, memref<1x1x4096x64xbf16, strided<[2097152, 262144, 64, 1], offset: ?>>, memref<1x1x4096x64xbf16, strided<[2097152, 262144, 64, 1], offset: ?>>, memref<1x1xi32, strided<[1, 1], offset: ?>>, f32, index, index, index, memref<1x4x1x64xf32>, memref<1x4x1xf32>, memref<1x4x1xf32>) -> ()
    %ys = memref.subview %y[%b, %h, 0, 0] [1, 4, 1, 64] [1, 1, 1, 1] : memref<2x32x1x64xf32> to memref<1x4x1x64xf32, strided<[2048, 64, 64, 1], offset: ?>>
    memref.copy %acc, %ys : memref<1x4x1x64xf32> to memref<1x4x1x64xf32, strided<[2048, 64, 64, 1], offset: ?>>
  }
  return
}

// One head of one batch has no loop, and a cache of unknown length a number of
// parts that is known at run time: as many as there are blocks, but none of
// less than a step.
// CHECK-LABEL: func.func @alone
// CHECK: %[[KEYS:.*]] = memref.dim
// CHECK: %[[STEPS:.*]] = arith.divui
// CHECK: memref.alloc(%{{.*}}) : memref<1x?x2x64xf32>
// CHECK: scf.forall (%[[P:.*]]) in (%{{.*}}) {
// CHECK:   aikernel.attention_part
func.func @alone(%q: memref<1x2x1x64xf16>, %k: memref<1x1x?x64xf16>, %v: memref<1x1x?x64xf16>, %acc: memref<1x2x1x64xf32>, %max: memref<1x2x1xf32>, %sum: memref<1x2x1xf32>) {
  %s = arith.constant 0.125 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  aikernel.online_attention %q, %k, %v scale %s key_offset %c0 head_offset %c0 group %c2 outs %acc, %max, %sum {instruction = "mma.m16n8k16"} : (memref<1x2x1x64xf16>, memref<1x1x?x64xf16>, memref<1x1x?x64xf16>, f32, index, index, index, memref<1x2x1x64xf32>, memref<1x2x1xf32>, memref<1x2x1xf32>) -> ()
  return
}

// Of two queries the first key that one sees, and past the last that one sees.
// CHECK-LABEL: func.func @window
// CHECK: %[[B0:.*]] = memref.load %[[BEGIN:.*]][%c0, %c0]
// CHECK: %[[B1:.*]] = memref.load %[[BEGIN]][%c0, %c1]
// CHECK: %[[LOW:.*]] = arith.minsi %[[B0]], %[[B1]] : i32
// CHECK: arith.index_cast %[[LOW]]
// CHECK: %[[LO:.*]] = arith.minsi
// CHECK: %[[E0:.*]] = memref.load %[[END:.*]][%c0, %c0]
// CHECK: %[[E1:.*]] = memref.load %[[END]][%c0, %c1]
// CHECK: arith.maxsi %[[E0]], %[[E1]] : i32
// CHECK: %[[HI:.*]] = arith.minsi
// CHECK: arith.subi %[[HI]], %[[LO]]
// CHECK: %[[FROM:.*]] = arith.addi %[[LO]],
// CHECK: %[[TO:.*]] = arith.minsi %{{.*}}, %[[HI]]
// CHECK: aikernel.attention_part {{.*}} keys %[[FROM]] to %[[TO]]
func.func @window(%q: memref<1x2x2x64xf16>, %k: memref<1x1x512x64xf16>, %v: memref<1x1x512x64xf16>, %begin: memref<1x2xi32>, %end: memref<1x2xi32>, %acc: memref<1x2x2x64xf32>, %max: memref<1x2x2xf32>, %sum: memref<1x2x2xf32>) {
  %s = arith.constant 0.125 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  aikernel.online_attention %q, %k, %v begin %begin end %end scale %s key_offset %c0 head_offset %c0 group %c2 outs %acc, %max, %sum {instruction = "mma.m16n8k16"} : (memref<1x2x2x64xf16>, memref<1x1x512x64xf16>, memref<1x1x512x64xf16>, memref<1x2xi32>, memref<1x2xi32>, f32, index, index, index, memref<1x2x2x64xf32>, memref<1x2x2xf32>, memref<1x2x2xf32>) -> ()
  return
}
