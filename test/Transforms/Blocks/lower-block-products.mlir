// Products of packed blocks become loops over panels of sixteen rows that call
// one function per format.
// RUN: aik-opt %s --aik-lower-block-products --split-input-file | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod", vector_bits = 128>} {
  // CHECK-LABEL: func.func @two(
  // CHECK: scf.forall (%[[I:.*]]) in (%{{.*}}) {
  // CHECK: call @[[PACK:aik\$packblocks.*]](%{{.*}}, %{{.*}}, %[[I]])
  // CHECK: scf.forall (%[[J:.*]]) in (%{{.*}}) {
  // CHECK: call @[[GEMV:aik\$blockgemv.*]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[J]])
  // CHECK: scf.forall
  // CHECK: call @[[GEMV]](
  func.func @two(%w: memref<100x36xi8>, %p: memref<7x2x288xi8>, %x: memref<2x32xi8>, %d: memref<2xf32>, %s: memref<2x1xi32>, %o: memref<100xf32>, %q: memref<1x2x288xi8>, %r: memref<9xf32>) {
    aikernel.pack_blocks %w outs %p {format = #aikernel.quant<q4_0>} : (memref<100x36xi8>, memref<7x2x288xi8>) -> ()
    aikernel.block_gemv %p, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<2x32xi8>, memref<2xf32>, memref<2x1xi32>, memref<100xf32>) -> ()
    aikernel.block_gemv %q, %x scales %d sums %s outs %r {format = #aikernel.quant<q4_0>} : (memref<1x2x288xi8>, memref<2x32xi8>, memref<2xf32>, memref<2x1xi32>, memref<9xf32>) -> ()
    return
  }
  // 16 rows in four vectors; 8 groups of 4 elements for each. The five lines half
  // a KiB further on are asked for into L1. Sums begin with the bits of 1.5 *
  // 2^23 and with what the codes are too large by.
  // CHECK: func.func private @[[GEMV]](
  // CHECK: arith.constant 512 : index
  // CHECK-COUNT-5: memref.prefetch %arg0[{{.*}}], read, locality<3>, data
  // CHECK-NOT: memref.prefetch
  // CHECK: %[[CODES:.*]] = arith.muli %{{.*}}, %c-8_i32
  // CHECK: %[[START:.*]] = arith.addi %[[CODES]], %c1262485504_i32
  // CHECK: vector.broadcast %[[START]] : i32 to vector<4xi32>
  // CHECK-COUNT-32: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
  // CHECK-NOT: sdot
  // CHECK-NOT: arith.sitofp
  // CHECK-COUNT-4: arith.subf
  // CHECK: return
}

// -----

// Sums that would begin with zeros are converted.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod", vector_bits = 128>} {
  // CHECK-LABEL: func.func @zeros(
  // CHECK: func.func private @aik$blockgemv
  // CHECK-NOT: arith.subf
  // CHECK-COUNT-4: arith.sitofp
  func.func @zeros(%p: memref<7x2x544xi8>, %x: memref<2x32xi8>, %d: memref<2xf32>, %s: memref<2x1xi32>, %o: memref<100xf32>) {
    aikernel.block_gemv %p, %x scales %d sums %s outs %o {format = #aikernel.quant<q8_0>} : (memref<7x2x544xi8>, memref<2x32xi8>, memref<2xf32>, memref<2x1xi32>, memref<100xf32>) -> ()
    return
  }
}

// -----

// With products of unsigned bytes, upper halves are masked, not shifted.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod,+i8mm", vector_bits = 128>} {
  // CHECK-LABEL: func.func @unsigned(
  // CHECK: func.func private @aik$blockgemv
  // CHECK-NOT: arith.shrui
  // CHECK: llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"
  // CHECK: arith.shrsi
  func.func @unsigned(%p: memref<7x2x288xi8>, %x: memref<2x32xi8>, %d: memref<2xf32>, %s: memref<2x1xi32>, %o: memref<100xf32>) {
    aikernel.block_gemv %p, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<2x32xi8>, memref<2xf32>, memref<2x1xi32>, memref<100xf32>) -> ()
    return
  }
}

