// Decoding: one query or a few of each head against long caches, for
// gpu_check.sh:
//
//   aikc benchmarks/gpu/decode.mlir --target=nvidia:sm_90a -o decode.aikx
//   aik-run decode.aikx --device nvidia:0 --bench

func.func @batch16_keys8192(%q: tensor<16x32x1x128xbf16>, %k: tensor<16x8x8192x128xbf16>, %v: tensor<16x8x8192x128xbf16>) -> tensor<16x32x1x128xbf16> {
  %r = aikernel.attention %q, %k, %v : (tensor<16x32x1x128xbf16>, tensor<16x8x8192x128xbf16>, tensor<16x8x8192x128xbf16>) -> tensor<16x32x1x128xbf16>
  return %r : tensor<16x32x1x128xbf16>
}

func.func @batch1_keys32768(%q: tensor<1x32x1x128xbf16>, %k: tensor<1x8x32768x128xbf16>, %v: tensor<1x8x32768x128xbf16>) -> tensor<1x32x1x128xbf16> {
  %r = aikernel.attention %q, %k, %v : (tensor<1x32x1x128xbf16>, tensor<1x8x32768x128xbf16>, tensor<1x8x32768x128xbf16>) -> tensor<1x32x1x128xbf16>
  return %r : tensor<1x32x1x128xbf16>
}

// Any batch and length, with a cache that is not full.
func.func @any_length(%q: tensor<?x32x1x128xbf16>, %k: tensor<?x8x?x128xbf16>, %v: tensor<?x8x?x128xbf16>, %n: tensor<?xi32>) -> tensor<?x32x1x128xbf16> {
  %r = aikernel.attention %q, %k, %v kv_len %n : (tensor<?x32x1x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?xi32>) -> tensor<?x32x1x128xbf16>
  return %r : tensor<?x32x1x128xbf16>
}

// Four queries of four heads: sixteen rows, and keys that not all of them see.
func.func @four_queries(%q: tensor<8x32x4x128xbf16>, %k: tensor<8x8x8192x128xbf16>, %v: tensor<8x8x8192x128xbf16>) -> tensor<8x32x4x128xbf16> {
  %r = aikernel.attention %q, %k, %v {causal} : (tensor<8x32x4x128xbf16>, tensor<8x8x8192x128xbf16>, tensor<8x8x8192x128xbf16>) -> tensor<8x32x4x128xbf16>
  return %r : tensor<8x32x4x128xbf16>
}

func.func @features64(%q: tensor<16x32x1x64xf16>, %k: tensor<16x8x8192x64xf16>, %v: tensor<16x8x8192x64xf16>) -> tensor<16x32x1x64xf16> {
  %r = aikernel.attention %q, %k, %v : (tensor<16x32x1x64xf16>, tensor<16x8x8192x64xf16>, tensor<16x8x8192x64xf16>) -> tensor<16x32x1x64xf16>
  return %r : tensor<16x32x1x64xf16>
}

func.func @features256(%q: tensor<8x32x1x256xbf16>, %k: tensor<8x8x8192x256xbf16>, %v: tensor<8x8x8192x256xbf16>) -> tensor<8x32x1x256xbf16> {
  %r = aikernel.attention %q, %k, %v {causal, window = 4096 : i64, softcap = 50.0 : f32} : (tensor<8x32x1x256xbf16>, tensor<8x8x8192x256xbf16>, tensor<8x8x8192x256xbf16>) -> tensor<8x32x1x256xbf16>
  return %r : tensor<8x32x1x256xbf16>
}
