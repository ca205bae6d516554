// Quantized weights are packed before their product. Where vectors are narrow,
// codes of five and six bits become whole bytes.
// RUN: aik-opt %s --aik-pack-blocks --split-input-file | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func.func @nibbles(
  // CHECK-SAME: %[[W:.*]]: tensor<100x36xi8>, %[[X:.*]]: tensor<2x32xi8>
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<7x2x288xi8>
  // CHECK: %[[P:.*]] = aikernel.pack_blocks %[[W]] outs %[[E]] {format = #aikernel.quant<q4_0>} :
  // CHECK: aikernel.block_gemv %[[P]], %[[X]] {{.*}} {format = #aikernel.quant<q4_0>} :
  func.func @nibbles(%w: tensor<100x36xi8>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %o: tensor<100xf32>) -> tensor<100xf32> {
    %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<100x36xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<100xf32>) -> tensor<100xf32>
    return %y : tensor<100xf32>
  }

  // CHECK-LABEL: func.func @six_bits(
  // CHECK: aikernel.pack_blocks %{{.*}} {format = #aikernel.quant<q6_k>, whole_bytes} : (tensor<20x210xi8>, tensor<2x1x4384xi8>)
  // CHECK: aikernel.block_gemv {{.*}} {format = #aikernel.quant<q6_k>, whole_bytes} :
  func.func @six_bits(%w: tensor<20x210xi8>, %x: tensor<1x256xi8>, %d: tensor<1xf32>, %s: tensor<1x16xi32>, %o: tensor<20xf32>) -> tensor<20xf32> {
    %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q6_k>} : (tensor<20x210xi8>, tensor<1x256xi8>, tensor<1xf32>, tensor<1x16xi32>, tensor<20xf32>) -> tensor<20xf32>
    return %y : tensor<20xf32>
  }

  // Scales of groups become panels of sixteen rows, too.
  // CHECK-LABEL: func.func @groups(
  // CHECK-SAME: %[[W:.*]]: tensor<20x32xi8>, %[[V:.*]]: tensor<20x2xf16>, %[[Z:.*]]: tensor<20x2xi8>,
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<1x2x2x16x1xf32>
  // CHECK: %[[S:.*]] = aikernel.pack_panels %[[V]] outs %[[E]] {depth_dim = 1 : i64, panel_dim = 0 : i64}
  // CHECK: %[[T:.*]] = aikernel.pack_panels %[[Z]] {{.*}} -> tensor<1x2x2x16x1xi8>
  // CHECK: %[[P:.*]] = aikernel.pack_blocks %[[W]] {{.*}} -> tensor<2x2x256xi8>
  // CHECK: aikernel.block_gemv %[[P]] w_scales %[[S]] w_zeros %[[T]],
  func.func @groups(%w: tensor<20x32xi8>, %v: tensor<20x2xf16>, %z: tensor<20x2xi8>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %o: tensor<20xf32>) -> tensor<20xf32> {
    %y = aikernel.block_gemv %w w_scales %v w_zeros %z, %x scales %d sums %s outs %o {format = #aikernel.quant<i4, group = 32>} : (tensor<20x32xi8>, tensor<20x2xf16>, tensor<20x2xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<20xf32>) -> tensor<20xf32>
    return %y : tensor<20xf32>
  }

  // What is packed already stays.
  // CHECK-LABEL: func.func @packed(
  // CHECK-NOT: pack_blocks
  func.func @packed(%w: tensor<7x2x288xi8>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %o: tensor<100xf32>) -> tensor<100xf32> {
    %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<7x2x288xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<100xf32>) -> tensor<100xf32>
    return %y : tensor<100xf32>
  }
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2", vector_bits = 256>} {
  // CHECK-LABEL: func.func @wide_vectors(
  // CHECK: aikernel.pack_blocks %{{.*}} {format = #aikernel.quant<q6_k>} : (tensor<20x210xi8>, tensor<2x1x3360xi8>)
  func.func @wide_vectors(%w: tensor<20x210xi8>, %x: tensor<1x256xi8>, %d: tensor<1xf32>, %s: tensor<1x16xi32>, %o: tensor<20xf32>) -> tensor<20xf32> {
    %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q6_k>} : (tensor<20x210xi8>, tensor<1x256xi8>, tensor<1xf32>, tensor<1x16xi32>, tensor<20xf32>) -> tensor<20xf32>
    return %y : tensor<20xf32>
  }
}

