// The schedule is read, never guessed: a missing one and one of the wrong
// length are errors.
// RUN: aik-opt %s --aik-tile-and-fuse --split-input-file --verify-diagnostics

func.func private @none(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> attributes {aikernel.kernel} {
  // expected-error @+1 {{is the root of a kernel but has no schedule}}
  %0 = linalg.exp {aikernel.root = array<i64: 0>} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func private @short(%x: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {aikernel.kernel} {
  // expected-error @+1 {{has 2 loops but its schedule has 1 tile sizes}}
  %0 = linalg.exp {aikernel.root = array<i64: 0, 1>, aikernel.schedule = #aikernel.schedule<tiles = [4]>} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
