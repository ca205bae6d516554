func.func @f(%x: tensor<?x64xbf16> {aikernel.name = "x", aikernel.min = array<i64: 1, 0>, aikernel.max = array<i64: 512, -1>}, %w: tensor<64x32xbf16> {aikernel.name = "w", aikernel.weight}) -> tensor<?x32xbf16> {
  %y = aikernel.matmul %x, %w : (tensor<?x64xbf16>, tensor<64x32xbf16>) -> tensor<?x32xbf16>
  return %y : tensor<?x32xbf16>
}
func.func @g(%x: tensor<4xf32> {aikernel.donate = 0 : i64}) -> tensor<4xf32> {
  %y = aikernel.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
