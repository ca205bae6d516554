// The tile of a product is a whole number of register tiles: 64 rows rounded
// up to rows of the register tile, about 512 bytes of accumulators per row.
// RUN: aik-opt %s --aik-select-schedule --split-input-file | FileCheck %s

// 6 x 2 registers of 8: 66 rows, 128 columns.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: @wide
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [66, 128, 0]
  func.func private @wide(%a: tensor<?x64xf32>, %b: tensor<64x256xf32>, %c: tensor<?x256xf32>) -> tensor<?x256xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<?x64xf32>, tensor<64x256xf32>) outs(%c : tensor<?x256xf32>) -> tensor<?x256xf32>
    return %0 : tensor<?x256xf32>
  }
}

// -----

// 8 x 3 registers of 4: 64 rows, 120 columns (a multiple of 12).
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: @narrow
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [64, 120, 0]
  func.func private @narrow(%a: tensor<?x64xf32>, %b: tensor<64x256xf32>, %c: tensor<?x256xf32>) -> tensor<?x256xf32> attributes {aikernel.kernel} {
    %0 = linalg.matmul {aikernel.root = array<i64: 0, 1>} ins(%a, %b : tensor<?x64xf32>, tensor<64x256xf32>) outs(%c : tensor<?x256xf32>) -> tensor<?x256xf32>
    return %0 : tensor<?x256xf32>
  }
}

// -----

// f64 has half the columns; batches go one by one.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: @batched
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [1, 66, 64, 0]
  func.func private @batched(%a: tensor<3x8x64xf64>, %b: tensor<3x64x256xf64>, %c: tensor<3x8x256xf64>) -> tensor<3x8x256xf64> attributes {aikernel.kernel} {
    %0 = linalg.batch_matmul {aikernel.root = array<i64: 0, 1, 2>} ins(%a, %b : tensor<3x8x64xf64>, tensor<3x64x256xf64>) outs(%c : tensor<3x8x256xf64>) -> tensor<3x8x256xf64>
    return %0 : tensor<3x8x256xf64>
  }
}
