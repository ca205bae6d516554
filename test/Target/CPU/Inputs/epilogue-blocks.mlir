// Several blocks of the sum, and results of another type than the sums: whole
// tiles and edges, rows and columns.
func.func @bf16(%a: tensor<67x1600xbf16>, %b: tensor<1600x50xbf16>, %bias: tensor<50xbf16>) -> tensor<67x50xbf16> {
  %c = aikernel.linear %a, %b bias %bias : (tensor<67x1600xbf16>, tensor<1600x50xbf16>, tensor<50xbf16>) -> tensor<67x50xbf16>
  return %c : tensor<67x50xbf16>
}

func.func @int8(%a: tensor<67x3200xi8>, %b: tensor<3200x50xi8>, %s: tensor<67xf32>, %t: tensor<50xf32>) -> tensor<67x50xf32> {
  %c = aikernel.int8_matmul %a, %b, %s, %t : (tensor<67x3200xi8>, tensor<3200x50xi8>, tensor<67xf32>, tensor<50xf32>) -> tensor<67x50xf32>
  return %c : tensor<67x50xf32>
}
