// A kernel of whole rows keeps them in registers: one load of each element, no
// scratch, one barrier per reduction of a whole block.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-distribute-threads))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#number = affine_map<(d0) -> (d0)>

gpu.module @device {
  // A row of 4096 bf16 for 256 threads: two vectors of 16 bytes each.
  // CHECK-LABEL: gpu.func @block
  // CHECK-SAME: workgroup(%[[ROOM:.*]] : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
  // All threads together read 2048 elements at once.
  // CHECK: %[[STEP:.*]] = arith.constant 2048 : index
  // CHECK: %[[SECOND:.*]] = arith.addi %{{.*}}, %[[STEP]] : index
  // CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<1x4096xbf16{{.*}}>, vector<8xbf16>
  // CHECK: vector.load %{{.*}}, %[[SECOND]]] {alignment = 16 : i64} : memref<1x4096xbf16{{.*}}>, vector<8xbf16>
  // CHECK-NOT: vector.load {{.*}}1x4096
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK: memref.store %{{.*}}, %[[ROOM]]
  // CHECK: gpu.barrier
  // CHECK-COUNT-8: memref.load %[[ROOM]]
  // CHECK-NOT: gpu.barrier
  // CHECK: math.rsqrt %{{.*}} : f32
  // CHECK-COUNT-2: vector.load %{{.*}} {alignment = 16 : i64} : memref<4096xbf16>, vector<8xbf16>
  // CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<1x4096xbf16{{.*}}>, vector<8xbf16>
  // CHECK: vector.store
  // CHECK-NOT: memref.alloca
  gpu.func @block(%xs: memref<16x4096xbf16>, %w: memref<4096xbf16>, %ys: memref<16x4096xbf16>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %i = gpu.block_id x
    %x = memref.subview %xs[%i, 0] [1, 4096] [1, 1] : memref<16x4096xbf16> to memref<1x4096xbf16, strided<[4096, 1], offset: ?>>
    %y = memref.subview %ys[%i, 0] [1, 4096] [1, 1] : memref<16x4096xbf16> to memref<1x4096xbf16, strided<[4096, 1], offset: ?>>
    %sum = memref.alloca() : memref<1xf32>
    linalg.fill ins(%zero : f32) outs(%sum : memref<1xf32>)
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<1x4096xbf16, strided<[4096, 1], offset: ?>>) outs(%sum : memref<1xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %1 = arith.extf %in : bf16 to f32
      %2 = arith.mulf %1, %1 : f32
      %3 = arith.addf %out, %2 : f32
      linalg.yield %3 : f32
    }
    linalg.generic {indexing_maps = [#number, #number], iterator_types = ["parallel"]} ins(%sum : memref<1xf32>) outs(%sum : memref<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = math.rsqrt %in : f32
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum, %w : memref<1x4096xbf16, strided<[4096, 1], offset: ?>>, memref<1xf32>, memref<4096xbf16>) outs(%y : memref<1x4096xbf16, strided<[4096, 1], offset: ?>>) {
    ^bb0(%in: bf16, %s: f32, %g: bf16, %out: bf16):
      %1 = arith.extf %in : bf16 to f32
      %2 = arith.extf %g : bf16 to f32
      %3 = arith.mulf %1, %s : f32
      %4 = arith.mulf %3, %2 : f32
      %5 = arith.truncf %4 : f32 to bf16
      linalg.yield %5 : bf16
    }
    gpu.return
  }

  // Short rows: a warp for each, and no barrier. 100 columns are 25 vectors of
  // four for 32 lanes: the last ones have none.
  // CHECK-LABEL: gpu.func @warp
  // CHECK: scf.for %[[R:.*]] = %{{.*}} to %{{.*}} step %c8
  // CHECK: scf.if %{{.*}} -> (vector<4xf32>)
  // CHECK:   vector.load %{{.*}}[%[[R]], %{{.*}}] {alignment = 16 : i64}
  // CHECK: arith.maximumf
  // CHECK: scf.if
  // CHECK:   vector.store
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @warp(%x: memref<8x100xf32>, %y: memref<8x100xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.maximumf %in, %zero : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }

  // Rows that begin at odd places are loaded element by element.
  // CHECK-LABEL: gpu.func @odd
  // CHECK-NOT: vector.load
  // CHECK: memref.load %{{.*}} : memref<1x96xf32{{.*}}>
  gpu.func @odd(%xs: memref<200xf32>, %y: memref<1x96xf32>, %n: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %part = memref.subview %xs[%n] [96] [1] : memref<200xf32> to memref<96xf32, strided<[1], offset: ?>>
    %x = memref.expand_shape %part [[0, 1]] output_shape [1, 96] : memref<96xf32, strided<[1], offset: ?>> into memref<1x96xf32, strided<[96, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1x96xf32, strided<[96, 1], offset: ?>>) outs(%y : memref<1x96xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %in, %in : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }

  // What was written is read as a part of it: through memory, behind a barrier.
  // CHECK-LABEL: gpu.func @through_memory
  // CHECK: vector.store
  // CHECK: gpu.barrier
  // CHECK: vector.load {{.*}} : memref<8x96xf32, strided<[96, 1]>>
  gpu.func @through_memory(%x: memref<8x96xf32>, %y: memref<8x96xf32>, %z: memref<8x96xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x96xf32>) outs(%y : memref<8x96xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %in, %in : f32
      linalg.yield %1 : f32
    }
    %part = memref.subview %y[0, 0] [8, 96] [1, 1] : memref<8x96xf32> to memref<8x96xf32, strided<[96, 1]>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%part : memref<8x96xf32, strided<[96, 1]>>) outs(%z : memref<8x96xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %in, %in : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }

  // One row has no index, and neither have its numbers: all threads add them
  // up, keep the sum in registers, and one of them stores it.
  // CHECK-LABEL: gpu.func @no_index
  // CHECK: vector.load %{{.*}} : memref<128xf32>, vector<4xf32>
  // CHECK-NOT: vector.store
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK: scf.if
  // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[] : memref<f32>
  // CHECK-NOT: memref.load
  // CHECK: vector.store %{{.*}} : memref<128xf32>, vector<4xf32>
  gpu.func @no_index(%x: memref<128xf32>, %sum: memref<f32>, %y: memref<128xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    linalg.generic {indexing_maps = [#number, #number], iterator_types = ["parallel"]} ins(%x : memref<128xf32>) outs(%y : memref<128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.mulf %in, %in : f32
      linalg.yield %1 : f32
    }
    linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
    linalg.generic {indexing_maps = [#number, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%y : memref<128xf32>) outs(%sum : memref<f32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %out, %in : f32
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#number, affine_map<(d0) -> ()>, #number], iterator_types = ["parallel"]} ins(%x, %sum : memref<128xf32>, memref<f32>) outs(%y : memref<128xf32>) {
    ^bb0(%in: f32, %s: f32, %out: f32):
      %1 = arith.subf %in, %s : f32
      linalg.yield %1 : f32
    }
    gpu.return
  }
}
