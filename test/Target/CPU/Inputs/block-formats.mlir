// Products of 48 rows with weights of 45 rows in block formats: sums of one
// part and of two, chunks of 32, 16 and 8 elements, zero points.
func.func @q4_0(%x: tensor<48x1280xf32>, %w: tensor<45x720xi8> {aikernel.weight}) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_0>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x720xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @q4_1(%x: tensor<48x1280xf32>, %w: tensor<45x800xi8> {aikernel.weight}) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_1>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x800xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @q5_0(%x: tensor<48x1280xf32>, %w: tensor<45x880xi8> {aikernel.weight}) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q5_0>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x880xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @q5_1(%x: tensor<48x1280xf32>, %w: tensor<45x960xi8> {aikernel.weight}) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q5_1>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x960xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @q8_0(%x: tensor<48x1280xf32>, %w: tensor<45x1360xi8> {aikernel.weight}) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q8_0>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x1360xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @q4_k(%x: tensor<48x1280xf32>, %w: tensor<45x720xi8> {aikernel.weight}) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_k>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x720xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @q5_k(%x: tensor<48x1280xf32>, %w: tensor<45x880xi8> {aikernel.weight}) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q5_k>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x880xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @q6_k(%x: tensor<48x1280xf32>, %w: tensor<45x1050xi8> {aikernel.weight}) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q6_k>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x1050xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @mxfp4(%x: tensor<48x1280xf32>, %w: tensor<45x680xi8> {aikernel.weight}) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<mxfp4>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x680xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @i4_32(%x: tensor<48x1280xf32>, %w: tensor<45x640xi8> {aikernel.weight}, %s: tensor<45x40xf32> {aikernel.weight}, %z: tensor<45x40xi8>) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w scales %s zeros %z {format = #aikernel.quant<i4, group = 32>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x640xi8>, tensor<45x40xf32>, tensor<45x40xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @i4_64(%x: tensor<48x1280xf32>, %w: tensor<45x640xi8> {aikernel.weight}, %s: tensor<45x20xf32> {aikernel.weight}, %z: tensor<45x20xi8>) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w scales %s zeros %z {format = #aikernel.quant<i4, group = 64>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x640xi8>, tensor<45x20xf32>, tensor<45x20xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @i8_16(%x: tensor<48x1280xf32>, %w: tensor<45x1280xi8> {aikernel.weight}, %s: tensor<45x80xf32> {aikernel.weight}, %z: tensor<45x80xi8>) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w scales %s zeros %z {format = #aikernel.quant<i8, group = 16>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x1280xi8>, tensor<45x80xf32>, tensor<45x80xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}

func.func @i8_40(%x: tensor<48x1280xf32>, %w: tensor<45x1280xi8> {aikernel.weight}, %s: tensor<45x32xf32> {aikernel.weight}, %z: tensor<45x32xi8>) -> tensor<48x45xf32> {
  %y = aikernel.quant_matmul %x, %w scales %s zeros %z {format = #aikernel.quant<i8, group = 40>, activations = #aikernel.quant_activations<q8>} : (tensor<48x1280xf32>, tensor<45x1280xi8>, tensor<45x32xf32>, tensor<45x32xi8>) -> tensor<48x45xf32>
  return %y : tensor<48x45xf32>
}
