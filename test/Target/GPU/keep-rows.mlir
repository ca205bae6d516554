// Temporaries of rows that stay in registers are scratch, however long.
// RUN: aik-opt %s --aik-keep-rows | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // A block holds 16384 elements, a cluster more where there is a reduction.
  // CHECK-LABEL: @long_rows
  // CHECK-NOT: memref.alloc()
  // CHECK: memref.alloca() : memref<1xf32>
  // CHECK-NOT: memref.alloc()
  // CHECK: memref.alloca() : memref<1x131072xf32>
  // CHECK-NOT: memref.alloc()
  func.func @long_rows(%x: memref<64x131072xf32>, %y: memref<64x131072xf32>) {
    scf.forall (%i) in (64) {
      %part = memref.subview %x[%i, 0] [1, 131072] [1, 1] : memref<64x131072xf32> to memref<1x131072xf32, strided<[131072, 1], offset: ?>>
      %out = memref.subview %y[%i, 0] [1, 131072] [1, 1] : memref<64x131072xf32> to memref<1x131072xf32, strided<[131072, 1], offset: ?>>
      %sum = memref.alloc() : memref<1xf32>
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%sum : memref<1xf32>)
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%part : memref<1x131072xf32, strided<[131072, 1], offset: ?>>) outs(%sum : memref<1xf32>) {
      ^bb0(%in: f32, %o: f32):
        %1 = arith.addf %o, %in : f32
        linalg.yield %1 : f32
      }
      %double = memref.alloc() : memref<1x131072xf32>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%part : memref<1x131072xf32, strided<[131072, 1], offset: ?>>) outs(%double : memref<1x131072xf32>) {
      ^bb0(%in: f32, %o: f32):
        %1 = arith.addf %in, %in : f32
        linalg.yield %1 : f32
      }
      linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%double, %sum : memref<1x131072xf32>, memref<1xf32>) outs(%out : memref<1x131072xf32, strided<[131072, 1], offset: ?>>) {
      ^bb0(%in: f32, %s: f32, %o: f32):
        %1 = arith.mulf %in, %s : f32
        linalg.yield %1 : f32
      }
    }
    return
  }

  // Rows that begin at odd places cannot be copied to shared memory.
  // CHECK-LABEL: @odd_rows
  // CHECK: memref.alloc() : memref<1x50257xf32>
  func.func @odd_rows(%x: memref<64x50257xbf16>, %y: memref<64x50257xf32>) {
    scf.forall (%i) in (64) {
      %part = memref.subview %x[%i, 0] [1, 50257] [1, 1] : memref<64x50257xbf16> to memref<1x50257xbf16, strided<[50257, 1], offset: ?>>
      %out = memref.subview %y[%i, 0] [1, 50257] [1, 1] : memref<64x50257xf32> to memref<1x50257xf32, strided<[50257, 1], offset: ?>>
      %sum = memref.alloc() : memref<1xf32>
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%sum : memref<1xf32>)
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%part : memref<1x50257xbf16, strided<[50257, 1], offset: ?>>) outs(%sum : memref<1xf32>) {
      ^bb0(%in: bf16, %o: f32):
        %0 = arith.extf %in : bf16 to f32
        %1 = arith.addf %o, %0 : f32
        linalg.yield %1 : f32
      }
      %double = memref.alloc() : memref<1x50257xf32>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%part : memref<1x50257xbf16, strided<[50257, 1], offset: ?>>) outs(%double : memref<1x50257xf32>) {
      ^bb0(%in: bf16, %o: f32):
        %0 = arith.extf %in : bf16 to f32
        %1 = arith.addf %0, %0 : f32
        linalg.yield %1 : f32
      }
      linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%double, %sum : memref<1x50257xf32>, memref<1xf32>) outs(%out : memref<1x50257xf32, strided<[50257, 1], offset: ?>>) {
      ^bb0(%in: f32, %s: f32, %o: f32):
        %1 = arith.mulf %in, %s : f32
        linalg.yield %1 : f32
      }
    }
    return
  }

  // What no block and no cluster can hold stays what it was.
  // CHECK-LABEL: @too_long
  // CHECK: memref.alloc() : memref<1x1048576xf32>
  func.func @too_long(%x: memref<64x1048576xf32>, %y: memref<64x1048576xf32>) {
    scf.forall (%i) in (64) {
      %part = memref.subview %x[%i, 0] [1, 1048576] [1, 1] : memref<64x1048576xf32> to memref<1x1048576xf32, strided<[1048576, 1], offset: ?>>
      %out = memref.subview %y[%i, 0] [1, 1048576] [1, 1] : memref<64x1048576xf32> to memref<1x1048576xf32, strided<[1048576, 1], offset: ?>>
      %double = memref.alloc() : memref<1x1048576xf32>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%part : memref<1x1048576xf32, strided<[1048576, 1], offset: ?>>) outs(%double : memref<1x1048576xf32>) {
      ^bb0(%in: f32, %o: f32):
        %1 = arith.addf %in, %in : f32
        linalg.yield %1 : f32
      }
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%double : memref<1x1048576xf32>) outs(%out : memref<1x1048576xf32, strided<[1048576, 1], offset: ?>>) {
      ^bb0(%in: f32, %o: f32):
        %1 = arith.mulf %in, %in : f32
        linalg.yield %1 : f32
      }
    }
    return
  }
}