// -----

// AVX2: two vectors of eight rows; a table for mxfp4, of values without a sign.
// Four products of 28 with 127 fit 16 bits; then pairs are added to the sums, and
// what the values are too large by comes last.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+ssse3,+avx2", vector_bits = 256>} {
  // CHECK-LABEL: func.func @avx2(
  // CHECK: func.func private @aik$blockgemv
  // CHECK: arith.constant dense<[16, 17, 18, 19, 20, 22, 24, 28, 16, 15, 14, 13, 12, 10, 8, 4,
  // CHECK: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
  // Two groups of the first vector, two of the second, two of the first ...
  // CHECK-COUNT-6: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
  // CHECK: %[[TREE:.*]] = arith.addi %{{.*}} : vector<16xi16>
  // CHECK: %[[PAIRS:.*]] = llvm.inline_asm has_side_effects {{.*}}"", "=v,0" %[[TREE]]
  // CHECK: %[[ONES:.*]] = arith.constant dense<1> : vector<16xi16>
  // CHECK: call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[PAIRS]], %[[ONES]])
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
  // CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
  // The other half of the block, one of the other stream, and an odd one.
  // CHECK-COUNT-10: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
  // CHECK-NOT: pmadd
  func.func @avx2(%p: memref<7x2x288xi8>, %x: memref<2x32xi8>, %d: memref<2xf32>, %s: memref<2x1xi32>, %o: memref<100xf32>) {
    aikernel.block_gemv %p, %x scales %d sums %s outs %o {format = #aikernel.quant<mxfp4>} : (memref<7x2x288xi8>, memref<2x32xi8>, memref<2xf32>, memref<2x1xi32>, memref<100xf32>) -> ()
    return
  }
}

// -----

// Without VNNI: the right side of whole bytes takes the sign of the left one, a
// pair of products fills 16 bits.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw", vector_bits = 512>} {
  // CHECK-LABEL: func.func @signs(
  // CHECK: func.func private @aik$blockgemv
  // CHECK: %[[X:.*]] = vector.bitcast %{{.*}} : vector<16xi32> to vector<64xi8>
  // CHECK: %[[W:.*]] = vector.load %arg0
  // CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[W]]
  // CHECK: arith.select %[[NEGATIVE]]
  // CHECK: %[[SIZES:.*]] = arith.maxsi %[[W]]
  // CHECK: %[[PAIRS:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"(%[[SIZES]]
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"(%[[PAIRS]]
  func.func @signs(%p: memref<7x2x544xi8>, %x: memref<2x32xi8>, %d: memref<2xf32>, %s: memref<2x1xi32>, %o: memref<100xf32>) {
    aikernel.block_gemv %p, %x scales %d sums %s outs %o {format = #aikernel.quant<q8_0>} : (memref<7x2x544xi8>, memref<2x32xi8>, memref<2xf32>, memref<2x1xi32>, memref<100xf32>) -> ()
    return
  }
}

// -----

