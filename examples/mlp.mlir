// Two layers with bias and activation, in bf16. The bias and the GELU become
// part of the first product's loop nest; sums are kept in f32 and rounded once
// per op. `transpose_b` says that weights are stored [out, in].

func.func @mlp(
    %x: tensor<32x256xbf16> {aikernel.name = "x"},
    %w1: tensor<1024x256xbf16> {aikernel.weight, aikernel.name = "w1"},
    %b1: tensor<1024xbf16> {aikernel.weight, aikernel.name = "b1"},
    %w2: tensor<256x1024xbf16> {aikernel.weight, aikernel.name = "w2"},
    %b2: tensor<256xbf16> {aikernel.weight, aikernel.name = "b2"})
    -> (tensor<32x256xbf16> {aikernel.name = "y"}) {
  %h = aikernel.linear %x, %w1 bias %b1 {activation = #aikernel.activation<gelu>, transpose_b} : (tensor<32x256xbf16>, tensor<1024x256xbf16>, tensor<1024xbf16>) -> tensor<32x1024xbf16>
  %y = aikernel.linear %h, %w2 bias %b2 {transpose_b} : (tensor<32x1024xbf16>, tensor<256x1024xbf16>, tensor<256xbf16>) -> tensor<32x256xbf16>
  return %y : tensor<32x256xbf16>
}
