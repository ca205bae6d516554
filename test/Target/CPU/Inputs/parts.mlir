// Products that AMX computes by parts of f32: full tiles, edges on all sides,
// transposed operands, sums of several blocks, sums that end within a step, and
// a result that an epilogue rounds.
func.func @whole(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %c = aikernel.matmul %a, %b : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

func.func @ragged(%a: tensor<65x70xf32>, %b: tensor<70x67xf32>) -> tensor<65x67xf32> {
  %c = aikernel.matmul %a, %b : (tensor<65x70xf32>, tensor<70x67xf32>) -> tensor<65x67xf32>
  return %c : tensor<65x67xf32>
}

func.func @transposed(%a: tensor<809x65xf32>, %b: tensor<66x809xf32>) -> tensor<65x66xf32> {
  %c = aikernel.matmul %a, %b {transpose_a, transpose_b} : (tensor<809x65xf32>, tensor<66x809xf32>) -> tensor<65x66xf32>
  return %c : tensor<65x66xf32>
}

func.func @rounded(%a: tensor<65x70xf32>, %b: tensor<70x67xf32>) -> tensor<65x67xbf16> {
  %c = aikernel.matmul %a, %b : (tensor<65x70xf32>, tensor<70x67xf32>) -> tensor<65x67xbf16>
  return %c : tensor<65x67xbf16>
}

func.func @attention(%q: tensor<1x2x70x40xf32>, %k: tensor<1x1x150x40xf32>, %v: tensor<1x1x150x48xf32>) -> tensor<1x2x70x48xf32> {
  %y = aikernel.attention %q, %k, %v {causal} : (tensor<1x2x70x40xf32>, tensor<1x1x150x40xf32>, tensor<1x1x150x48xf32>) -> tensor<1x2x70x48xf32>
  return %y : tensor<1x2x70x48xf32>
}
