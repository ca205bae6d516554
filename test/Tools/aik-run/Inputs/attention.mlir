func.func @attend(%q: tensor<1x2x40x128xbf16>, %k: tensor<1x1x70x128xbf16>, %v: tensor<1x1x70x128xbf16>) -> tensor<1x2x40x128xbf16> {
  %o = aikernel.attention %q, %k, %v {causal, softcap = 20.0 : f32} : (tensor<1x2x40x128xbf16>, tensor<1x1x70x128xbf16>, tensor<1x1x70x128xbf16>) -> tensor<1x2x40x128xbf16>
  return %o : tensor<1x2x40x128xbf16>
}
