func.func @project(%x: tensor<64x2048xf32>, %w: tensor<128x1152xi8> {aikernel.weight}) -> tensor<64x128xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_0>, activations = #aikernel.quant_activations<q8>} : (tensor<64x2048xf32>, tensor<128x1152xi8>) -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}
