func.func @product(%x: tensor<33x1024xbf16>, %w: tensor<128x1024xbf16>, %b: tensor<128xbf16>) -> tensor<33x128xbf16> {
  %y = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<silu>, transpose_b} : (tensor<33x1024xbf16>, tensor<128x1024xbf16>, tensor<128xbf16>) -> tensor<33x128xbf16>
  return %y : tensor<33x128xbf16>
}
