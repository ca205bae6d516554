// Programs whose kernels are of several kinds, or almost of one.
// RUN: aikc %s --target=nvidia:sm_90a --emit=ptx -o %t
// RUN: FileCheck %s --input-file=%t

// Both kinds of kernels have shared memory whose size the launch says.
// CHECK-DAG: .extern .shared .align 128 .b8 aik_rows[];
// CHECK-DAG: .extern .shared .align 1024 .b8 aik_shared[];
// A cluster shares a row of 131072, not one of 50257, which begins at odd places.
// CHECK: .entry rows_0(
// CHECK: barrier.cluster.arrive
// CHECK: .entry vocabulary_0(
// CHECK-NOT: barrier.cluster.arrive
// CHECK: .entry scaled_0(

func.func @rows(%x: tensor<256x131072xbf16>) -> tensor<256x131072xbf16> {
  %1 = aikernel.softmax %x {axis = 1 : i64} : (tensor<256x131072xbf16>) -> tensor<256x131072xbf16>
  return %1 : tensor<256x131072xbf16>
}
func.func @vocabulary(%x: tensor<256x50257xbf16>) -> tensor<256x50257xbf16> {
  %1 = aikernel.softmax %x {axis = 1 : i64} : (tensor<256x50257xbf16>) -> tensor<256x50257xbf16>
  return %1 : tensor<256x50257xbf16>
}
func.func @scaled(%x: tensor<64x16384xf32>, %t: tensor<f32>) -> tensor<64x16384xf32> {
  %e = tensor.empty() : tensor<64x16384xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<64x16384xf32>, tensor<f32>) outs(%e : tensor<64x16384xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %m = arith.mulf %a, %s : f32
    linalg.yield %m : f32
  } -> tensor<64x16384xf32>
  %1 = aikernel.softmax %b {axis = 1 : i64} : (tensor<64x16384xf32>) -> tensor<64x16384xf32>
  return %1 : tensor<64x16384xf32>
}
func.func @scaledproduct(%x: tensor<256x512xbf16>, %w: tensor<512x1024xbf16>, %t: tensor<f32>) -> tensor<256x1024xf32> {
  %0 = aikernel.matmul %x, %w : (tensor<256x512xbf16>, tensor<512x1024xbf16>) -> tensor<256x1024xf32>
  %e = tensor.empty() : tensor<256x1024xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0, %t : tensor<256x1024xf32>, tensor<f32>) outs(%e : tensor<256x1024xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %m = arith.mulf %a, %s : f32
    linalg.yield %m : f32
  } -> tensor<256x1024xf32>
  return %b : tensor<256x1024xf32>
}
func.func @router(%x: tensor<4096x4096xbf16>, %w: tensor<8x4096xbf16>) -> tensor<4096x8xf32> {
  %0 = aikernel.linear %x, %w {transpose_b} : (tensor<4096x4096xbf16>, tensor<8x4096xbf16>) -> tensor<4096x8xf32>
  return %0 : tensor<4096x8xf32>
}
func.func @residual(%x: tensor<4x64x512xbf16>, %w: tensor<512x1024xbf16>, %r: tensor<4x64x1024xbf16>) -> tensor<4x64x1024xbf16> {
  %0 = aikernel.linear %x, %w : (tensor<4x64x512xbf16>, tensor<512x1024xbf16>) -> tensor<4x64x1024xbf16>
  %1 = arith.addf %0, %r : tensor<4x64x1024xbf16>
  return %1 : tensor<4x64x1024xbf16>
}
