// RUN: aik-opt %s --aik-lower-block-products --split-input-file --verify-diagnostics

func.func @tensors(%w: tensor<7x2x288xi8>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %o: tensor<100xf32>) -> tensor<100xf32> {
  // expected-error @below {{must be bufferized before it is lowered}}
  %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<7x2x288xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<100xf32>) -> tensor<100xf32>
  return %y : tensor<100xf32>
}

// -----

func.func @gaps(%w: memref<7x2x288xi8>, %x: memref<2x32xi8>, %d: memref<2xf32>, %s: memref<2x1xi32>, %o: memref<100xf32, strided<[2]>>) {
  // expected-error @below {{reads and writes rows without gaps, not 'memref<100xf32, strided<[2]>>'}}
  aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<2x32xi8>, memref<2xf32>, memref<2x1xi32>, memref<100xf32, strided<[2]>>) -> ()
  return
}

// -----

func.func @stored(%w: memref<100x36xi8>, %x: memref<2x32xi8>, %d: memref<2xf32>, %s: memref<2x1xi32>, %o: memref<100xf32>) {
  // expected-error @below {{needs weights that aik-pack-blocks has packed}}
  aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<100x36xi8>, memref<2x32xi8>, memref<2xf32>, memref<2x1xi32>, memref<100xf32>) -> ()
  return
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod,+i8mm", vector_bits = 128>} {
  func.func @lanes(%w: memref<7x2x288xi8>, %x: memref<1x2x8x8x8xi8>, %d: memref<1x2x2x8x1xf32>, %s: memref<1x2x2x8x1xi32>, %o: memref<9x100xf32>) {
    // expected-error @below {{needs numbers of rows in 2 lanes, not 1}}
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x2x8x8x8xi8>, memref<1x2x2x8x1xf32>, memref<1x2x2x8x1xi32>, memref<9x100xf32>) -> ()
    return
  }
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni", vector_bits = 512>} {
  func.func @no_tiles(%w: memref<7x2x288xi8>, %x: memref<1x2x2x16x32xi8>, %d: memref<1x2x2x16x1xf32>, %s: memref<1x2x2x16x1xi32>, %o: memref<20x100xf32>) {
    // expected-error @below {{has steps of 32 elements in panels of 16 rows, for which the target has no instruction}}
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x2x2x16x32xi8>, memref<1x2x2x16x1xf32>, memref<1x2x2x16x1xi32>, memref<20x100xf32>) -> ()
    return
  }
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni,+amx-tile,+amx-int8", vector_bits = 512>} {
  func.func @low_panels(%w: memref<7x2x288xi8>, %x: memref<1x3x2x8x32xi8>, %d: memref<1x3x2x8x1xf32>, %s: memref<1x3x2x8x1xi32>, %o: memref<20x100xf32>) {
    // expected-error @below {{has steps of 32 elements in panels of 8 rows}}
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x3x2x8x32xi8>, memref<1x3x2x8x1xf32>, memref<1x3x2x8x1xi32>, memref<20x100xf32>) -> ()
    return
  }
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni,+amx-tile,+amx-int8", vector_bits = 512>} {
  func.func @half_chunks(%w: memref<7x2x288xi8>, %x: memref<1x2x4x16x16xi8>, %d: memref<1x2x2x16x1xf32>, %s: memref<1x2x2x16x1xi32>, %o: memref<20x100xf32>) {
    // expected-error @below {{has steps of 16 elements in panels of 16 rows}}
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x2x4x16x16xi8>, memref<1x2x2x16x1xf32>, memref<1x2x2x16x1xi32>, memref<20x100xf32>) -> ()
    return
  }
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni,+amx-tile,+amx-int8", vector_bits = 512>} {
  func.func @chunks_with_sub_scales(%w: memref<7x2x2368xi8>, %x: memref<1x2x16x16x32xi8>, %d: memref<1x2x2x16x1xf32>, %s: memref<1x2x16x16x1xi32>, %o: memref<20x100xf32>) {
    // expected-error @below {{has steps of 32 elements in panels of 16 rows}}
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_k>} : (memref<7x2x2368xi8>, memref<1x2x16x16x32xi8>, memref<1x2x2x16x1xf32>, memref<1x2x16x16x1xi32>, memref<20x100xf32>) -> ()
    return
  }
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bw,+avx512vnni,+amx-tile,+amx-int8", vector_bits = 512>} {
  func.func @short_chunks(%w: memref<7x2x128xi8>, %v: memref<1x7x2x16x1xf32>, %x: memref<1x2x2x16x8xi8>, %d: memref<1x2x2x16x1xf32>, %s: memref<1x2x2x16x1xi32>, %o: memref<20x100xf32>) {
    // expected-error @below {{has steps of 8 elements in panels of 16 rows}}
    aikernel.block_matmul %w w_scales %v, %x scales %d sums %s outs %o {format = #aikernel.quant<i8, group = 8>} : (memref<7x2x128xi8>, memref<1x7x2x16x1xf32>, memref<1x2x2x16x8xi8>, memref<1x2x2x16x1xf32>, memref<1x2x2x16x1xi32>, memref<20x100xf32>) -> ()
    return
  }
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "+dotprod", vector_bits = 128>} {
  func.func @high_panels(%w: memref<7x2x288xi8>, %x: memref<1x2x16x16x4xi8>, %d: memref<1x2x2x16x1xf32>, %s: memref<1x2x2x16x1xi32>, %o: memref<20x100xf32>) {
    // expected-error @below {{has steps of 4 elements in panels of 16 rows}}
    aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (memref<7x2x288xi8>, memref<1x2x16x16x4xi8>, memref<1x2x2x16x1xf32>, memref<1x2x2x16x1xi32>, memref<20x100xf32>) -> ()
    return
  }
}
