// Elements of less than a byte take one in memory: the tile ahead is fetched
// line by line as any other.
// RUN: timeout 60 aikc %s --target=cpu -o %t.aikx
// RUN: aik-run %t.aikx --verify=ref

func.func @masked_norm(%x: tensor<64x512xf32>, %m: tensor<64x512xi1>, %g: tensor<512xf32>) -> tensor<64x512xf32> {
  %zeros = arith.constant dense<0.0> : tensor<64x512xf32>
  %seen = arith.select %m, %x, %zeros : tensor<64x512xi1>, tensor<64x512xf32>
  %y = aikernel.rms_norm %seen, %g {eps = 1.0e-5 : f32} : (tensor<64x512xf32>, tensor<512xf32>) -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
