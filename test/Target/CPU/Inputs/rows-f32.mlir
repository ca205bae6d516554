func.func @swiglu(%x: tensor<64x4096xf32>, %y: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %z = aikernel.swiglu %x, %y : (tensor<64x4096xf32>, tensor<64x4096xf32>) -> tensor<64x4096xf32>
  return %z : tensor<64x4096xf32>
}
