// Attention in tiles of several strips and blocks, of few rows with the query
// heads of a key head together, of heads that become one (@shared), and of more
// features, of which powers do not go evenly beside the products (@deep, @some).
func.func @tiles(%q: tensor<1x4x90x64xbf16>, %k: tensor<1x2x150x64xbf16>, %v: tensor<1x2x150x40xbf16>) -> tensor<1x4x90x40xbf16> {
  %0 = aikernel.attention %q, %k, %v {causal} : (tensor<1x4x90x64xbf16>, tensor<1x2x150x64xbf16>, tensor<1x2x150x40xbf16>) -> tensor<1x4x90x40xbf16>
  return %0 : tensor<1x4x90x40xbf16>
}
func.func @blocks(%q: tensor<1x2x70x40xbf16>, %k: tensor<1x1x300x40xbf16>, %v: tensor<1x1x300x64xbf16>, %mask: tensor<70x300xbf16>) -> tensor<1x2x70x64xbf16> {
  %0 = aikernel.attention %q, %k, %v mask %mask {causal, window = 200 : i64, softcap = 20.0 : f32} : (tensor<1x2x70x40xbf16>, tensor<1x1x300x40xbf16>, tensor<1x1x300x64xbf16>, tensor<70x300xbf16>) -> tensor<1x2x70x64xbf16>
  return %0 : tensor<1x2x70x64xbf16>
}
func.func @floats(%q: tensor<1x2x90x24xf32>, %k: tensor<1x2x150x24xf32>, %v: tensor<1x2x150x40xf32>) -> tensor<1x2x90x40xf32> {
  %0 = aikernel.attention %q, %k, %v {causal, window = 30 : i64} : (tensor<1x2x90x24xf32>, tensor<1x2x150x24xf32>, tensor<1x2x150x40xf32>) -> tensor<1x2x90x40xf32>
  return %0 : tensor<1x2x90x40xf32>
}
func.func @rows(%q: tensor<1x6x2x32xf32>, %k: tensor<1x2x700x32xf32>, %v: tensor<1x2x700x16xf32>) -> tensor<1x6x2x16xf32> {
  %0 = aikernel.attention %q, %k, %v {causal} : (tensor<1x6x2x32xf32>, tensor<1x2x700x32xf32>, tensor<1x2x700x16xf32>) -> tensor<1x6x2x16xf32>
  return %0 : tensor<1x6x2x16xf32>
}
func.func @places(%q: tensor<1x2x100x64xbf16>, %k: tensor<1x1x320x64xbf16>, %v: tensor<1x1x320x32xbf16>) -> tensor<1x2x100x32xbf16> {
  %0 = aikernel.attention %q, %k, %v {causal, window = 250 : i64} : (tensor<1x2x100x64xbf16>, tensor<1x1x320x64xbf16>, tensor<1x1x320x32xbf16>) -> tensor<1x2x100x32xbf16>
  return %0 : tensor<1x2x100x32xbf16>
}
func.func @shared(%q: tensor<1x8x6x64xbf16>, %k: tensor<1x2x300x64xbf16>, %v: tensor<1x2x300x32xbf16>) -> tensor<1x8x6x32xbf16> {
  %0 = aikernel.attention %q, %k, %v {causal, window = 250 : i64} : (tensor<1x8x6x64xbf16>, tensor<1x2x300x64xbf16>, tensor<1x2x300x32xbf16>) -> tensor<1x8x6x32xbf16>
  return %0 : tensor<1x8x6x32xbf16>
}
func.func @deep(%q: tensor<1x1x90x160xbf16>, %k: tensor<1x1x300x160xbf16>, %v: tensor<1x1x300x160xbf16>) -> tensor<1x1x90x160xbf16> {
  %0 = aikernel.attention %q, %k, %v : (tensor<1x1x90x160xbf16>, tensor<1x1x300x160xbf16>, tensor<1x1x300x160xbf16>) -> tensor<1x1x90x160xbf16>
  return %0 : tensor<1x1x90x160xbf16>
}
func.func @some(%q: tensor<1x1x90x96xbf16>, %k: tensor<1x1x300x96xbf16>, %v: tensor<1x1x300x96xbf16>) -> tensor<1x1x90x96xbf16> {
  %0 = aikernel.attention %q, %k, %v : (tensor<1x1x90x96xbf16>, tensor<1x1x300x96xbf16>, tensor<1x1x300x96xbf16>) -> tensor<1x1x90x96xbf16>
  return %0 : tensor<1x1x90x96xbf16>
}