// -----

// Rows of x are packed in pairs for smmla: eight rows, or as many as there are.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod,+i8mm", vector_bits = 128>} {
  // CHECK-LABEL: func.func @matmul(
  // CHECK: aikernel.pack_panels {{.*}} : (tensor<?x2048xi8>, tensor<2x?x128x8x8xi8>)
  // A row has two lanes in the sums of smmla, so its numbers come twice.
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x64x2xf32>)
  // CHECK: aikernel.pack_panels {{.*}} : (tensor<?x128xf32>, tensor<2x?x32x8x2xf32>)
  // CHECK: aikernel.pack_panels {{.*}} : (tensor<?x128xi32>, tensor<2x?x32x8x2xi32>)
  // CHECK: aikernel.pack_blocks
  // CHECK: aikernel.block_matmul {{.*}} : (tensor<7x64x288xi8>, tensor<2x?x128x8x8xi8>,
  func.func @matmul(%w: tensor<100x1152xi8>, %x: tensor<?x64x32xi8>, %d: tensor<?x64xf32>, %s: tensor<?x64x1xi32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<100x1152xi8>, tensor<?x64x32xi8>, tensor<?x64xf32>, tensor<?x64x1xi32>, tensor<?x100xf32>) -> tensor<?x100xf32>
    return %y : tensor<?x100xf32>
  }

  // CHECK-LABEL: func.func @few_rows(
  // CHECK: aikernel.block_matmul {{.*}} : (tensor<7x2x288xi8>, tensor<1x1x8x4x8xi8>,
  func.func @few_rows(%w: tensor<100x36xi8>, %x: tensor<3x2x32xi8>, %d: tensor<3x2xf32>, %s: tensor<3x2x1xi32>, %o: tensor<3x100xf32>) -> tensor<3x100xf32> {
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<100x36xi8>, tensor<3x2x32xi8>, tensor<3x2xf32>, tensor<3x2x1xi32>, tensor<3x100xf32>) -> tensor<3x100xf32>
    return %y : tensor<3x100xf32>
  }
}

// -----

// With sdot alone 2048 elements of each row are one part.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod", vector_bits = 128>} {
  // CHECK-LABEL: func.func @long_parts(
  // CHECK: aikernel.pack_panels {{.*}} : (tensor<?x4096xi8>, tensor<2x?x512x8x4xi8>)
  func.func @long_parts(%w: tensor<100x2304xi8>, %x: tensor<?x128x32xi8>, %d: tensor<?x128xf32>, %s: tensor<?x128x1xi32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<100x2304xi8>, tensor<?x128x32xi8>, tensor<?x128xf32>, tensor<?x128x1xi32>, tensor<?x100xf32>) -> tensor<?x100xf32>
    return %y : tensor<?x100xf32>
  }
}

// -----

