// Products whose columns several threads have shares of: of 512 equal ones, of
// 832 and 576 a wider last one, so that the first has an even number of panels.
// Sums of 832 are so long that every other panel goes backwards.

func.func @even(%a: tensor<256x96xbf16>, %b: tensor<96x512xbf16>) -> tensor<256x512xbf16> {
  %c = aikernel.matmul %a, %b : (tensor<256x96xbf16>, tensor<96x512xbf16>) -> tensor<256x512xbf16>
  return %c : tensor<256x512xbf16>
}

func.func @wide(%a: tensor<288x832xbf16>, %b: tensor<832x832xbf16>) -> tensor<288x832xf32> {
  %c = aikernel.matmul %a, %b : (tensor<288x832xbf16>, tensor<832x832xbf16>) -> tensor<288x832xf32>
  return %c : tensor<288x832xf32>
}

func.func @bias(%a: tensor<256x64xbf16>, %b: tensor<64x576xbf16>, %bias: tensor<576xbf16>) -> tensor<256x576xbf16> {
  %c = aikernel.linear %a, %b bias %bias {activation = #aikernel.activation<relu>} : (tensor<256x64xbf16>, tensor<64x576xbf16>, tensor<576xbf16>) -> tensor<256x576xbf16>
  return %c : tensor<256x576xbf16>
}
