func.func @product(%x: tensor<32x1024xbf16>, %w: tensor<128x1024xbf16> {aikernel.weight}) -> tensor<32x128xbf16> {
  %y = aikernel.linear %x, %w {transpose_b} : (tensor<32x1024xbf16>, tensor<128x1024xbf16>) -> tensor<32x128xbf16>
  return %y : tensor<32x128xbf16>
}
