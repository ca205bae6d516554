// What is done to sums, and how much is read beside them, for tile-schedules.test.
func.func @large(%x: tensor<8192x8192xbf16>, %w: tensor<8192x8192xbf16>, %v0: tensor<8192xbf16>) -> tensor<8192x8192xbf16> {
  %s = aikernel.matmul %x, %w {transpose_b} : (tensor<8192x8192xbf16>, tensor<8192x8192xbf16>) -> tensor<8192x8192xf32>
  %d = tensor.empty() : tensor<8192x8192xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %v0 : tensor<8192x8192xf32>, tensor<8192xbf16>) outs(%d : tensor<8192x8192xbf16>) {
  ^bb0(%0: f32, %e0: bf16, %o: bf16):
    %1 = arith.extf %e0 : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    %last = arith.truncf %2 : f32 to bf16
    linalg.yield %last : bf16
  } -> tensor<8192x8192xbf16>
  return %y : tensor<8192x8192xbf16>
}
func.func @bytes(%x: tensor<8192x8192xf8E4M3FN>, %w: tensor<8192x8192xf8E4M3FN>, %v0: tensor<8192xf32>, %v1: tensor<8192xf32>) -> tensor<8192x8192xbf16> {
  %s = aikernel.matmul %x, %w {fast, transpose_b} : (tensor<8192x8192xf8E4M3FN>, tensor<8192x8192xf8E4M3FN>) -> tensor<8192x8192xf32>
  %d = tensor.empty() : tensor<8192x8192xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %v0, %v1 : tensor<8192x8192xf32>, tensor<8192xf32>, tensor<8192xf32>) outs(%d : tensor<8192x8192xbf16>) {
  ^bb0(%0: f32, %e0: f32, %e1: f32, %o: bf16):
    %1 = arith.mulf %0, %e0 : f32
    %2 = arith.mulf %1, %e1 : f32
    %last = arith.truncf %2 : f32 to bf16
    linalg.yield %last : bf16
  } -> tensor<8192x8192xbf16>
  return %y : tensor<8192x8192xbf16>
}
func.func @scales(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %v0: tensor<4096xf32>, %v1: tensor<4096xf32>) -> tensor<4096x4096xbf16> {
  %s = aikernel.matmul %x, %w {transpose_b} : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
  %d = tensor.empty() : tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %v0, %v1 : tensor<4096x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%d : tensor<4096x4096xbf16>) {
  ^bb0(%0: f32, %e0: f32, %e1: f32, %o: bf16):
    %1 = arith.mulf %0, %e0 : f32
    %2 = arith.mulf %1, %e1 : f32
    %last = arith.truncf %2 : f32 to bf16
    linalg.yield %last : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}
func.func @tanhbias(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %v0: tensor<4096xbf16>) -> tensor<4096x4096xbf16> {
  %s = aikernel.matmul %x, %w {transpose_b} : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
  %d = tensor.empty() : tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %v0 : tensor<4096x4096xf32>, tensor<4096xbf16>) outs(%d : tensor<4096x4096xbf16>) {
  ^bb0(%0: f32, %e0: bf16, %o: bf16):
    %1 = arith.extf %e0 : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = math.tanh %2 : f32
    %last = arith.truncf %3 : f32 to bf16
    linalg.yield %last : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}
func.func @tanhscales(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %v0: tensor<4096xf32>, %v1: tensor<4096xf32>) -> tensor<4096x4096xbf16> {
  %s = aikernel.matmul %x, %w {transpose_b} : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
  %d = tensor.empty() : tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %v0, %v1 : tensor<4096x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%d : tensor<4096x4096xbf16>) {
  ^bb0(%0: f32, %e0: f32, %e1: f32, %o: bf16):
    %1 = arith.mulf %0, %e0 : f32
    %2 = arith.mulf %1, %e1 : f32
    %3 = math.tanh %2 : f32
    %last = arith.truncf %3 : f32 to bf16
    linalg.yield %last : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}
func.func @log(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %s = aikernel.matmul %x, %w {transpose_b} : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
  %d = tensor.empty() : tensor<4096x4096xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4096x4096xf32>) outs(%d : tensor<4096x4096xbf16>) {
  ^bb0(%0: f32, %o: bf16):
    %1 = math.log %0 : f32
    %last = arith.truncf %1 : f32 to bf16
    linalg.yield %last : bf16
  } -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}
