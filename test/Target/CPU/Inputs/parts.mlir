// Products that AMX computes by parts of f32: full tiles, edges on all sides,
// transposed operands, sums of several blocks, sums that end within a step, and
// a result that an epilogue rounds.
func.func @plain(%a: tensor<?x70xf32>, %b: tensor<70x?xf32>) -> tensor<?x?xf32> {
  %c = aikernel.matmul %a, %b : (tensor<?x70xf32>, tensor<70x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

func.func @transposed(%a: tensor<809x?xf32>, %b: tensor<?x809xf32>) -> tensor<?x?xf32> {
  %c = aikernel.matmul %a, %b {transpose_a, transpose_b} : (tensor<809x?xf32>, tensor<?x809xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

func.func @rounded(%a: tensor<?x809xf32>, %b: tensor<809x?xf32>) -> tensor<?x?xbf16> {
  %c = aikernel.matmul %a, %b : (tensor<?x809xf32>, tensor<809x?xf32>) -> tensor<?x?xbf16>
  return %c : tensor<?x?xbf16>
}
