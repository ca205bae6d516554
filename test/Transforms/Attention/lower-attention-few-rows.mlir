// With few queries the keys are split: all rows of a key head attend to a part
// of its keys, then the parts of each row are combined.
// RUN: aik-opt %s --aik-lower-attention --split-input-file | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // 1300 keys in up to six parts of what is seen of them; four query heads of each of
  // two key heads.
  // CHECK-LABEL: func.func @decode(
  // CHECK-SAME: %[[END:[^:]*]]: memref<1x1xi32>
  // CHECK: %[[ACC:.*]] = memref.alloc() : memref<6x1x8x1x64xf32>
  // CHECK: %[[MAX:.*]] = memref.alloc() : memref<6x1x8x1xf32>
  // CHECK: %[[SUM:.*]] = memref.alloc() : memref<6x1x8x1xf32>
  // CHECK: memref.load %[[END]]
  // CHECK: %[[USED:.*]] = arith.minsi %{{.*}}, %c6 : index
  // CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (1, 2, %[[USED]])
  // CHECK: memref.load %[[END]]
  // CHECK: call @aik$rows0(
  // CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (1, 8, 1)
  // CHECK: call @aik$combine1(
  // CHECK: return
  func.func @decode(%q: memref<1x8x1x64xf32>, %k: memref<1x2x1300x64xf32>, %v: memref<1x2x1300x64xf32>, %end: memref<1x1xi32>, %scale: f32, %acc: memref<1x8x1x64xf32>, %max: memref<1x8x1xf32>, %sum: memref<1x8x1xf32>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    aikernel.online_attention %q, %k, %v end %end scale %scale key_offset %c0 head_offset %c0 group %c4 outs %acc, %max, %sum {instruction = "vfmadd.f32.256"} : (memref<1x8x1x64xf32>, memref<1x2x1300x64xf32>, memref<1x2x1300x64xf32>, memref<1x1xi32>, f32, index, index, index, memref<1x8x1x64xf32>, memref<1x8x1xf32>, memref<1x8x1xf32>) -> ()
    return
  }

  // An unknown number of keys has as many parts as it needs: with those of the
  // other key heads, of all batches, no more than 64.
  // CHECK-LABEL: func.func @unknown(
  // CHECK: %[[NEEDED:.*]] = arith.divui %{{.*}}, %c256
  // CHECK: %[[SHARES:.*]] = arith.divui %c16, %{{.*}}
  // CHECK: %[[LEAST:.*]] = arith.minsi %[[NEEDED]], %[[SHARES]]
  // CHECK: %[[ROOM:.*]] = arith.maxsi %[[LEAST]], %{{.*}}
  // CHECK: memref.alloc(%[[ROOM]], %{{.*}}) : memref<?x?x4x2x16xf32>
  // CHECK: call @aik$rows
  func.func @unknown(%q: memref<?x4x2x16xbf16>, %k: memref<?x4x?x16xbf16>, %v: memref<?x4x?x16xbf16>, %scale: f32, %acc: memref<?x4x2x16xf32>, %max: memref<?x4x2xf32>, %sum: memref<?x4x2xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {instruction = "vfmadd.f32.256"} : (memref<?x4x2x16xbf16>, memref<?x4x?x16xbf16>, memref<?x4x?x16xbf16>, f32, index, index, index, memref<?x4x2x16xf32>, memref<?x4x2xf32>, memref<?x4x2xf32>) -> ()
    return
  }

  // Inside a tile, and with features that are not whole vectors, there are no
  // parts.
  // CHECK-LABEL: func.func @whole(
  // CHECK-NOT: @aik$rows
  // CHECK: call @aik$attention
  // CHECK-NOT: @aik$rows
  // CHECK: call @aik$attention
  // CHECK-NOT: @aik$rows
  // CHECK: return
  func.func @whole(%q: memref<1x4x2x16xf32>, %k: memref<1x4x9x16xf32>, %v: memref<1x4x9x16xf32>, %w: memref<1x4x9x20xf32>, %scale: f32, %acc: memref<1x4x2x16xf32>, %wide: memref<1x4x2x20xf32>, %max: memref<1x4x2xf32>, %sum: memref<1x4x2xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.forall (%i) in (1) {
      aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {instruction = "vfmadd.f32.256"} : (memref<1x4x2x16xf32>, memref<1x4x9x16xf32>, memref<1x4x9x16xf32>, f32, index, index, index, memref<1x4x2x16xf32>, memref<1x4x2xf32>, memref<1x4x2xf32>) -> ()
    }
    aikernel.online_attention %q, %k, %w scale %scale key_offset %c0 head_offset %c0 group %c1 outs %wide, %max, %sum {instruction = "vfmadd.f32.256"} : (memref<1x4x2x16xf32>, memref<1x4x9x16xf32>, memref<1x4x9x20xf32>, f32, index, index, index, memref<1x4x2x20xf32>, memref<1x4x2xf32>, memref<1x4x2xf32>) -> ()
    return
  }

  // Nothing is packed; four rows and four keys make 16 sums.
  // CHECK-LABEL: func.func private @aik$rows0(
  // CHECK-NOT: pack_panels
  // CHECK: memref.alloca() {alignment = 64 : i64} : memref<4x80xf32>
  // CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
  // CHECK-LABEL: func.func private @aik$combine1(
}

