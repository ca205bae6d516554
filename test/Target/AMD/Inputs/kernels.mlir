// A kernel of every family, with the sizes of small models.

func.func @softmax(%x: tensor<?x2048xbf16>) -> tensor<?x2048xbf16> {
  %r = aikernel.softmax %x {axis = 1 : i64} : (tensor<?x2048xbf16>) -> tensor<?x2048xbf16>
  return %r : tensor<?x2048xbf16>
}
func.func @rms_norm(%x: tensor<64x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<64x4096xbf16> {
  %r = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<64x4096xbf16>, tensor<4096xbf16>) -> tensor<64x4096xbf16>
  return %r : tensor<64x4096xbf16>
}
func.func @layer_norm(%x: tensor<64x4096xf32>, %g: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<64x4096xf32> {
  %r = aikernel.layer_norm %x, %g, %b {eps = 1.0e-5 : f32} : (tensor<64x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) -> tensor<64x4096xf32>
  return %r : tensor<64x4096xf32>
}
func.func @swiglu(%x: tensor<64x4096xbf16>, %y: tensor<64x4096xbf16>) -> tensor<64x4096xbf16> {
  %r = aikernel.swiglu %x, %y : (tensor<64x4096xbf16>, tensor<64x4096xbf16>) -> tensor<64x4096xbf16>
  return %r : tensor<64x4096xbf16>
}
func.func @gelu(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = aikernel.gelu %x : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @linear(%x: tensor<1x4096xbf16>, %w: tensor<1024x4096xbf16>) -> tensor<1x1024xbf16> {
  %r = aikernel.linear %x, %w {transpose_b} : (tensor<1x4096xbf16>, tensor<1024x4096xbf16>) -> tensor<1x1024xbf16>
  return %r : tensor<1x1024xbf16>
}
func.func @few_rows(%x: tensor<8x809xbf16>, %w: tensor<1331x809xf32>) -> tensor<8x1331xf32> {
  %r = aikernel.linear %x, %w {transpose_b} : (tensor<8x809xbf16>, tensor<1331x809xf32>) -> tensor<8x1331xf32>
  return %r : tensor<8x1331xf32>
}
func.func @matmul(%a: tensor<128x256xbf16>, %b: tensor<256x128xbf16>) -> tensor<128x128xbf16> {
  %r = aikernel.matmul %a, %b : (tensor<128x256xbf16>, tensor<256x128xbf16>) -> tensor<128x128xbf16>
  return %r : tensor<128x128xbf16>
}
func.func @quant_gemv(%x: tensor<4096xbf16>, %w: tensor<1024x2304xi8>) -> tensor<1024xbf16> {
  %r = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_0>} : (tensor<4096xbf16>, tensor<1024x2304xi8>) -> tensor<1024xbf16>
  return %r : tensor<1024xbf16>
}
func.func @attention(%q: tensor<2x8x1x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>) -> tensor<2x8x1x128xbf16> {
  %r = aikernel.attention %q, %k, %v : (tensor<2x8x1x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>) -> tensor<2x8x1x128xbf16>
  return %r : tensor<2x8x1x128xbf16>
}
func.func @rope(%x: tensor<1x8x64x128xbf16>, %p: tensor<1x64xi32>) -> tensor<1x8x64x128xbf16> {
  %r = aikernel.rope %x, %p {base = 1.0e4 : f32} : (tensor<1x8x64x128xbf16>, tensor<1x64xi32>) -> tensor<1x8x64x128xbf16>
  return %r : tensor<1x8x64x128xbf16>
}
func.func @kv_append(%c: tensor<1x8x256x128xbf16> {aikernel.donate = 0 : i64}, %n: tensor<1x8x1x128xbf16>, %p: tensor<1xi32>) -> tensor<1x8x256x128xbf16> {
  %r = aikernel.kv_append %c, %n, %p : (tensor<1x8x256x128xbf16>, tensor<1x8x1x128xbf16>, tensor<1xi32>) -> tensor<1x8x256x128xbf16>
  return %r : tensor<1x8x256x128xbf16>
}