// AVX-512 VNNI takes unsigned bytes: signed ones are moved by 128. The two halves
// of the blocks are read at the same time, and the nine lines of a later block of
// each are on their way into L2 meanwhile.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni", vector_bits = 512>} {
  // CHECK-LABEL: func.func @vnni(
  // CHECK: func.func private @aik$blockgemv
  // CHECK: %[[HALF:.*]] = arith.divui %{{.*}}, %c2
  // CHECK: scf.for %[[FIRST:.*]] = %c0{{.*}} to %[[HALF]]
  // CHECK: %[[AHEAD:.*]] = arith.constant 2048 : index
  // CHECK: arith.addi %{{.*}}, %[[AHEAD]]
  // CHECK-COUNT-9: memref.prefetch %arg0[{{.*}}], read, locality<2>, data
  // CHECK-NOT: memref.prefetch
  // CHECK: arith.constant -128 : i32
  // CHECK: arith.xori
  // CHECK-COUNT-8: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
  // CHECK-NOT: vpdpbusd
  // CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %[[HALF]]
  // CHECK-COUNT-9: memref.prefetch %arg0[%{{.*}}, %[[SECOND]], {{.*}}], read, locality<2>, data
  // CHECK-COUNT-8: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
  // CHECK: scf.yield
  // An odd one.
  // CHECK: scf.for
  // CHECK-COUNT-8: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
  // CHECK-NOT: vpdpbusd
  func.func @vnni(%p: memref<7x2x544xi8>, %x: memref<2x32xi8>, %d: memref<2xf32>, %s: memref<2x1xi32>, %o: memref<100xf32>) {
    aikernel.block_gemv %p, %x scales %d sums %s outs %o {format = #aikernel.quant<q8_0>} : (memref<7x2x544xi8>, memref<2x32xi8>, memref<2xf32>, memref<2x1xi32>, memref<100xf32>) -> ()
    return
  }
}

// -----

// Of the 45 lines of a long block, each of the eight chunks asks for six, 8 KiB
// ahead: long blocks are read in one stream. With
// 512 bits the fifth bits of its groups come from tables, not from shifts.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni", vector_bits = 512>} {
  // CHECK-LABEL: func.func @chunks(
  // CHECK: func.func private @aik$blockgemv
  // CHECK: scf.for
  // CHECK: scf.for %[[CHUNK:.*]] = %{{.*}} to %{{.*}} step
  // CHECK: %[[SHARE:.*]] = arith.constant 384 : index
  // CHECK: arith.muli %[[CHUNK]], %[[SHARE]]
  // CHECK: arith.constant 8192 : index
  // CHECK-COUNT-6: memref.prefetch
  // CHECK-NOT: {{memref.prefetch|arith.shli}}
  // CHECK: arith.constant dense<[0, 16, 0, 16,
  // CHECK-COUNT-8: llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"
  // CHECK-NOT: {{arith.shli|pshuf}}
  func.func @chunks(%p: memref<7x2x2880xi8>, %x: memref<2x256xi8>, %d: memref<2xf32>, %s: memref<2x8xi32>, %o: memref<100xf32>) {
    aikernel.block_gemv %p, %x scales %d sums %s outs %o {format = #aikernel.quant<q5_k>} : (memref<7x2x2880xi8>, memref<2x256xi8>, memref<2xf32>, memref<2x8xi32>, memref<100xf32>) -> ()
    return
  }
}

// -----

// Without a target, plain arithmetic; the chunks of a long block are a loop.
// CHECK-LABEL: func.func @plain(
// CHECK: func.func private @aik$blockgemv
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: call_intrinsic
// CHECK: arith.muli
func.func @plain(%p: memref<7x2x2368xi8>, %x: memref<2x256xi8>, %d: memref<2xf32>, %s: memref<2x8xi32>, %o: memref<100xf32>) {
  aikernel.block_gemv %p, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_k>} : (memref<7x2x2368xi8>, memref<2x256xi8>, memref<2xf32>, memref<2x8xi32>, memref<100xf32>) -> ()
  return
}

// -----

