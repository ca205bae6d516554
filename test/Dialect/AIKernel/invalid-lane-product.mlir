// RUN: aik-opt %s -split-input-file -verify-diagnostics

func.func @part_of_block(%w: tensor<16x20xi8>, %d: tensor<4x4x1x1x4xi32>) {
  // expected-error @+1 {{'source' is 'tensor<16x20xi8>', expected whole blocks of 18 bytes}}
  %p = aikernel.pack_lanes %w outs %d {format = #aikernel.quant<q4_0>, section = #aikernel.lane_section<codes>} : (tensor<16x20xi8>, tensor<4x4x1x1x4xi32>) -> tensor<4x4x1x1x4xi32>
  return
}

// -----

func.func @groups(%w: tensor<17x18xi8>, %d: tensor<4x4x1x1x4xi32>) {
  // expected-error @+1 {{'dest' is 'tensor<4x4x1x1x4xi32>', expected 'tensor<5x4x1x1x4xi32>'}}
  %p = aikernel.pack_lanes %w outs %d {format = #aikernel.quant<q4_0>, section = #aikernel.lane_section<codes>} : (tensor<17x18xi8>, tensor<4x4x1x1x4xi32>) -> tensor<4x4x1x1x4xi32>
  return
}

// -----

func.func @no_such_numbers(%w: tensor<16x18xi8>, %d: tensor<4x1x1x4xi32>) {
  // expected-error @+1 {{blocks of #aikernel.quant<q4_0> have no high}}
  %p = aikernel.pack_lanes %w outs %d {format = #aikernel.quant<q4_0>, section = #aikernel.lane_section<high>} : (tensor<16x18xi8>, tensor<4x1x1x4xi32>) -> tensor<4x1x1x4xi32>
  return
}

// -----

func.func @odd_group(%w: tensor<16x24xi8>, %d: tensor<4x4x1x1x4xi32>) {
  // expected-error @+1 {{lanes do not share blocks of #aikernel.quant<i4, group = 48>}}
  %p = aikernel.pack_lanes %w outs %d {format = #aikernel.quant<i4, group = 48>, section = #aikernel.lane_section<codes>} : (tensor<16x24xi8>, tensor<4x4x1x1x4xi32>) -> tensor<4x4x1x1x4xi32>
  return
}

// -----

func.func @x(%c: tensor<25x4x1x2x4xi32>, %s: tensor<25x2x2xi32>, %x: tensor<63xf32>, %o: tensor<100xf32>) {
  // expected-error @+1 {{'x' is 'tensor<63xf32>', expected rows of 64 floats}}
  %y = aikernel.lane_product %c scales %s, %x outs %o {format = #aikernel.quant<q4_0>} : (tensor<25x4x1x2x4xi32>, tensor<25x2x2xi32>, tensor<63xf32>, tensor<100xf32>) -> tensor<100xf32>
  return
}

// -----

func.func @scales(%c: tensor<25x4x1x2x4xi32>, %x: tensor<64xf32>, %o: tensor<100xf32>) {
  // expected-error @+1 {{needs 'scales'}}
  %y = aikernel.lane_product %c, %x outs %o {format = #aikernel.quant<q4_0>} : (tensor<25x4x1x2x4xi32>, tensor<64xf32>, tensor<100xf32>) -> tensor<100xf32>
  return
}

// -----

func.func @operand_scales(%c: tensor<25x4x1x2x4xi32>, %x: tensor<64xf32>, %o: tensor<100xf32>) {
  // expected-error @+1 {{blocks of #aikernel.quant<i4, group = 32> need 'w_scales'}}
  %y = aikernel.lane_product %c, %x outs %o {format = #aikernel.quant<i4, group = 32>} : (tensor<25x4x1x2x4xi32>, tensor<64xf32>, tensor<100xf32>) -> tensor<100xf32>
  return
}

// -----

func.func @blocks(%c: tensor<25x4x1x2x4xi32>, %s: tensor<100x3xf32>, %x: tensor<64xf32>, %o: tensor<100xf32>) {
  // expected-error @+1 {{''tensor<100x3xf32>'' is not one number for each block}}
  %y = aikernel.lane_product %c w_scales %s, %x outs %o {format = #aikernel.quant<i4, group = 32>} : (tensor<25x4x1x2x4xi32>, tensor<100x3xf32>, tensor<64xf32>, tensor<100xf32>) -> tensor<100xf32>
  return
}

// -----

func.func @rows(%c: tensor<25x4x1x2x4xi32>, %s: tensor<25x2x2xi32>, %x: tensor<?x64xf32>, %o: tensor<?x100xf32>) {
  // expected-error @+1 {{'out' is 'tensor<?x100xf32>', expected f32 of a known number of rows}}
  %y = aikernel.lane_product %c scales %s, %x outs %o {format = #aikernel.quant<q4_0>} : (tensor<25x4x1x2x4xi32>, tensor<25x2x2xi32>, tensor<?x64xf32>, tensor<?x100xf32>) -> tensor<?x100xf32>
  return
}
