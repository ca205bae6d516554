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
func.func @thin(%x: tensor<16x4096xbf16>, %w: tensor<14336x4096xbf16>, %b: tensor<14336xbf16>) -> tensor<16x14336xbf16> {
  %0 = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<gelu>, transpose_b} : (tensor<16x4096xbf16>, tensor<14336x4096xbf16>, tensor<14336xbf16>) -> tensor<16x14336xbf16>
  return %0 : tensor<16x14336xbf16>
}
func.func @deep(%x: tensor<256x16384xbf16>, %w: tensor<16384x512xbf16>) -> tensor<256x512xbf16> {
  %0 = aikernel.matmul %x, %w : (tensor<256x16384xbf16>, tensor<16384x512xbf16>) -> tensor<256x512xbf16>
  return %0 : tensor<256x512xbf16>
}
func.func @ragged(%x: tensor<3992x4160xbf16>, %w: tensor<4104x4160xbf16>) -> tensor<3992x4104xbf16> {
  %0 = aikernel.matmul %x, %w {transpose_b} : (tensor<3992x4160xbf16>, tensor<4104x4160xbf16>) -> tensor<3992x4104xbf16>
  return %0 : tensor<3992x4104xbf16>
}
func.func @long(%x: tensor<256x16384xbf16>, %w: tensor<1024x16384xbf16>) -> tensor<256x1024xbf16> {
  %0 = aikernel.matmul %x, %w {transpose_b} : (tensor<256x16384xbf16>, tensor<1024x16384xbf16>) -> tensor<256x1024xbf16>
  return %0 : tensor<256x1024xbf16>
}
func.func @narrow(%x: tensor<256x16384xbf16>, %w: tensor<512x16384xbf16>, %b: tensor<512xbf16>) -> tensor<256x512xbf16> {
  %0 = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<gelu>, transpose_b} : (tensor<256x16384xbf16>, tensor<512x16384xbf16>, tensor<512xbf16>) -> tensor<256x512xbf16>
  return %0 : tensor<256x512xbf16>
}
func.func @short(%x: tensor<1000x1000xbf16>, %w: tensor<1000x1000xbf16>) -> tensor<1000x1000xbf16> {
  %0 = aikernel.matmul %x, %w : (tensor<1000x1000xbf16>, tensor<1000x1000xbf16>) -> tensor<1000x1000xbf16>
  return %0 : tensor<1000x1000xbf16>
}
func.func @whole(%x: tensor<2304x4096xbf16>, %w: tensor<2048x4096xbf16>, %b: tensor<2048xbf16>) -> tensor<2304x2048xbf16> {
  %0 = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<gelu>, transpose_b} : (tensor<2304x4096xbf16>, tensor<2048x4096xbf16>, tensor<2048xbf16>) -> tensor<2304x2048xbf16>
  return %0 : tensor<2304x2048xbf16>
}
func.func @functions(%x: tensor<4096x2048xbf16>, %w: tensor<4096x2048xbf16>) -> tensor<4096x4096xf32> {
  %0 = aikernel.matmul %x, %w {transpose_b} : (tensor<4096x2048xbf16>, tensor<4096x2048xbf16>) -> tensor<4096x4096xf32>
  %1 = aikernel.silu %0 : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %1 : tensor<4096x4096xf32>
}