// Two rows with two columns at a time: of eight rows and four columns, 32
// elements are 32 instructions.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod,+i8mm", vector_bits = 128>} {
  // CHECK-LABEL: func.func @matmul(
  // CHECK: scf.forall (%[[I:.*]]) in (%{{.*}}) {
  // CHECK: call @[[MATMUL:aik\$blockmatmul[0-9]*]](%{{.*}}, %[[I]])
  // CHECK: func.func private @[[MATMUL]](
  // CHECK: memref.alloca() {alignment = 64 : i64} : memref<1024xi8>
  // The next rows of x are on their way meanwhile.
  // CHECK: memref.prefetch {{.*}} : memref<?x?x?x64xi8
  // CHECK-COUNT-32: llvm.call_intrinsic "llvm.aarch64.neon.smmla.v4i32.v16i8"
  // CHECK-NOT: smmla
  func.func @matmul(%w: memref<7x2x288xi8>, %x: memref<1x2x8x8x8xi8>, %d: memref<1x2x2x8x2xf32>, %s: memref<1x2x2x8x2xi32>, %o: memref<9x100xf32>) {
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x2x8x8x8xi8>, memref<1x2x2x8x2xf32>, memref<1x2x2x8x2xi32>, memref<9x100xf32>) -> ()
    return
  }
}

// -----

// Within a worker's tile, panels are a plain loop. Sixteen columns are one
// vector; four elements of each of eight rows are eight instructions.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni", vector_bits = 512>} {
  // CHECK-LABEL: func.func @in_tile(
  // CHECK: scf.forall
  // CHECK: scf.for
  // CHECK: call @[[MATMUL:aik\$blockmatmul[0-9]*]](
  // CHECK: func.func private @[[MATMUL]](
  // While codes are unpacked, later ones are on their way.
  // CHECK-COUNT-5: memref.prefetch %arg0
  // CHECK-NOT: memref.prefetch
  // CHECK-COUNT-64: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
  // CHECK-NOT: vpdpbusd
  func.func @in_tile(%w: memref<7x2x288xi8>, %x: memref<1x2x16x8x4xi8>, %d: memref<1x2x2x8x1xf32>, %s: memref<1x2x2x8x1xi32>, %o: memref<9x100xf32>) {
    scf.forall (%i) in (1) {
      aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x2x16x8x4xi8>, memref<1x2x2x8x1xf32>, memref<1x2x2x8x1xi32>, memref<9x100xf32>) -> ()
    }
    return
  }
}

// -----

// Few rows of x: codes are multiplied as they are unpacked, for four groups of
// four columns.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod,+i8mm", vector_bits = 128>} {
  // CHECK-LABEL: func.func @few(
  // CHECK: func.func private @aik$blockmatmul
  // CHECK-NOT: memref<{{.*}}xi8>
  // CHECK: memref.alloca() {{.*}} : memref<8xf32>
  // CHECK-COUNT-32: llvm.call_intrinsic "llvm.aarch64.neon.smmla.v4i32.v16i8"
  // CHECK-NOT: smmla
  func.func @few(%w: memref<7x2x288xi8>, %x: memref<1x1x8x2x8xi8>, %d: memref<1x1x2x2x2xf32>, %s: memref<1x1x2x2x2xi32>, %o: memref<2x100xf32>) {
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x1x8x2x8xi8>, memref<1x1x2x2x2xf32>, memref<1x1x2x2x2xi32>, memref<2x100xf32>) -> ()
    return
  }
}

// -----

// Vectors of eight columns: both groups read the same lines, one asks for them.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+ssse3,+avx2", vector_bits = 256>} {
  // CHECK-LABEL: func.func @few_ahead(
  // CHECK: func.func private @aik$blockmatmul
  // CHECK-COUNT-5: memref.prefetch %arg0
  // CHECK-NOT: memref.prefetch
  func.func @few_ahead(%w: memref<7x2x288xi8>, %x: memref<1x1x16x2x4xi8>, %d: memref<1x1x2x2x1xf32>, %s: memref<1x1x2x2x1xi32>, %o: memref<2x100xf32>) {
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x1x16x2x4xi8>, memref<1x1x2x2x1xf32>, memref<1x1x2x2x1xi32>, memref<2x100xf32>) -> ()
    return
  }
}

// -----

