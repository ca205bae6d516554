func.func @gemv(%x: tensor<256xf32>, %w: tensor<64x144xi8> {aikernel.weight}) -> tensor<64xf32> {
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_0>, activations = #aikernel.quant_activations<q8>} : (tensor<256xf32>, tensor<64x144xi8>) -> tensor<64xf32>
  return %y : tensor<64xf32>
}
