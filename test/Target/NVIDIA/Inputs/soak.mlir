// Small products and attention for the soak that stage gpu of scripts/test.sh
// runs on the fake driver.

func.func @product(%x: tensor<40x64xbf16>, %w: tensor<72x64xbf16>) -> tensor<40x72xbf16> {
  %y = aikernel.linear %x, %w {transpose_b} : (tensor<40x64xbf16>, tensor<72x64xbf16>) -> tensor<40x72xbf16>
  return %y : tensor<40x72xbf16>
}

func.func @causal(%q: tensor<1x2x40x64xf16>, %k: tensor<1x1x304x64xf16>, %v: tensor<1x1x304x64xf16>, %n: tensor<1xi32>) -> tensor<1x2x40x64xf16> {
  %o = aikernel.attention %q, %k, %v kv_len %n {causal} : (tensor<1x2x40x64xf16>, tensor<1x1x304x64xf16>, tensor<1x1x304x64xf16>, tensor<1xi32>) -> tensor<1x2x40x64xf16>
  return %o : tensor<1x2x40x64xf16>
}
