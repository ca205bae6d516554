// Functions of one small kernel each, for what a launch costs (CudaLaunchCost).

func.func @relu(%x: tensor<256xf32>) -> tensor<256xf32> {
  %y = aikernel.relu %x : (tensor<256xf32>) -> tensor<256xf32>
  return %y : tensor<256xf32>
}

func.func @swiglu(%x: tensor<4x256xbf16>, %up: tensor<4x256xbf16>) -> tensor<4x256xbf16> {
  %y = aikernel.swiglu %x, %up : (tensor<4x256xbf16>, tensor<4x256xbf16>) -> tensor<4x256xbf16>
  return %y : tensor<4x256xbf16>
}

func.func @layer_norm(%x: tensor<4x256xbf16>, %scale: tensor<256xbf16>, %bias: tensor<256xbf16>)
    -> tensor<4x256xbf16> {
  %y = aikernel.layer_norm %x, %scale, %bias {eps = 1.0e-5 : f32}
      : (tensor<4x256xbf16>, tensor<256xbf16>, tensor<256xbf16>) -> tensor<4x256xbf16>
  return %y : tensor<4x256xbf16>
}
