// Kernels whose blocks stay for several tiles, for gpu_check.sh soak: products
// with more tiles than there are processors, sums in parts, and attention whose
// tiles are claimed. Small, so that a hundred thousand launches take seconds.

func.func @product(%x: tensor<2040x264xbf16>, %w: tensor<2176x264xbf16>, %b: tensor<2176xbf16>) -> tensor<2040x2176xbf16> {
  %y = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<gelu>, transpose_b} : (tensor<2040x264xbf16>, tensor<2176x264xbf16>, tensor<2176xbf16>) -> tensor<2040x2176xbf16>
  return %y : tensor<2040x2176xbf16>
}

func.func @parts(%x: tensor<128x8192xbf16>, %w: tensor<256x8192xbf16>) -> tensor<128x256xbf16> {
  %y = aikernel.linear %x, %w {transpose_b} : (tensor<128x8192xbf16>, tensor<256x8192xbf16>) -> tensor<128x256xbf16>
  return %y : tensor<128x256xbf16>
}

func.func @causal(%q: tensor<1x48x328x128xbf16>, %k: tensor<1x6x328x128xbf16>, %v: tensor<1x6x328x128xbf16>) -> tensor<1x48x328x128xbf16> {
  %o = aikernel.attention %q, %k, %v {causal} : (tensor<1x48x328x128xbf16>, tensor<1x6x328x128xbf16>, tensor<1x6x328x128xbf16>) -> tensor<1x48x328x128xbf16>
  return %o : tensor<1x48x328x128xbf16>
}

// Of 520 keys 300 are valid.
func.func @lengths(%q: tensor<2x24x520x64xf16>, %k: tensor<2x24x520x64xf16>, %v: tensor<2x24x520x64xf16>, %n: tensor<2xi32>) -> tensor<2x24x520x64xf16> {
  %o = aikernel.attention %q, %k, %v kv_len %n : (tensor<2x24x520x64xf16>, tensor<2x24x520x64xf16>, tensor<2x24x520x64xf16>, tensor<2xi32>) -> tensor<2x24x520x64xf16>
  return %o : tensor<2x24x520x64xf16>
}
