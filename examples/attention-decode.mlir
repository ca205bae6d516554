// One step of decoding: a new token's keys and values go into the caches, and
// its queries look at all that is there. 8 query heads share 2 key heads.
//
// The caches are donated: `aikernel.donate = n` lets result n take the
// argument's memory, so a step writes one row instead of copying the cache
// (`aik-run --donate` runs it that way).
//
//   aik-run attention-decode.aikx --verify=ref
//   aik-run attention-decode.aikx --input position=full:40 --verify=ref

func.func @decode(
    %q: tensor<1x8x1x64xf32> {aikernel.name = "q"},
    %k: tensor<1x2x1x64xf32> {aikernel.name = "k"},
    %v: tensor<1x2x1x64xf32> {aikernel.name = "v"},
    %k_cache: tensor<1x2x256x64xf32> {aikernel.donate = 1 : i64, aikernel.name = "k_cache"},
    %v_cache: tensor<1x2x256x64xf32> {aikernel.donate = 2 : i64, aikernel.name = "v_cache"},
    %position: tensor<1xi32> {aikernel.name = "position"})
    -> (tensor<1x8x1x64xf32> {aikernel.name = "o"},
        tensor<1x2x256x64xf32> {aikernel.name = "k_next"},
        tensor<1x2x256x64xf32> {aikernel.name = "v_next"}) {
  %k_next = aikernel.kv_append %k_cache, %k, %position : (tensor<1x2x256x64xf32>, tensor<1x2x1x64xf32>, tensor<1xi32>) -> tensor<1x2x256x64xf32>
  %v_next = aikernel.kv_append %v_cache, %v, %position : (tensor<1x2x256x64xf32>, tensor<1x2x1x64xf32>, tensor<1xi32>) -> tensor<1x2x256x64xf32>
  %one = arith.constant dense<1> : tensor<1xi32>
  %length = arith.addi %position, %one : tensor<1xi32>
  %o = aikernel.attention %q, %k_next, %v_next kv_len %length {causal} : (tensor<1x8x1x64xf32>, tensor<1x2x256x64xf32>, tensor<1x2x256x64xf32>, tensor<1xi32>) -> tensor<1x8x1x64xf32>
  return %o, %k_next, %v_next : tensor<1x8x1x64xf32>, tensor<1x2x256x64xf32>, tensor<1x2x256x64xf32>
}
