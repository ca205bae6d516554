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
