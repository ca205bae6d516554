func.func @bytes(%a: tensor<4096x4096xf8E4M3FN>, %b: tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xbf16> {
  %c = aikernel.matmul %a, %b {transpose_b} : (tensor<4096x4096xf8E4M3FN>, tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xbf16>
  return %c : tensor<4096x4096xbf16>
}
func.func @quick(%a: tensor<4096x4096xf8E4M3FN>, %b: tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xbf16> {
  %c = aikernel.linear %a, %b {fast, transpose_b} : (tensor<4096x4096xf8E4M3FN>, tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xbf16>
  return %c : tensor<4096x4096xbf16>
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
