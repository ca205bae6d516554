// An input that is used only after the reduction is in registers before the next
// row is asked for: that one takes its place.
// RUN: aik-opt %s --aik-stream-long-rows | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: gpu.func @f_0
// CHECK: scf.for
// CHECK: nvvm.cp.async.wait.group
// CHECK-COUNT-8: vector.load %{{.*}} : memref<{{[0-9]}}x4x512x8xbf16, #gpu.address_space<workgroup>>
// CHECK-NOT: vector.load
// CHECK-COUNT-8: nvgpu.device_async_copy
// CHECK: nvvm.mbarrier.try_wait
// CHECK-NOT: vector.load
// CHECK: gpu.return

module attributes {gpu.container_module, aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func @f(%x: memref<64x131072xbf16>, %w: memref<64x131072xbf16>, %y: memref<64x131072xbf16>) {
    %one = arith.constant 1 : index
    %rows = arith.constant 64 : index
    %threads = arith.constant 256 : index
    gpu.launch_func @device::@f_0 blocks in (%rows, %one, %one) threads in (%threads, %one, %one) args(%x : memref<64x131072xbf16>, %w : memref<64x131072xbf16>, %y : memref<64x131072xbf16>)
    return
  }
  func.func private @f_0$twin(%x: memref<64x131072xbf16>, %w: memref<64x131072xbf16>, %y: memref<64x131072xbf16>) {
    return
  }
  gpu.module @device {
    gpu.func @f_0(%x: memref<64x131072xbf16>, %w: memref<64x131072xbf16>, %y: memref<64x131072xbf16>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %i = gpu.block_id x
      %in = memref.subview %x[%i, 0] [1, 131072] [1, 1] : memref<64x131072xbf16> to memref<1x131072xbf16, strided<[131072, 1], offset: ?>>
      %out = memref.subview %y[%i, 0] [1, 131072] [1, 1] : memref<64x131072xbf16> to memref<1x131072xbf16, strided<[131072, 1], offset: ?>>
      %late = memref.subview %w[%i, 0] [1, 131072] [1, 1] : memref<64x131072xbf16> to memref<1x131072xbf16, strided<[131072, 1], offset: ?>>
      %sum = memref.alloca() : memref<1xf32>
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%sum : memref<1xf32>)
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%in : memref<1x131072xbf16, strided<[131072, 1], offset: ?>>) outs(%sum : memref<1xf32>) {
      ^bb0(%a: bf16, %o: f32):
        %1 = arith.extf %a : bf16 to f32
        %2 = arith.addf %o, %1 : f32
        linalg.yield %2 : f32
      }
      linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%in, %sum, %late : memref<1x131072xbf16, strided<[131072, 1], offset: ?>>, memref<1xf32>, memref<1x131072xbf16, strided<[131072, 1], offset: ?>>) outs(%out : memref<1x131072xbf16, strided<[131072, 1], offset: ?>>) {
      ^bb0(%a: bf16, %s: f32, %b: bf16, %o: bf16):
        %1 = arith.extf %a : bf16 to f32
        %2 = arith.extf %b : bf16 to f32
        %3 = arith.mulf %1, %s : f32
        %4 = arith.mulf %3, %2 : f32
        %5 = arith.truncf %4 : f32 to bf16
        linalg.yield %5 : bf16
      }
      gpu.return
    }
  }
}