// Sums of sdot begin with the bits of 1.5 * 2^23, in a register each. One
// multiply-add scales them and takes away what they are too large by; the other
// one multiplies with the scale of the row of x, one lane of four.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod", vector_bits = 128>} {
  // CHECK-LABEL: func.func @origin(
  // CHECK: func.func private @aik$blockmatmul
  // CHECK: arith.constant dense<0xCB400000> : vector<4xf32>
  // CHECK: arith.mulf
  // CHECK: vector.store %{{.*}}, %[[SCALED:.*]][%{{.*}}] : memref<32xf32>
  // CHECK: %[[BITS:.*]] = arith.constant dense<1262485504> : vector<4xi32>
  // CHECK: llvm.inline_asm {{.*}} "ldr ${0:q}, $8\0Aldr ${1:q}, $8\0A{{.*}}ldr ${7:q}, $8\0A", {{.*}} %[[BITS]] :
  // CHECK-COUNT-64: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
  // CHECK-NOT: arith.sitofp
  // CHECK: %[[FROM:.*]] = memref.extract_aligned_pointer_as_index %[[SCALED]]
  // CHECK: %[[AT:.*]] = arith.addi %[[FROM]],
  // CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[AT]]
  // CHECK: llvm.inline_asm {{.*}} "ldr ${0:q}, [$17]\0A{{.*}}fmla $0.4s, $8.4s, $16.4s\0A{{.*}}fmla $7.4s, $15.4s, $16.4s\0A", {{.*}}~{memory}" {{.*}}, %[[ADDRESS]] :
  // CHECK: vector.load {{.*}} vector<4xf32>
  // CHECK: vector.shuffle {{.*}} [0, 0, 0, 0]
  // CHECK-NEXT: arith.mulf {{.*}} fastmath<contract>
  // CHECK-NEXT: arith.addf {{.*}} fastmath<contract>
  // CHECK: return
  func.func @origin(%w: memref<7x2x288xi8>, %x: memref<1x2x16x8x4xi8>, %d: memref<1x2x2x8x1xf32>, %s: memref<1x2x2x8x1xi32>, %o: memref<9x100xf32>) {
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x2x16x8x4xi8>, memref<1x2x2x8x1xf32>, memref<1x2x2x8x1xi32>, memref<9x100xf32>) -> ()
    return
  }
}

// -----

// Scales that may be as large as f32 has them would make infinities of it: what
// is too much is subtracted first.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod", vector_bits = 128>} {
  // CHECK-LABEL: func.func @powers(
  // CHECK: arith.constant dense<1262485504> : vector<4xi32>
  // CHECK: llvm.inline_asm
  // CHECK-NOT: llvm.inline_asm
  // CHECK: %[[ORIGIN:.*]] = arith.constant dense<0x4B400000> : vector<4xf32>
  // CHECK-NEXT: %[[SUM:.*]] = arith.subf %{{.*}}, %[[ORIGIN]]
  // CHECK: %[[SCALE:.*]] = arith.mulf
  // CHECK: arith.mulf %[[SUM]], %[[SCALE]] fastmath<contract>
  // CHECK-NOT: arith.sitofp
  // CHECK: return
  func.func @powers(%w: memref<7x2x288xi8>, %x: memref<1x2x16x8x4xi8>, %d: memref<1x2x2x8x1xf32>, %s: memref<1x2x2x8x1xi32>, %o: memref<9x100xf32>) {
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<mxfp4>} : (memref<7x2x288xi8>, memref<1x2x16x8x4xi8>, memref<1x2x2x8x1xf32>, memref<1x2x2x8x1xi32>, memref<9x100xf32>) -> ()
    return
  }
}

// -----

// With smmla sums are integers to the end.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod,+i8mm", vector_bits = 128>} {
  // CHECK-LABEL: func.func @quads(
  // CHECK-NOT: llvm.inline_asm
  // CHECK-COUNT-8: arith.sitofp
  func.func @quads(%w: memref<7x2x288xi8>, %x: memref<1x2x8x8x8xi8>, %d: memref<1x2x2x8x2xf32>, %s: memref<1x2x2x8x2xi32>, %o: memref<9x100xf32>) {
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x2x8x8x8xi8>, memref<1x2x2x8x2xf32>, memref<1x2x2x8x2xi32>, memref<9x100xf32>) -> ()
    return
  }
}

