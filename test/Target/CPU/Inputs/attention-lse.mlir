func.func @lse(%qf: tensor<1x1x40x64xf32>, %kf: tensor<1x1x6x64xf32>) -> tensor<1x1x40xf32> {
  %q = arith.truncf %qf : tensor<1x1x40x64xf32> to tensor<1x1x40x64xbf16>
  %k = arith.truncf %kf : tensor<1x1x6x64xf32> to tensor<1x1x6x64xbf16>
  %0, %l = aikernel.attention %q, %k, %k : (tensor<1x1x40x64xbf16>, tensor<1x1x6x64xbf16>, tensor<1x1x6x64xbf16>) -> (tensor<1x1x40x64xbf16>, tensor<1x1x40xf32>)
  return %l : tensor<1x1x40xf32>
}
