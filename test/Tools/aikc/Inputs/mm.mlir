func.func @mm(%a: tensor<?x64xf32> {aikernel.name = "a"}, %b: tensor<64x32xf32> {aikernel.name = "b", aikernel.weight}) -> tensor<?x32xf32> {
  %c = aikernel.matmul %a, %b : (tensor<?x64xf32>, tensor<64x32xf32>) -> tensor<?x32xf32>
  return %c : tensor<?x32xf32>
}