// -----

// And sums of several chunks, and sums that begin with zero points. Those of few
// rows, whose scales are not in memory, begin with it and with what the codes
// are too large by.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod", vector_bits = 128>} {
  // CHECK-LABEL: func.func @integers(
  // CHECK-NOT: llvm.inline_asm
  // CHECK-COUNT-24: arith.sitofp
  // CHECK-NOT: llvm.inline_asm
  // CHECK-NOT: arith.sitofp
  // CHECK-DAG: arith.constant dense<-8> : vector<4xi32>
  // CHECK-DAG: arith.constant dense<1262485504> : vector<4xi32>
  // CHECK-COUNT-16: arith.subf
  func.func @integers(%k: memref<7x2x2368xi8>, %xk: memref<1x2x128x8x4xi8>, %dk: memref<1x2x2x8x1xf32>, %sk: memref<1x2x16x8x1xi32>, %g: memref<7x2x256xi8>, %v: memref<1x7x2x16x1xf32>, %z: memref<1x7x2x16x1xi8>, %w: memref<7x2x288xi8>, %x: memref<1x2x16x8x4xi8>, %d: memref<1x2x2x8x1xf32>, %s: memref<1x2x2x8x1xi32>, %xf: memref<1x1x16x4x4xi8>, %df: memref<1x1x2x4x1xf32>, %sf: memref<1x1x2x4x1xi32>, %of: memref<4x100xf32>, %o: memref<9x100xf32>) {
    aikernel.block_matmul %k, %xk scales %dk sums %sk outs %o {format = #aikernel.quant<q4_k>} : (memref<7x2x2368xi8>, memref<1x2x128x8x4xi8>, memref<1x2x2x8x1xf32>, memref<1x2x16x8x1xi32>, memref<9x100xf32>) -> ()
    aikernel.block_matmul %g w_scales %v w_zeros %z, %x scales %d sums %s outs %o {format = #aikernel.quant<i4, group = 32>} : (memref<7x2x256xi8>, memref<1x7x2x16x1xf32>, memref<1x7x2x16x1xi8>, memref<1x2x16x8x4xi8>, memref<1x2x2x8x1xf32>, memref<1x2x2x8x1xi32>, memref<9x100xf32>) -> ()
    aikernel.block_matmul %w, %xf scales %df sums %sf outs %of {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x1x16x4x4xi8>, memref<1x1x2x4x1xf32>, memref<1x1x2x4x1xi32>, memref<4x100xf32>) -> ()
    return
  }
}

// -----

// Tile registers: a chunk of sixteen rows is one instruction. What is in x are
// 32 bytes of a row, and eight rows of 64 bytes are the codes of 16 columns,
// which need not be positive. Sums go to one of four places in memory.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni,+amx-tile,+amx-int8", vector_bits = 512>} {
  // CHECK-LABEL: func.func @tiles(
  // CHECK: func.func private @aik$blockmatmul
  // CHECK: %[[RESULTS:.*]] = memref.alloca() {{.*}} : memref<1024xi32>
  // CHECK-NOT: arith.constant dense<-128> : vector<64xi8>
  // CHECK: llvm.call_intrinsic "llvm.x86.tilezero.internal"
  // CHECK: %[[LEFT_BYTES:.*]] = arith.constant 32 : i16
  // CHECK: llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%{{.*}}, %[[LEFT_BYTES]],
  // CHECK: %[[RIGHT_ROWS:.*]] = arith.constant 8 : i16
  // CHECK: llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%[[RIGHT_ROWS]],
  // CHECK: %[[DEPTH:.*]] = arith.constant 32 : i16
  // CHECK: llvm.call_intrinsic "llvm.x86.tdpbssd.internal"(%{{.*}}, %{{.*}}, %[[DEPTH]],
  // CHECK: %[[FOUR:.*]] = arith.constant 4 : index
  // CHECK: arith.remui %{{.*}}, %[[FOUR]]
  // CHECK: llvm.call_intrinsic "llvm.x86.tilestored64.internal"
  // CHECK: %[[SUM:.*]] = vector.load %[[RESULTS]]
  // CHECK: %[[FLOAT:.*]] = arith.sitofp %[[SUM]]
  // CHECK: %[[SCALED:.*]] = arith.mulf %[[FLOAT]], %{{.*}} : vector<16xf32>
  // CHECK: arith.mulf %[[SCALED]], %{{.*}} fastmath<contract>
  // CHECK-COUNT-15: arith.sitofp
  // CHECK-NOT: vpdpbusd
  // CHECK: return
  func.func @tiles(%w: memref<7x2x288xi8>, %x: memref<1x2x2x16x32xi8>, %d: memref<1x2x2x16x1xf32>, %s: memref<1x2x2x16x1xi32>, %o: memref<32x100xf32>) {
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x2x2x16x32xi8>, memref<1x2x2x16x1xf32>, memref<1x2x2x16x1xi32>, memref<32x100xf32>) -> ()
    return
  }
}

