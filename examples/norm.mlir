// Several functions in one artifact: `aik-run norm.aikx --list` shows them,
// `--function rms` picks one, `--verify=ref` alone runs all of them.

func.func @rms(
    %x: tensor<128x512xf32> {aikernel.name = "x"},
    %gain: tensor<512xf32> {aikernel.weight, aikernel.name = "gain"})
    -> (tensor<128x512xf32> {aikernel.name = "y"}) {
  %y = aikernel.rms_norm %x, %gain {eps = 1.0e-5 : f32} : (tensor<128x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  return %y : tensor<128x512xf32>
}

func.func @layer(
    %x: tensor<128x512xf32> {aikernel.name = "x"},
    %gain: tensor<512xf32> {aikernel.weight, aikernel.name = "gain"},
    %shift: tensor<512xf32> {aikernel.weight, aikernel.name = "shift"})
    -> (tensor<128x512xf32> {aikernel.name = "y"}) {
  %y = aikernel.layer_norm %x, %gain, %shift {eps = 1.0e-5 : f32} : (tensor<128x512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  return %y : tensor<128x512xf32>
}

// Over the first axis instead of the last.
func.func @softmax(
    %x: tensor<64x48xf32> {aikernel.name = "x"})
    -> (tensor<64x48xf32> {aikernel.name = "y"}) {
  %y = aikernel.softmax %x {axis = 0 : i64} : (tensor<64x48xf32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}
