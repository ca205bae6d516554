// A maximum that is asked for again is exchanged by itself.
// RUN: aik-opt %s --aik-stream-long-rows | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: gpu.func @f_0
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait
// CHECK: math.exp %{{.*}} {aikernel.at_most_zero} : vector<8xf32>
// CHECK: nvvm.mbarrier.try_wait
// CHECK-NOT: math.exp
// CHECK: vector.store

module attributes {gpu.container_module, aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func @f(%x: memref<64x131072xbf16>, %y: memref<64x131072xf32>) {
    %one = arith.constant 1 : index
    %rows = arith.constant 64 : index
    %threads = arith.constant 256 : index
    gpu.launch_func @device::@f_0 blocks in (%rows, %one, %one) threads in (%threads, %one, %one) args(%x : memref<64x131072xbf16>, %y : memref<64x131072xf32>)
    return
  }
  func.func private @f_0$twin(%x: memref<64x131072xbf16>, %y: memref<64x131072xf32>) {
    return
  }
  gpu.module @device {
    gpu.func @f_0(%x: memref<64x131072xbf16>, %y: memref<64x131072xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %i = gpu.block_id x
      %in = memref.subview %x[%i, 0] [1, 131072] [1, 1] : memref<64x131072xbf16> to memref<1x131072xbf16, strided<[131072, 1], offset: ?>>
      %out = memref.subview %y[%i, 0] [1, 131072] [1, 1] : memref<64x131072xf32> to memref<1x131072xf32, strided<[131072, 1], offset: ?>>
      %m = memref.alloca() : memref<1xf32>
      %e = memref.alloca() : memref<1x131072xf32>
      %zero = arith.constant 0.0 : f32
      %least = arith.constant 0xFF800000 : f32
      linalg.fill ins(%least : f32) outs(%m : memref<1xf32>)
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%in : memref<1x131072xbf16, strided<[131072, 1], offset: ?>>) outs(%m : memref<1xf32>) {
      ^bb0(%a: bf16, %o: f32):
        %1 = arith.extf %a : bf16 to f32
        %2 = arith.maximumf %o, %1 : f32
        linalg.yield %2 : f32
      }
      linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%in, %m : memref<1x131072xbf16, strided<[131072, 1], offset: ?>>, memref<1xf32>) outs(%e : memref<1x131072xf32>) {
      ^bb0(%a: bf16, %top: f32, %o: f32):
        %1 = arith.cmpf oeq, %top, %least : f32
        %2 = arith.select %1, %zero, %top : f32
        %3 = arith.extf %a : bf16 to f32
        %4 = arith.subf %3, %2 : f32
        %5 = math.exp %4 {aikernel.at_most_zero} : f32
        linalg.yield %5 : f32
      }
      %n = memref.alloca() : memref<1xf32>
      linalg.fill ins(%zero : f32) outs(%n : memref<1xf32>)
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%e : memref<1x131072xf32>) outs(%n : memref<1xf32>) {
      ^bb0(%a: f32, %o: f32):
        %1 = arith.addf %o, %a : f32
        linalg.yield %1 : f32
      }
      linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %m : memref<1x131072xf32>, memref<1xf32>) outs(%out : memref<1x131072xf32, strided<[131072, 1], offset: ?>>) {
      ^bb0(%a: f32, %s: f32, %o: f32):
        %1 = arith.divf %a, %s : f32
        linalg.yield %1 : f32
      }
      gpu.return
    }
  }
}
