// Inputs that are wider than the result: a thread has as many elements at once
// as one copy to shared memory takes.
// RUN: aik-opt %s --aik-stream-long-rows | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: gpu.func @f_0
// CHECK-SAME: aikernel.shared_bytes = 131072 : i32
// Two rows of 8 pieces come before the loop, and one in it.
// CHECK-COUNT-16: nvgpu.device_async_copy %{{.*}}, 4 {bypassL1}
// CHECK: scf.for
// CHECK-COUNT-8: vector.load %{{.*}} {alignment = 16 : i64} : memref<2x8x512x4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK-COUNT-8: nvgpu.device_async_copy
// CHECK-NOT: nvgpu.device_async_copy
// CHECK-COUNT-8: vector.store %{{.*}} {alignment = 8 : i64} : {{.*}}, vector<4xbf16>
// CHECK-NOT: vector.store

module attributes {gpu.container_module, aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx81", vector_bits = 128>} {
  func.func @f(%x: memref<64x131072xf32>, %y: memref<64x131072xbf16>) {
    %one = arith.constant 1 : index
    %rows = arith.constant 64 : index
    %threads = arith.constant 256 : index
    gpu.launch_func @device::@f_0 blocks in (%rows, %one, %one) threads in (%threads, %one, %one) args(%x : memref<64x131072xf32>, %y : memref<64x131072xbf16>)
    return
  }
  func.func private @f_0$twin(%x: memref<64x131072xf32>, %y: memref<64x131072xbf16>) {
    return
  }
  gpu.module @device {
    gpu.func @f_0(%x: memref<64x131072xf32>, %y: memref<64x131072xbf16>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %i = gpu.block_id x
      %in = memref.subview %x[%i, 0] [1, 131072] [1, 1] : memref<64x131072xf32> to memref<1x131072xf32, strided<[131072, 1], offset: ?>>
      %out = memref.subview %y[%i, 0] [1, 131072] [1, 1] : memref<64x131072xbf16> to memref<1x131072xbf16, strided<[131072, 1], offset: ?>>
      %sum = memref.alloca() : memref<1xf32>
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%sum : memref<1xf32>)
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%in : memref<1x131072xf32, strided<[131072, 1], offset: ?>>) outs(%sum : memref<1xf32>) {
      ^bb0(%a: f32, %o: f32):
        %1 = arith.addf %o, %a : f32
        linalg.yield %1 : f32
      }
      linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%in, %sum : memref<1x131072xf32, strided<[131072, 1], offset: ?>>, memref<1xf32>) outs(%out : memref<1x131072xbf16, strided<[131072, 1], offset: ?>>) {
      ^bb0(%a: f32, %s: f32, %o: bf16):
        %1 = arith.mulf %a, %s : f32
        %2 = arith.truncf %1 : f32 to bf16
        linalg.yield %2 : bf16
      }
      gpu.return
    }
  }
}
