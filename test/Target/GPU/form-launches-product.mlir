// A product with a schedule is a launch of its own: blocks take tiles in turn, and
// each matrix is a parameter, even one that is given twice.
// RUN: aik-opt %s --aik-form-launches --canonicalize | FileCheck %s

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>

// CHECK: gpu.func @f_0(%[[A:.*]]: memref<?x384xbf16>, %[[B:.*]]: memref<?x384xbf16>, %[[D:.*]]: memref<?x384xbf16>, %[[R:.*]]: index, %[[E:.*]]: memref<?x384xbf16>) kernel
// CHECK-SAME: known_block_size = array<i32: 384, 1, 1>
// CHECK: aik_tile.product %[[A]], %[[B]] extras(%[[E]] : memref<?x384xbf16>) outs %[[D]] rows %[[R]]

// The twin is three loops.
// CHECK-LABEL: func.func private @f_0$twin(
// CHECK-SAME: %[[A:.*]]: memref<?x384xbf16>, %{{.*}}: memref<?x384xbf16>, %[[D:.*]]: memref<?x384xbf16>, %{{.*}}: index, %[[E:.*]]: memref<?x384xbf16>)
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[S:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args
// CHECK: memref.load %{{.*}}[%[[I]], %[[K]]]
// CHECK: memref.load %{{.*}}[%[[J]], %[[K]]]
// CHECK: %[[X:.*]] = memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK: %[[T:.*]] = arith.truncf %[[S]]
// CHECK: arith.addf %[[T]], %[[X]]
// CHECK: memref.store %{{.*}}, %[[D]][%[[I]], %[[J]]]

// As many blocks as there are tiles in clusters, but no more than the schedule says.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: memref<?x384xbf16>, %[[Y:.*]]: memref<?x384xbf16>)
// CHECK: %[[ROWS:.*]] = memref.dim %[[Y]]
// CHECK: %[[TILES:.*]] = arith.ceildivsi %[[ROWS]], %c256
// CHECK: %[[ALL:.*]] = arith.muli %[[TILES]], %c4
// CHECK: %[[BLOCKS:.*]] = arith.minsi %[[ALL]], %c132
// CHECK: gpu.launch_func @device::@f_0 blocks in (%[[BLOCKS]], %c1, %c1) threads in (%c384, %c1, %c1) args(%[[X]] : memref<?x384xbf16>, %[[X]] : memref<?x384xbf16>, %[[Y]] : memref<?x384xbf16>, %[[ROWS]] : index, %[[X]] : memref<?x384xbf16>)
func.func @f(%x: memref<?x384xbf16>, %y: memref<?x384xbf16>) attributes {aikernel.entry = "run"} {
  aik_tile.product %x, %x extras(%x : memref<?x384xbf16>) outs %y attributes {extra_maps = [affine_map<(i, j) -> (i, j)>], rhs_transposed, schedule = #schedule} {
  ^bb0(%sum: f32, %more: bf16):
    %0 = arith.truncf %sum : f32 to bf16
    %1 = arith.addf %0, %more : bf16
    aik_tile.yield %1 : bf16
  } : (memref<?x384xbf16>, memref<?x384xbf16>, memref<?x384xbf16>)
  return
}

// Where all threads copy and multiply nobody else loads.
// CHECK-LABEL: func.func @all(
// CHECK: gpu.launch_func @device::@all_0 blocks in (%c4, %c1, %c1) threads in (%c128, %c1, %c1)
func.func @all(%x: memref<128x384xbf16>, %w: memref<128x384xbf16>, %y: memref<128x128xf32>) attributes {aikernel.entry = "run"} {
  aik_tile.product %x, %w outs %y attributes {extra_maps = [], rhs_transposed, schedule = #aik_tile.schedule<rows = 64, columns = 64, depth = 32, stages = 4, boxes = 0, cluster = 1, warpgroups = 1, registers = 0, load_registers = 0, blocks = 1073741824, group = 8>} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (memref<128x384xbf16>, memref<128x384xbf16>, memref<128x128xf32>)
  return
}