// -----

// Codes times sub-scales are two bytes, of which those with and without sign
// are multiplied apart, 64 elements at a time. Sums of a block are put together
// from both. Sub-minimums of two chunks, and sums of x there, are one number.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni,+amx-tile,+amx-int8", vector_bits = 512>} {
  // CHECK-LABEL: func.func @folded(
  // CHECK: func.func private @aik$blockmatmul
  // CHECK: %[[LOW:.*]] = memref.alloca() {{.*}} : memref<8192xi8>
  // CHECK: %[[HIGH:.*]] = memref.alloca() {{.*}} : memref<8192xi8>
  // CHECK: %[[MINIMUMS:.*]] = memref.alloca() {{.*}} : memref<128xi32>
  // CHECK: %[[SUMS:.*]] = memref.alloca() {{.*}} : memref<128xi32>
  // CHECK: %[[RESULTS:.*]] = memref.alloca() {{.*}} : memref<1024xi32>
  // CHECK: arith.muli %{{.*}}, %{{.*}} : vector<32xi16>
  // CHECK: %[[MASK:.*]] = arith.constant dense<127> : vector<32xi16>
  // CHECK: arith.andi %{{.*}}, %[[MASK]]
  // CHECK: vector.store %{{.*}}, %[[LOW]]
  // CHECK: vector.store %{{.*}}, %[[HIGH]]
  // CHECK: vector.store %{{.*}}, %[[MINIMUMS]]
  // CHECK: vector.load %arg3[{{.*}}] : {{.*}}, vector<16xi32>
  // CHECK: vector.load %arg3[{{.*}}] : {{.*}}, vector<16xi32>
  // CHECK: vector.store %{{.*}}, %[[SUMS]]
  // CHECK-COUNT-2: "llvm.x86.tilezero.internal"
  // CHECK-COUNT-8: "llvm.x86.tdpbssd.internal"
  // CHECK-NOT: "llvm.x86.tdpbssd.internal"
  // CHECK-COUNT-2: "llvm.x86.tilestored64.internal"
  // CHECK: %[[ABOVE:.*]] = vector.load %[[RESULTS]]
  // CHECK: %[[SEVEN:.*]] = arith.constant dense<7> : vector<16xi32>
  // CHECK: %[[SHIFTED:.*]] = arith.shli %[[ABOVE]], %[[SEVEN]]
  // CHECK: %[[BELOW:.*]] = vector.load %[[RESULTS]]
  // CHECK: arith.addi %[[SHIFTED]], %[[BELOW]]
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
  func.func @folded(%w: memref<7x2x2368xi8>, %x: memref<1x2x8x16x64xi8>, %d: memref<1x2x2x16x1xf32>, %s: memref<1x2x16x16x1xi32>, %o: memref<32x100xf32>) {
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_k>} : (memref<7x2x2368xi8>, memref<1x2x8x16x64xi8>, memref<1x2x2x16x1xf32>, memref<1x2x16x16x1xi32>, memref<32x100xf32>) -> ()
    return
  }
}

