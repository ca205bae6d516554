// Memory-bound kernels at sizes far beyond any cache, for gpu_check.sh:
//
//   aikc benchmarks/gpu/rows.mlir --target=nvidia:sm_90a -o rows.aikx
//   aik-run rows.aikx --device nvidia:0 --bench

func.func @softmax(%x: tensor<16384x8192xbf16>) -> tensor<16384x8192xbf16> {
  %r = aikernel.softmax %x {axis = 1 : i64} : (tensor<16384x8192xbf16>) -> tensor<16384x8192xbf16>
  return %r : tensor<16384x8192xbf16>
}

func.func @rms(%x: tensor<16384x8192xbf16>, %w: tensor<8192xbf16> {aikernel.weight}) -> tensor<16384x8192xbf16> {
  %r = aikernel.rms_norm %x, %w {eps = 1.0e-5 : f32} : (tensor<16384x8192xbf16>, tensor<8192xbf16>) -> tensor<16384x8192xbf16>
  return %r : tensor<16384x8192xbf16>
}

func.func @ln(%x: tensor<16384x8192xbf16>, %w: tensor<8192xbf16> {aikernel.weight}, %b: tensor<8192xbf16> {aikernel.weight}) -> tensor<16384x8192xbf16> {
  %r = aikernel.layer_norm %x, %w, %b {eps = 1.0e-5 : f32} : (tensor<16384x8192xbf16>, tensor<8192xbf16>, tensor<8192xbf16>) -> tensor<16384x8192xbf16>
  return %r : tensor<16384x8192xbf16>
}

func.func @swiglu(%x: tensor<16384x8192xbf16>, %y: tensor<16384x8192xbf16>) -> tensor<16384x8192xbf16> {
  %r = aikernel.swiglu %x, %y : (tensor<16384x8192xbf16>, tensor<16384x8192xbf16>) -> tensor<16384x8192xbf16>
  return %r : tensor<16384x8192xbf16>
}
