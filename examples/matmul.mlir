// The smallest program: one matrix product.
//
//   aikc examples/matmul.mlir -o matmul.aikx
//   aik-run matmul.aikx --verify=ref
//   aik-run matmul.aikx --input a=@a.npy --input b=@b.npy --output c=@c.npy

func.func @matmul(
    %a: tensor<64x256xf32> {aikernel.name = "a"},
    %b: tensor<256x128xf32> {aikernel.name = "b"})
    -> (tensor<64x128xf32> {aikernel.name = "c"}) {
  %c = aikernel.matmul %a, %b : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  return %c : tensor<64x128xf32>
}
