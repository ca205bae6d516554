// Where no warps load for others, schedules have none: on devices before sm_90a
// and on AMD's. Only 16-bit floats are multiplied so.
// RUN: sed s/TARGET/nvidia:sm_80/ %s | aik-opt --split-input-file --aik-form-tile-products | FileCheck %s --check-prefixes=CHECK,WARP
// RUN: sed s/TARGET/nvidia:sm_89/ %s | aik-opt --split-input-file --aik-form-tile-products | FileCheck %s --check-prefixes=CHECK,WARP
// RUN: sed s/TARGET/amd:gfx942/ %s | aik-opt --split-input-file --aik-form-tile-products | FileCheck %s --check-prefixes=CHECK,WAVE
// RUN: sed s/TARGET/amd:gfx1100/ %s | aik-opt --split-input-file --aik-form-tile-products | FileCheck %s --check-prefixes=CHECK,WAVE

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"TARGET", arch = "x", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func.func private @large
  // CHECK: aik_tile.product
  // CHECK-SAME: rhs_transposed
  // WARP-SAME: schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 32, stages = 4, boxes = 0, cluster = 1, warpgroups = 2, registers = 0, load_registers = 0, blocks = 1073741824, group = 8>
  // WAVE-SAME: schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 32, stages = 2, boxes = 0, cluster = 1, warpgroups = 2, registers = 0, load_registers = 0, blocks = 1073741824, group = 8>
  func.func private @large(%x: tensor<?x256xbf16>, %w: tensor<4096x256xbf16>, %d: tensor<?x4096xf32>) -> tensor<?x4096xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<?x4096xf32>) -> tensor<?x4096xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x256xbf16>, tensor<4096x256xbf16>) outs(%z : tensor<?x4096xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: bf16, %q: bf16, %acc: f32):
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<?x4096xf32>
    return %s : tensor<?x4096xf32>
  }
  // CHECK-LABEL: func.func private @small
  // CHECK: aik_tile.product
  // CHECK-SAME: schedule = #aik_tile.schedule<rows = 64, columns = 64, depth = 32, {{.*}}, warpgroups = 1,
  func.func private @small(%x: tensor<64x256xf16>, %w: tensor<512x256xf16>, %d: tensor<64x512xf32>) -> tensor<64x512xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<64x512xf32>) -> tensor<64x512xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<64x256xf16>, tensor<512x256xf16>) outs(%z : tensor<64x512xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<64x512xf32>
    return %s : tensor<64x512xf32>
  }
  // CHECK-LABEL: func.func private @bytes
  // CHECK-NOT: aik_tile.product
  func.func private @bytes(%x: tensor<64x256xf8E4M3FN>, %w: tensor<512x256xf8E4M3FN>, %d: tensor<64x512xf32>) -> tensor<64x512xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<64x512xf32>) -> tensor<64x512xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<64x256xf8E4M3FN>, tensor<512x256xf8E4M3FN>) outs(%z : tensor<64x512xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: f8E4M3FN, %q: f8E4M3FN, %acc: f32):
      %0 = arith.extf %p : f8E4M3FN to f32
      %1 = arith.extf %q : f8E4M3FN to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<64x512xf32>
    return %s : tensor<64x512xf32>
  }
}
