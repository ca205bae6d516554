// Products of different elements in one kernel, whose panels have nothing in common.
func.func @difference(%a: tensor<320x96xbf16>, %b: tensor<320x100xf32>, %w: tensor<96x480xbf16>, %v: tensor<100x480xf32>) -> tensor<320x480xf32> {
  %x = aikernel.matmul %a, %w : (tensor<320x96xbf16>, tensor<96x480xbf16>) -> tensor<320x480xf32>
  %y = aikernel.matmul %b, %v : (tensor<320x100xf32>, tensor<100x480xf32>) -> tensor<320x480xf32>
  %z = arith.subf %y, %x : tensor<320x480xf32>
  return %z : tensor<320x480xf32>
}

func.func @unknown(%a: tensor<?x96xbf16>, %b: tensor<?x100xf32>, %w: tensor<96x50xbf16>, %v: tensor<100x50xf32>) -> tensor<?x50xf32> {
  %x = aikernel.matmul %a, %w : (tensor<?x96xbf16>, tensor<96x50xbf16>) -> tensor<?x50xf32>
  %y = aikernel.matmul %b, %v : (tensor<?x100xf32>, tensor<100x50xf32>) -> tensor<?x50xf32>
  %z = arith.subf %y, %x : tensor<?x50xf32>
  return %z : tensor<?x50xf32>
}
