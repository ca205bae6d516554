// Results that are too large for caches. Rows of the softmax have more rounds of
// writing than of powers.
func.func @softmax(%x: tensor<8112x1040xf32>) -> tensor<8112x1040xf32> {
  %y = aikernel.softmax %x : (tensor<8112x1040xf32>) -> tensor<8112x1040xf32>
  return %y : tensor<8112x1040xf32>
}

func.func @layer_norm(%x: tensor<8192x1024xf32>, %g: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<8192x1024xf32> {
  %y = aikernel.layer_norm %x, %g, %b {eps = 1.0e-05 : f32} : (tensor<8192x1024xf32>, tensor<1024xf32>, tensor<1024xf32>) -> tensor<8192x1024xf32>
  return %y : tensor<8192x1024xf32>
}
