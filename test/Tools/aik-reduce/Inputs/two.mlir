func.func private @useless() {
  return
}
func.func @relu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = aikernel.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
