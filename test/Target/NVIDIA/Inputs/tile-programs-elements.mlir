func.func @bytes(%a: tensor<4096x4096xf8E4M3FN>, %b: tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xbf16> {
  %c = aikernel.matmul %a, %b {transpose_b} : (tensor<4096x4096xf8E4M3FN>, tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xbf16>
  return %c : tensor<4096x4096xbf16>
}
func.func @quick(%a: tensor<4096x4096xf8E4M3FN>, %b: tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xbf16> {
  %c = aikernel.linear %a, %b {fast, transpose_b} : (tensor<4096x4096xf8E4M3FN>, tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xbf16>
  return %c : tensor<4096x4096xbf16>
}
func.func @scaled(%a: tensor<4096x4096xf8E4M3FN>, %b: tensor<4096x4096xf8E4M3FN>, %sa: tensor<4096xf32>, %sb: tensor<4096xf32>) -> tensor<4096x4096xbf16> {
  %s = aikernel.matmul %a, %b {fast, transpose_b} : (tensor<4096x4096xf8E4M3FN>, tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xf32>
  %e = tensor.empty() : tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %sa, %sb : tensor<4096x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096x4096xbf16>) {
  ^bb0(%sum: f32, %row: f32, %column: f32, %out: bf16):
    %0 = arith.mulf %sum, %row : f32
    %1 = arith.mulf %0, %column : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<4096x4096xbf16>
  %z = aikernel.gelu %y : (tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %z : tensor<4096x4096xbf16>
}
func.func @integers(%a: tensor<4096x4096xi8>, %b: tensor<4096x4096xi8>, %s: tensor<4096xf32>, %t: tensor<1xf32>) -> tensor<4096x4096xbf16> {
  %c = aikernel.int8_matmul %a, %b, %s, %t {transpose_b} : (tensor<4096x4096xi8>, tensor<4096x4096xi8>, tensor<4096xf32>, tensor<1xf32>) -> tensor<4096x4096xbf16>
  return %c : tensor<4096x4096xbf16>
}
func.func @upperbits(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %c = aikernel.matmul %a, %b {fast, transpose_b} : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %c : tensor<4096x4096xf32>
}
func.func @few(%a: tensor<17x1008xf8E5M2>, %b: tensor<2064x1008xf8E5M2>) -> tensor<17x2064xbf16> {
  %c = aikernel.matmul %a, %b {transpose_b} : (tensor<17x1008xf8E5M2>, tensor<2064x1008xf8E5M2>) -> tensor<17x2064xbf16>
  return %c : tensor<17x2064xbf16>
}
func.func @packed(%x: tensor<16x8192xbf16>, %w: tensor<8192x4096xi8> {aikernel.weight}, %s: tensor<8192x64xbf16> {aikernel.weight}) -> tensor<16x8192xbf16> {
  %y = aikernel.quant_matmul %x, %w scales %s {format = #aikernel.quant<i4, group = 128>} : (tensor<16x8192xbf16>, tensor<8192x4096xi8>, tensor<8192x64xbf16>) -> tensor<16x8192xbf16>
  return %y : tensor<16x8192xbf16>
}
func.func @packedmany(%x: tensor<?x8192xbf16>, %w: tensor<8192x4096xi8> {aikernel.weight}, %s: tensor<8192x64xbf16> {aikernel.weight}) -> tensor<?x8192xbf16> {
  %y = aikernel.quant_matmul %x, %w scales %s {format = #aikernel.quant<i4, group = 128>} : (tensor<?x8192xbf16>, tensor<8192x4096xi8>, tensor<8192x64xbf16>) -> tensor<?x8192xbf16>
  return %y : tensor<?x8192xbf16>
}
