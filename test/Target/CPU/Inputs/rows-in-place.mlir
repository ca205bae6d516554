// Products whose left operand tile registers can read where it is: with an
// epilogue, without, of bytes; and one whose rows do not begin at lines of the
// cache, so that they are packed after all; the same with the longest rows whose
// sum is one block, of bytes, and added to what is there. Sums of two blocks are
// packed, and what another product needs packed.
func.func @whole(%a: tensor<256x96xbf16>, %b: tensor<96x96xbf16>) -> tensor<256x96xbf16> {
  %y = aikernel.matmul %a, %b : (tensor<256x96xbf16>, tensor<96x96xbf16>) -> tensor<256x96xbf16>
  return %y : tensor<256x96xbf16>
}

func.func @plain(%a: tensor<288x448xbf16>, %b: tensor<448x160xbf16>) -> tensor<288x160xf32> {
  %y = aikernel.matmul %a, %b : (tensor<288x448xbf16>, tensor<448x160xbf16>) -> tensor<288x160xf32>
  return %y : tensor<288x160xf32>
}

func.func @longest(%a: tensor<256x832xbf16>, %b: tensor<832x64xbf16>) -> tensor<256x64xbf16> {
  %y = aikernel.matmul %a, %b : (tensor<256x832xbf16>, tensor<832x64xbf16>) -> tensor<256x64xbf16>
  return %y : tensor<256x64xbf16>
}

func.func @longest_slice(%x: tensor<256x840xbf16>, %b: tensor<832x64xbf16>) -> tensor<256x64xbf16> {
  %a = tensor.extract_slice %x[0, 8] [256, 832] [1, 1] : tensor<256x840xbf16> to tensor<256x832xbf16>
  %y = aikernel.matmul %a, %b : (tensor<256x832xbf16>, tensor<832x64xbf16>) -> tensor<256x64xbf16>
  return %y : tensor<256x64xbf16>
}

func.func @blocks(%a: tensor<256x864xbf16>, %b: tensor<864x64xbf16>) -> tensor<256x64xbf16> {
  %y = aikernel.matmul %a, %b : (tensor<256x864xbf16>, tensor<864x64xbf16>) -> tensor<256x64xbf16>
  return %y : tensor<256x64xbf16>
}

func.func @slice(%x: tensor<256x104xbf16>, %b: tensor<96x64xbf16>) -> tensor<256x64xbf16> {
  %a = tensor.extract_slice %x[0, 8] [256, 96] [1, 1] : tensor<256x104xbf16> to tensor<256x96xbf16>
  %y = aikernel.matmul %a, %b : (tensor<256x96xbf16>, tensor<96x64xbf16>) -> tensor<256x64xbf16>
  return %y : tensor<256x64xbf16>
}

func.func @bytes(%a: tensor<256x192xi8>, %b: tensor<192x64xi8>, %s: tensor<1xf32>, %t: tensor<1xf32>) -> tensor<256x64xf32> {
  %y = aikernel.int8_matmul %a, %b, %s, %t : (tensor<256x192xi8>, tensor<192x64xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<256x64xf32>
  return %y : tensor<256x64xf32>
}

func.func @longest_bytes(%a: tensor<256x1664xi8>, %b: tensor<1664x96xi8>, %s: tensor<1xf32>, %t: tensor<1xf32>) -> tensor<256x96xf32> {
  %y = aikernel.int8_matmul %a, %b, %s, %t : (tensor<256x1664xi8>, tensor<1664x96xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<256x96xf32>
  return %y : tensor<256x96xf32>
}

func.func @longest_added(%a: tensor<256x832xbf16>, %b: tensor<832x96xbf16>, %c: tensor<256x96xf32>) -> tensor<256x96xf32> {
  %y = linalg.matmul ins(%a, %b : tensor<256x832xbf16>, tensor<832x96xbf16>) outs(%c : tensor<256x96xf32>) -> tensor<256x96xf32>
  return %y : tensor<256x96xf32>
}

func.func @shared(%a: tensor<256x96xbf16>, %b: tensor<96x96xbf16>, %c: tensor<96x64xbf16>) -> (tensor<256x96xbf16>, tensor<256x64xf32>) {
  %y = aikernel.matmul %a, %b : (tensor<256x96xbf16>, tensor<96x96xbf16>) -> tensor<256x96xbf16>
  %z = aikernel.matmul %a, %c : (tensor<256x96xbf16>, tensor<96x64xbf16>) -> tensor<256x64xf32>
  return %y, %z : tensor<256x96xbf16>, tensor<256x64xf32>
}

func.func @shared_with_packed(%a: tensor<256x96xbf16>, %b: tensor<96x96xbf16>, %c: tensor<96x40xbf16>) -> (tensor<256x96xbf16>, tensor<256x40xf32>) {
  %y = aikernel.matmul %a, %b : (tensor<256x96xbf16>, tensor<96x96xbf16>) -> tensor<256x96xbf16>
  %z = aikernel.matmul %a, %c : (tensor<256x96xbf16>, tensor<96x40xbf16>) -> tensor<256x40xf32>
  return %y, %z : tensor<256x96xbf16>, tensor<256x40xf32>
}

// The rows lie in the memory of the result.
func.func @donated(%a: tensor<256x96xbf16> {aikernel.donate = 0 : i64}, %b: tensor<96x96xbf16>) -> tensor<256x96xbf16> {
  %y = aikernel.matmul %a, %b : (tensor<256x96xbf16>, tensor<96x96xbf16>) -> tensor<256x96xbf16>
  return %y : tensor<256x96xbf16>
}

// The rows are, if the condition holds, those that the product is written over.
func.func @chosen(%c: tensor<i1>, %x: tensor<320x192xbf16>, %x2: tensor<320x192xbf16>, %w: tensor<192x192xbf16>) -> tensor<320x192xbf16> {
  %which = tensor.extract %c[] : tensor<i1>
  %g = aikernel.matmul %x, %w : (tensor<320x192xbf16>, tensor<192x192xbf16>) -> tensor<320x192xbf16>
  %h = scf.if %which -> tensor<320x192xbf16> {
    scf.yield %g : tensor<320x192xbf16>
  } else {
    %other = aikernel.matmul %x2, %w : (tensor<320x192xbf16>, tensor<192x192xbf16>) -> tensor<320x192xbf16>
    scf.yield %other : tensor<320x192xbf16>
  }
  %p = tensor.extract_slice %h[0, 0] [256, 192] [1, 1] : tensor<320x192xbf16> to tensor<256x192xbf16>
  %y = aikernel.matmul %p, %w : (tensor<256x192xbf16>, tensor<192x192xbf16>) -> tensor<256x192xbf16>
  %z = tensor.insert_slice %y into %g[32, 0] [256, 192] [1, 1] : tensor<256x192xbf16> into tensor<320x192xbf16>
  return %z : tensor<320x192xbf16>
}