// -----

// Rows whose number is known only when it runs. Up to four are vectors, one
// after the other, of which each step of the panel has four elements; more have
// the code of many, eight at a time.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod", vector_bits = 128>} {
  // CHECK-LABEL: func.func @unknown(
  // CHECK: func.func private @aik$blockmatmul
  // CHECK: %[[ROWS:.*]] = memref.dim %arg4, %{{.*}} : memref<?x?xf32
  // CHECK: %[[C4:.*]] = arith.constant 4 : index
  // CHECK: %[[FEW:.*]] = arith.cmpi sle, %[[ROWS]], %[[C4]]
  // CHECK: scf.if %[[FEW]] {
  // CHECK: scf.for %[[ROW:.*]] =
  // CHECK: vector.load %arg1[{{.*}}] : {{.*}}, vector<4xi8>
  // CHECK-COUNT-32: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
  // CHECK: vector.store %{{.*}}, %arg4[%[[ROW]], %{{.*}}]
  // CHECK: } else {
  // CHECK: vector.load %arg1[{{.*}}] : {{.*}}, vector<16xi8>
  // CHECK-COUNT-64: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
  func.func @unknown(%w: memref<7x2x288xi8>, %x: memref<1x?x16x8x4xi8>, %d: memref<1x?x2x8x1xf32>, %s: memref<1x?x2x8x1xi32>, %o: memref<?x100xf32>) {
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x?x16x8x4xi8>, memref<1x?x2x8x1xf32>, memref<1x?x2x8x1xi32>, memref<?x100xf32>) -> ()
    return
  }
}

// -----

// For tile registers up to six.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni,+amx-tile,+amx-int8", vector_bits = 512>} {
  // CHECK-LABEL: func.func @unknown_in_tiles(
  // CHECK: func.func private @aik$blockmatmul
  // CHECK: %[[C6:.*]] = arith.constant 6 : index
  // CHECK: %[[FEW:.*]] = arith.cmpi sle, %{{.*}}, %[[C6]]
  // CHECK: scf.if %[[FEW]] {
  // CHECK: vpdpbusd
  // CHECK: tdpbssd
  // CHECK-NOT: vpdpbusd
  func.func @unknown_in_tiles(%w: memref<7x2x288xi8>, %x: memref<1x?x2x16x32xi8>, %d: memref<1x?x2x16x1xf32>, %s: memref<1x?x2x16x1xi32>, %o: memref<?x100xf32>) {
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x?x2x16x32xi8>, memref<1x?x2x16x1xf32>, memref<1x?x2x16x1xi32>, memref<?x100xf32>) -> ()
    return
  }
}

// -----

// Panels of fewer than four rows have no other code.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod", vector_bits = 128>} {
  // CHECK-LABEL: func.func @narrow(
  // CHECK: func.func private @aik$blockmatmul
  // CHECK-NOT: arith.cmpi sle
  // CHECK: return
  func.func @narrow(%w: memref<7x2x288xi8>, %x: memref<1x?x16x2x4xi8>, %d: memref<1x?x2x2x1xf32>, %s: memref<1x?x2x2x1xi32>, %o: memref<?x100xf32>) {
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x?x16x2x4xi8>, memref<1x?x2x2x1xf32>, memref<1x?x2x2x1xi32>, memref<?x100xf32>) -> ()
    return
  }
}