// -----

// Four query heads of six queries share a key head, whose keys are worth
// packing: all of them are rows of one head, one head after the other, and
// attend to a part of the keys from what no key gives.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @shared(
  // CHECK-SAME: %[[Q:[^:]*]]: memref<1x8x6x64xf32>
  // CHECK-SAME: %[[END:[^:]*]]: memref<1x6xi32>
  // CHECK: memref.alloc() : memref<11x1x8x6x64xf32>
  // CHECK: %[[QUERIES:.*]] = memref.alloc() : memref<1x2x24x64xf32>
  // CHECK: scf.forall (%[[B:.*]], %[[KEY_HEAD:.*]]) in (1, 2)
  // CHECK: scf.for %[[HEAD:.*]] = %{{.*}} to %c4
  // CHECK: scf.for %[[QUERY:.*]] = %{{.*}} to %c6
  // CHECK: %[[START:.*]] = arith.muli %[[HEAD]], %c6
  // CHECK: %[[ROW:.*]] = arith.addi %[[START]], %[[QUERY]]
  // CHECK: %[[FIRST:.*]] = arith.muli %[[KEY_HEAD]], %c4
  // CHECK: %[[FROM:.*]] = arith.addi %[[FIRST]], %[[HEAD]]
  // CHECK: memref.load %[[Q]][%[[B]], %[[FROM]], %[[QUERY]], %[[COLUMN:.*]]]
  // CHECK: memref.store %{{.*}}, %[[QUERIES]][%[[B]], %[[KEY_HEAD]], %[[ROW]], %[[COLUMN]]]
  // CHECK: %[[ENDS:.*]] = memref.alloc() : memref<1x24xi32>
  // CHECK: memref.load %[[END]]
  // CHECK: memref.store %{{.*}}, %[[ENDS]]
  // CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (1, 2, %{{.*}})
  // CHECK: %[[NONE:.*]] = arith.constant 0xFF800000 : f32
  // CHECK: memref.store %[[NONE]]
  // CHECK: call @aik$attention0(
  // CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (1, 8, 6)
  // CHECK: call @aik$combine1(
  func.func @shared(%q: memref<1x8x6x64xf32>, %k: memref<1x2x1300x64xf32>, %v: memref<1x2x1300x64xf32>, %end: memref<1x6xi32>, %scale: f32, %acc: memref<1x8x6x64xf32>, %max: memref<1x8x6xf32>, %sum: memref<1x8x6xf32>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    aikernel.online_attention %q, %k, %v end %end scale %scale key_offset %c0 head_offset %c0 group %c4 outs %acc, %max, %sum {instruction = "vfmadd.f32.256"} : (memref<1x8x6x64xf32>, memref<1x2x1300x64xf32>, memref<1x2x1300x64xf32>, memref<1x6xi32>, f32, index, index, index, memref<1x8x6x64xf32>, memref<1x8x6xf32>, memref<1x8x6xf32>) -> ()
    return
  }

  // Where heads come after queries.
  // CHECK-LABEL: func.func @after(
  // CHECK-SAME: %[[Q:[^:]*]]: memref<1x6x8x64xf32>
  // CHECK: memref.load %[[Q]][%[[B:.*]], %[[QUERY:.*]], %[[HEAD:.*]], %[[COLUMN:.*]]]
  // CHECK: memref.store %{{.*}}, %{{.*}}[%[[B]], %{{.*}}, %{{.*}}, %[[COLUMN]]] : memref<1x2x24x64xf32>
  func.func @after(%q: memref<1x6x8x64xf32>, %k: memref<1x?x2x64xf32>, %v: memref<1x?x2x64xf32>, %scale: f32, %acc: memref<1x8x6x64xf32>, %max: memref<1x8x6xf32>, %sum: memref<1x8x6xf32>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c4 outs %acc, %max, %sum {instruction = "vfmadd.f32.256", layout = #aikernel.layout_kind<bshd>} : (memref<1x6x8x64xf32>, memref<1x?x2x64xf32>, memref<1x?x2x64xf32>, f32, index, index, index, memref<1x8x6x64xf32>, memref<1x8x6xf32>, memref<1x8x6xf32>) -> ()
    return
  }

  // Each head by itself: with a mask, with 33 queries, with as few keys as
  // queries, where no heads share keys, and with so many rows, or features of
  // them, that keys would be packed more than once.
  // CHECK-LABEL: func.func @apart(
  // CHECK-NOT: scf.forall
  // CHECK: return
  func.func @apart(%q: memref<1x8x6x64xf32>, %r: memref<1x8x33x64xf32>, %k: memref<1x2x1300x64xf32>, %f: memref<1x2x23x64xf32>, %g: memref<1x8x1300x64xf32>, %mask: memref<6x1300xf32>, %scale: f32, %acc: memref<1x8x6x64xf32>, %max: memref<1x8x6xf32>, %sum: memref<1x8x6xf32>, %accr: memref<1x8x33x64xf32>, %maxr: memref<1x8x33xf32>, %sumr: memref<1x8x33xf32>, %m: memref<1x17x16x64xf32>, %h: memref<1x1x1300x64xf32>, %maxm: memref<1x17x16xf32>, %w: memref<1x8x32x256xf32>, %d: memref<1x1x1300x256xf32>, %maxw: memref<1x8x32xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c17 = arith.constant 17 : index
    %c4 = arith.constant 4 : index
    aikernel.online_attention %q, %k, %k mask %mask scale %scale key_offset %c0 head_offset %c0 group %c4 outs %acc, %max, %sum {instruction = "vfmadd.f32.256"} : (memref<1x8x6x64xf32>, memref<1x2x1300x64xf32>, memref<1x2x1300x64xf32>, memref<6x1300xf32>, f32, index, index, index, memref<1x8x6x64xf32>, memref<1x8x6xf32>, memref<1x8x6xf32>) -> ()
    aikernel.online_attention %r, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c4 outs %accr, %maxr, %sumr {instruction = "vfmadd.f32.256"} : (memref<1x8x33x64xf32>, memref<1x2x1300x64xf32>, memref<1x2x1300x64xf32>, f32, index, index, index, memref<1x8x33x64xf32>, memref<1x8x33xf32>, memref<1x8x33xf32>) -> ()
    aikernel.online_attention %q, %f, %f scale %scale key_offset %c0 head_offset %c0 group %c4 outs %acc, %max, %sum {instruction = "vfmadd.f32.256"} : (memref<1x8x6x64xf32>, memref<1x2x23x64xf32>, memref<1x2x23x64xf32>, f32, index, index, index, memref<1x8x6x64xf32>, memref<1x8x6xf32>, memref<1x8x6xf32>) -> ()
    aikernel.online_attention %r, %g, %g scale %scale key_offset %c0 head_offset %c0 group %c1 outs %accr, %maxr, %sumr {instruction = "vfmadd.f32.256"} : (memref<1x8x33x64xf32>, memref<1x8x1300x64xf32>, memref<1x8x1300x64xf32>, f32, index, index, index, memref<1x8x33x64xf32>, memref<1x8x33xf32>, memref<1x8x33xf32>) -> ()
    aikernel.online_attention %m, %h, %h scale %scale key_offset %c0 head_offset %c0 group %c17 outs %m, %maxm, %maxm {instruction = "vfmadd.f32.256"} : (memref<1x17x16x64xf32>, memref<1x1x1300x64xf32>, memref<1x1x1300x64xf32>, f32, index, index, index, memref<1x17x16x64xf32>, memref<1x17x16xf32>, memref<1x17x16xf32>) -> ()
    aikernel.online_attention %w, %d, %d scale %scale key_offset %c0 head_offset %c0 group %c8 outs %w, %maxw, %maxw {instruction = "vfmadd.f32.256"} : (memref<1x8x32x256xf32>, memref<1x1x1300x256xf32>, memref<1x1x1300x256xf32>, f32, index, index, index, memref<1x8x32x256xf32>, memref<1x8x32xf32>, memref<1x8x32xf32>) -> ()
    return
  }
}
