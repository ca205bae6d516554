// A transformer block: 128 tokens of 512 features, 8 heads of 64, f32.
//
//   aikc examples/block.mlir -o block.aikx
//   aik-run block.aikx --verify=ref
//   aik-run block.aikx --bench
//
// The heads stay where the projections put them (layout bshd), so nothing is
// transposed: [128, 512] is read as [1, 128, 8, 64] and back.

func.func @block(
    %x: tensor<128x512xf32> {aikernel.name = "x"},
    %positions: tensor<1x128xi32> {aikernel.name = "positions"},
    %attention_gain: tensor<512xf32> {aikernel.weight, aikernel.name = "attention_gain"},
    %wq: tensor<512x512xf32> {aikernel.weight, aikernel.name = "wq"},
    %wk: tensor<512x512xf32> {aikernel.weight, aikernel.name = "wk"},
    %wv: tensor<512x512xf32> {aikernel.weight, aikernel.name = "wv"},
    %wo: tensor<512x512xf32> {aikernel.weight, aikernel.name = "wo"},
    %mlp_gain: tensor<512xf32> {aikernel.weight, aikernel.name = "mlp_gain"},
    %w_gate: tensor<512x1536xf32> {aikernel.weight, aikernel.name = "w_gate"},
    %w_up: tensor<512x1536xf32> {aikernel.weight, aikernel.name = "w_up"},
    %w_down: tensor<1536x512xf32> {aikernel.weight, aikernel.name = "w_down"})
    -> (tensor<128x512xf32> {aikernel.name = "y"}) {
  // Attention.
  %n = aikernel.rms_norm %x, %attention_gain {eps = 1.0e-5 : f32} : (tensor<128x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  %q = aikernel.linear %n, %wq : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
  %k = aikernel.linear %n, %wk : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
  %v = aikernel.linear %n, %wv : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
  %q_heads = tensor.expand_shape %q [[0, 1], [2, 3]] output_shape [1, 128, 8, 64] : tensor<128x512xf32> into tensor<1x128x8x64xf32>
  %k_heads = tensor.expand_shape %k [[0, 1], [2, 3]] output_shape [1, 128, 8, 64] : tensor<128x512xf32> into tensor<1x128x8x64xf32>
  %v_heads = tensor.expand_shape %v [[0, 1], [2, 3]] output_shape [1, 128, 8, 64] : tensor<128x512xf32> into tensor<1x128x8x64xf32>
  %q_turned = aikernel.rope %q_heads, %positions {base = 1.0e4 : f32, layout = #aikernel.layout_kind<bshd>} : (tensor<1x128x8x64xf32>, tensor<1x128xi32>) -> tensor<1x128x8x64xf32>
  %k_turned = aikernel.rope %k_heads, %positions {base = 1.0e4 : f32, layout = #aikernel.layout_kind<bshd>} : (tensor<1x128x8x64xf32>, tensor<1x128xi32>) -> tensor<1x128x8x64xf32>
  %o_heads = aikernel.attention %q_turned, %k_turned, %v_heads {causal, layout = #aikernel.layout_kind<bshd>} : (tensor<1x128x8x64xf32>, tensor<1x128x8x64xf32>, tensor<1x128x8x64xf32>) -> tensor<1x128x8x64xf32>
  %o = tensor.collapse_shape %o_heads [[0, 1], [2, 3]] : tensor<1x128x8x64xf32> into tensor<128x512xf32>
  %attended = aikernel.linear %o, %wo : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
  %h = arith.addf %x, %attended : tensor<128x512xf32>

  // The gated MLP.
  %m = aikernel.rms_norm %h, %mlp_gain {eps = 1.0e-5 : f32} : (tensor<128x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  %gate = aikernel.linear %m, %w_gate : (tensor<128x512xf32>, tensor<512x1536xf32>) -> tensor<128x1536xf32>
  %up = aikernel.linear %m, %w_up : (tensor<128x512xf32>, tensor<512x1536xf32>) -> tensor<128x1536xf32>
  %gated = aikernel.swiglu %gate, %up : (tensor<128x1536xf32>, tensor<128x1536xf32>) -> tensor<128x1536xf32>
  %down = aikernel.linear %gated, %w_down : (tensor<128x1536xf32>, tensor<1536x512xf32>) -> tensor<128x512xf32>
  %y = arith.addf %h, %down : tensor<128x512xf32>
  return %y : tensor<128x512xf32>
}