// Tile registers take sixteen rows and a chunk, or 64 elements of formats that
// have sub-scales, which pays from nine rows on.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni,+amx-tile,+amx-int8", vector_bits = 512>} {
  // CHECK-LABEL: func.func @tiles(
  // CHECK: aikernel.block_matmul {{.*}} : (tensor<7x1x3360xi8>, tensor<1x2x4x16x64xi8>,
  func.func @tiles(%w: tensor<100x210xi8>, %x: tensor<32x1x256xi8>, %d: tensor<32x1xf32>, %s: tensor<32x1x16xi32>, %o: tensor<32x100xf32>) -> tensor<32x100xf32> {
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q6_k>} : (tensor<100x210xi8>, tensor<32x1x256xi8>, tensor<32x1xf32>, tensor<32x1x16xi32>, tensor<32x100xf32>) -> tensor<32x100xf32>
    return %y : tensor<32x100xf32>
  }

  // CHECK-LABEL: func.func @unknown_rows(
  // CHECK: aikernel.block_matmul {{.*}} : (tensor<7x2x288xi8>, tensor<1x?x2x16x32xi8>,
  func.func @unknown_rows(%w: tensor<100x36xi8>, %x: tensor<?x2x32xi8>, %d: tensor<?x2xf32>, %s: tensor<?x2x1xi32>, %o: tensor<?x100xf32>) -> tensor<?x100xf32> {
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<100x36xi8>, tensor<?x2x32xi8>, tensor<?x2xf32>, tensor<?x2x1xi32>, tensor<?x100xf32>) -> tensor<?x100xf32>
    return %y : tensor<?x100xf32>
  }

  // CHECK-LABEL: func.func @eight_rows(
  // CHECK: aikernel.block_matmul {{.*}} : (tensor<7x2x288xi8>, tensor<1x1x16x8x4xi8>,
  func.func @eight_rows(%w: tensor<100x36xi8>, %x: tensor<8x2x32xi8>, %d: tensor<8x2xf32>, %s: tensor<8x2x1xi32>, %o: tensor<8x100xf32>) -> tensor<8x100xf32> {
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<100x36xi8>, tensor<8x2x32xi8>, tensor<8x2xf32>, tensor<8x2x1xi32>, tensor<8x100xf32>) -> tensor<8x100xf32>
    return %y : tensor<8x100xf32>
  }

  // CHECK-LABEL: func.func @nine_rows(
  // CHECK: aikernel.block_matmul {{.*}} : (tensor<7x2x288xi8>, tensor<1x1x2x16x32xi8>,
  func.func @nine_rows(%w: tensor<100x36xi8>, %x: tensor<9x2x32xi8>, %d: tensor<9x2xf32>, %s: tensor<9x2x1xi32>, %o: tensor<9x100xf32>) -> tensor<9x100xf32> {
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<100x36xi8>, tensor<9x2x32xi8>, tensor<9x2xf32>, tensor<9x2x1xi32>, tensor<9x100xf32>) -> tensor<9x100xf32>
    return %y : tensor<9x100xf32>
  }

  // CHECK-LABEL: func.func @ragged_rows(
  // CHECK: aikernel.block_matmul {{.*}} : (tensor<7x2x288xi8>, tensor<1x3x2x16x32xi8>,
  func.func @ragged_rows(%w: tensor<100x36xi8>, %x: tensor<40x2x32xi8>, %d: tensor<40x2xf32>, %s: tensor<40x2x1xi32>, %o: tensor<40x100xf32>) -> tensor<40x100xf32> {
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<100x36xi8>, tensor<40x2x32xi8>, tensor<40x2xf32>, tensor<40x2x1xi32>, tensor<40x100xf32>) -> tensor<40x100xf32>
    return %y : tensor<40x100xf32>
  }
}

// -----

// AVX2 has half as many registers.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2", vector_bits = 256>} {
  // CHECK-LABEL: func.func @four_rows(
  // CHECK-NOT: linalg.generic
  // CHECK: aikernel.block_matmul {{.*}} : (tensor<7x2x288xi8>, tensor<1x3x16x4x4xi8>, tensor<1x3x2x4x1xf32>,
  func.func @four_rows(%w: tensor<100x36xi8>, %x: tensor<10x2x32xi8>, %d: tensor<10x2xf32>, %s: tensor<10x2x1xi32>, %o: tensor<10x100xf32>) -> tensor<10x100xf32> {
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<100x36xi8>, tensor<10x2x32xi8>, tensor<10x2xf32>, tensor<10x2x1xi32>, tensor<10x100xf32>) -> tensor<10x100xf32>
    return %y : tensor<10x100xf32>
  }
}
