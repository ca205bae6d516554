// Products whose rows are packed in several rounds where there are vectors of 512 bits or
// tile registers, plain ones and with what follows them.
func.func @plain(%a: tensor<1240x264xbf16>, %b: tensor<264x2016xbf16>) -> tensor<1240x2016xf32> {
  %c = aikernel.matmul %a, %b : (tensor<1240x264xbf16>, tensor<264x2016xbf16>) -> tensor<1240x2016xf32>
  return %c : tensor<1240x2016xf32>
}

func.func @turned(%a: tensor<400x1184xf32>, %b: tensor<400x1344xf32>) -> tensor<1184x1344xf32> {
  %c = aikernel.matmul %a, %b {transpose_a} : (tensor<400x1184xf32>, tensor<400x1344xf32>) -> tensor<1184x1344xf32>
  return %c : tensor<1184x1344xf32>
}

func.func @followed(%a: tensor<1110x520xbf16>, %w: tensor<520x1300xbf16>, %bias: tensor<1300xbf16>, %r: tensor<1110x1300xbf16>) -> tensor<1110x1300xbf16> {
  %c = aikernel.linear %a, %w bias %bias {activation = #aikernel.activation<relu>} : (tensor<1110x520xbf16>, tensor<520x1300xbf16>, tensor<1300xbf16>) -> tensor<1110x1300xbf16>
  %d = arith.addf %c, %r : tensor<1110x1300xbf16>
  return %d : tensor<1110x1300xbf16>
}

func.func @bytes(%a: tensor<1200x640xi8>, %b: tensor<640x2091xi8>, %sa: tensor<1200xf32>, %sb: tensor<2091xf32>, %za: tensor<1xi8>, %zb: tensor<2091xi8>) -> tensor<1200x2091xf32> {
  %c = aikernel.int8_matmul %a, %b, %sa, %sb zero_a %za zero_b %zb : (tensor<1200x640xi8>, tensor<640x2091xi8>, tensor<1200xf32>, tensor<2091xf32>, tensor<1xi8>, tensor<2091xi8>) -> tensor<1200x2091xf32>
  return %c : tensor<1200x2091xf32>
}
