// Products of large matrices, with bias, activation and residual, of operands
// whose lines go along the rows, and of few rows.
func.func @plain(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = aikernel.matmul %x, %w {transpose_b} : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}
func.func @layer(%x: tensor<?x4096xf16>, %w: tensor<4096x4096xf16>, %b: tensor<4096xf16>, %r: tensor<?x4096xf16>) -> tensor<?x4096xf16> {
  %0 = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<gelu>, transpose_b} : (tensor<?x4096xf16>, tensor<4096x4096xf16>, tensor<4096xf16>) -> tensor<?x4096xf16>
  %1 = arith.addf %0, %r : tensor<?x4096xf16>
  return %1 : tensor<?x4096xf16>
}
func.func @transposed(%x: tensor<2048x4096xbf16>, %w: tensor<2048x4096xbf16>) -> tensor<4096x4096xf32> {
  %0 = aikernel.matmul %x, %w {transpose_a} : (tensor<2048x4096xbf16>, tensor<2048x4096xbf16>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
func.func @few(%x: tensor<17x1000xbf16>, %w: tensor<2056x1000xbf16>) -> tensor<17x2056xbf16> {
  %0 = aikernel.matmul %x, %w {transpose_b} : (tensor<17x1000xbf16>, tensor<2056x1000xbf16>) -> tensor<17x2056xbf16>
  return %0 : tensor<17x2056xbf16>
}
