// RUN: aik-opt %s -split-input-file -verify-diagnostics

func.func @part_of_block(%w: tensor<16x20xi8>, %d: tensor<1x1x288xi8>) {
  // expected-error @+1 {{rows of 20 bytes are not whole blocks of 18}}
  %p = aikernel.pack_blocks %w outs %d {format = #aikernel.quant<q4_0>} : (tensor<16x20xi8>, tensor<1x1x288xi8>) -> tensor<1x1x288xi8>
  return
}

// -----

func.func @panels(%w: tensor<17x18xi8>, %d: tensor<1x1x288xi8>) {
  // expected-error @+1 {{'dest' is 'tensor<1x1x288xi8>', expected 'tensor<2x1x288xi8>'}}
  %p = aikernel.pack_blocks %w outs %d {format = #aikernel.quant<q4_0>} : (tensor<17x18xi8>, tensor<1x1x288xi8>) -> tensor<1x1x288xi8>
  return
}

// -----

func.func @dynamic(%w: tensor<17x18xi8>, %d: tensor<2x1x?xi8>) {
  // expected-error @+1 {{the last size of 'dest' must be static}}
  %p = aikernel.pack_blocks %w outs %d {format = #aikernel.quant<q4_0>} : (tensor<17x18xi8>, tensor<2x1x?xi8>) -> tensor<2x1x?xi8>
  return
}

// -----

func.func @source(%w: tensor<18xi8>, %d: tensor<1x1x288xi8>) {
  // expected-error @+1 {{'source' is 'tensor<18xi8>', expected 'tensor<?x?xi8>'}}
  %p = aikernel.pack_blocks %w outs %d {format = #aikernel.quant<q4_0>} : (tensor<18xi8>, tensor<1x1x288xi8>) -> tensor<1x1x288xi8>
  return
}

// -----

func.func @block(%w: tensor<9x18xi8>, %x: tensor<1x16xi8>, %d: tensor<1xf32>, %s: tensor<1x1xi32>, %o: tensor<9xf32>) {
  // expected-error @+1 {{'x' is 'tensor<1x16xi8>', expected 'tensor<?x32xi8>'}}
  %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<9x18xi8>, tensor<1x16xi8>, tensor<1xf32>, tensor<1x1xi32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @chunks(%w: tensor<9x144xi8>, %x: tensor<1x256xi8>, %d: tensor<1xf32>, %s: tensor<1x1xi32>, %o: tensor<9xf32>) {
  // expected-error @+1 {{'sums' is 'tensor<1x1xi32>', expected 'tensor<1x8xi32>'}}
  %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_k>} : (tensor<9x144xi8>, tensor<1x256xi8>, tensor<1xf32>, tensor<1x1xi32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @scaled_sums(%w: tensor<9x20xi8>, %x: tensor<1x32xi8>, %d: tensor<1xf32>, %s: tensor<1x1xi32>, %o: tensor<9xf32>) {
  // expected-error @+1 {{blocks of #aikernel.quant<q4_1> need 'scaled_sums'}}
  %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_1>} : (tensor<9x20xi8>, tensor<1x32xi8>, tensor<1xf32>, tensor<1x1xi32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @no_scaled_sums(%w: tensor<9x18xi8>, %x: tensor<1x32xi8>, %d: tensor<1xf32>, %s: tensor<1x1xi32>, %o: tensor<9xf32>) {
  // expected-error @+1 {{blocks of #aikernel.quant<q4_0> have no 'scaled_sums'}}
  %y = aikernel.block_gemv %w, %x scales %d sums %s scaled_sums %d outs %o {format = #aikernel.quant<q4_0>} : (tensor<9x18xi8>, tensor<1x32xi8>, tensor<1xf32>, tensor<1x1xi32>, tensor<1xf32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @weights(%w: tensor<9x36xi8>, %x: tensor<1x32xi8>, %d: tensor<1xf32>, %s: tensor<1x1xi32>, %o: tensor<9xf32>) {
  // expected-error @+1 {{'w' is 'tensor<9x36xi8>', expected 'tensor<9x18xi8>'}}
  %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<9x36xi8>, tensor<1x32xi8>, tensor<1xf32>, tensor<1x1xi32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @packed_weights(%w: tensor<2x1x288xi8>, %x: tensor<1x32xi8>, %d: tensor<1xf32>, %s: tensor<1x1xi32>, %o: tensor<9xf32>) {
  // expected-error @+1 {{'w' is 'tensor<2x1x288xi8>', expected 'tensor<1x1x288xi8>'}}
  %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<2x1x288xi8>, tensor<1x32xi8>, tensor<1xf32>, tensor<1x1xi32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @no_weight_scales(%w: tensor<9x32xi8>, %x: tensor<1x32xi8>, %d: tensor<1xf32>, %s: tensor<1x1xi32>, %o: tensor<9xf32>) {
  // expected-error @+1 {{blocks of #aikernel.quant<i8, group = 32> need 'w_scales'}}
  %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<i8, group = 32>} : (tensor<9x32xi8>, tensor<1x32xi8>, tensor<1xf32>, tensor<1x1xi32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @weight_scales(%w: tensor<9x32xi8>, %v: tensor<9x2xf16>, %x: tensor<1x32xi8>, %d: tensor<1xf32>, %s: tensor<1x1xi32>, %o: tensor<9xf32>) {
  // expected-error @+1 {{'w_scales' is 'tensor<9x2xf16>', expected 'tensor<9x1xf16>'}}
  %y = aikernel.block_gemv %w w_scales %v, %x scales %d sums %s outs %o {format = #aikernel.quant<i8, group = 32>} : (tensor<9x32xi8>, tensor<9x2xf16>, tensor<1x32xi8>, tensor<1xf32>, tensor<1x1xi32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @zeros_alone(%w: tensor<9x18xi8>, %z: tensor<9x1xi8>, %x: tensor<1x32xi8>, %d: tensor<1xf32>, %s: tensor<1x1xi32>, %o: tensor<9xf32>) {
  // expected-error @+1 {{'w_zeros' without 'w_scales'}}
  %y = aikernel.block_gemv %w w_zeros %z, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<9x18xi8>, tensor<9x1xi8>, tensor<1x32xi8>, tensor<1xf32>, tensor<1x1xi32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @rows(%w: tensor<9x18xi8>, %x: tensor<3x1x32xi8>, %d: tensor<3x1xf32>, %s: tensor<2x1x1xi32>, %o: tensor<3x9xf32>) {
  // expected-error @+1 {{'sums' is 'tensor<2x1x1xi32>', expected 'tensor<3x1x1xi32>'}}
  %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<9x18xi8>, tensor<3x1x32xi8>, tensor<3x1xf32>, tensor<2x1x1xi32>, tensor<3x9xf32>) -> tensor<3x9xf32>
  return
}

// -----

func.func @parts(%w: tensor<1x2x288xi8>, %x: tensor<1x1x6x8x8xi8>, %d: tensor<1x1x2x8x1xf32>, %s: tensor<1x1x2x8x1xi32>, %o: tensor<3x9xf32>) {
  // expected-error @+1 {{a part of 'x' must be whole blocks of 32, in whole steps}}
  %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<1x2x288xi8>, tensor<1x1x6x8x8xi8>, tensor<1x1x2x8x1xf32>, tensor<1x1x2x8x1xi32>, tensor<3x9xf32>) -> tensor<3x9xf32>
  return
}

// -----

func.func @long_steps(%w: tensor<1x2x288xi8>, %x: tensor<1x1x1x8x64xi8>, %d: tensor<1x1x2x8x1xf32>, %s: tensor<1x1x2x8x1xi32>, %o: tensor<3x9xf32>) {
  // expected-error @+1 {{a part of 'x' must be whole blocks of 32, in whole steps}}
  %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<1x2x288xi8>, tensor<1x1x1x8x64xi8>, tensor<1x1x2x8x1xf32>, tensor<1x1x2x8x1xi32>, tensor<3x9xf32>) -> tensor<3x9xf32>
  return
}

// -----

func.func @panels_of_rows(%w: tensor<1x2x288xi8>, %x: tensor<1x2x8x8x8xi8>, %d: tensor<1x1x2x8x1xf32>, %s: tensor<1x1x2x8x1xi32>, %o: tensor<3x9xf32>) {
  // expected-error @+1 {{'x' is 'tensor<1x2x8x8x8xi8>', expected 'tensor<1x1x8x8x8xi8>'}}
  %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<1x2x288xi8>, tensor<1x2x8x8x8xi8>, tensor<1x1x2x8x1xf32>, tensor<1x1x2x8x1xi32>, tensor<3x9xf32>) -> tensor<3x9xf32>
  return
}

// -----

func.func @copies(%w: tensor<1x2x288xi8>, %x: tensor<1x1x8x8x8xi8>, %d: tensor<1x1x2x8x2xf32>, %s: tensor<1x1x2x8x1xi32>, %o: tensor<3x9xf32>) -> tensor<3x9xf32> {
  // expected-error @below {{'sums'}}
  %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<1x2x288xi8>, tensor<1x1x8x8x8xi8>, tensor<1x1x2x8x2xf32>, tensor<1x1x2x8x1xi32>, tensor<3x9xf32>) -> tensor<3x9xf32>
  return %y : tensor<3x9xf32>
}
