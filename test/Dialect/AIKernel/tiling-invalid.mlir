// RUN: aik-opt %s --transform-interpreter --split-input-file --verify-diagnostics

// Three query heads do not fit groups of two.
func.func @straddle(%q: tensor<1x6x5x64xf32>, %k: tensor<1x3x5x64xf32>) -> tensor<1x6x5x64xf32> {
  // expected-error-re @+2 {{op fail{{.*}}d to tile operation}}
  // expected-error @+1 {{op failed to generate tiling loops}}
  %o = aikernel.attention %q, %k, %k : (tensor<1x6x5x64xf32>, tensor<1x3x5x64xf32>, tensor<1x3x5x64xf32>) -> tensor<1x6x5x64xf32>
  return %o : tensor<1x6x5x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["aikernel.attention"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
