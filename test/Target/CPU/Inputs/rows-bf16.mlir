func.func @norm(%x: tensor<9x1030xbf16>, %g: tensor<1030xbf16>) -> tensor<9x1030xbf16> {
  %y = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<9x1030xbf16>, tensor<1030xbf16>) -> tensor<9x1030xbf16>
  return %y : tensor<9x1030xbf16>
}
func.func @softmax(%x: tensor<9x1030xbf16>) -> tensor<9x1030xbf16> {
  %y = aikernel.softmax %x {axis = 1 : i64} : (tensor<9x1030xbf16>) -> tensor<9x1030xbf16>
  return %y : tensor<9x1030xbf16>
}
func.func @linear(%x: tensor<40x64xbf16>, %w: tensor<64x48xbf16>) -> tensor<40x48xbf16> {
  %y = aikernel.linear %x, %w : (tensor<40x64xbf16>, tensor<64x48xbf16>) -> tensor<40x48xbf16>
  return %y : tensor<40x48xbf16>
}
