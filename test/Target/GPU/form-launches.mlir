// What touches tensors becomes kernels, and twins of them on the host.
// RUN: aik-opt %s --aik-form-launches | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// CHECK: gpu.module @device
// CHECK: memref.global "private" constant @numbers : memref<4xf32, #gpu.address_space<global>> = dense<

// One block per iteration; the scalar travels as a word.
// CHECK: gpu.func @grid_0(%[[X:.*]]: memref<?x8xf32>, %[[W:.*]]: i64, %{{.*}}: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// CHECK-DAG: %[[BITS:.*]] = arith.trunci %[[W]] : i64 to i32
// CHECK-DAG: %[[S:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: linalg.fill ins(%[[S]] : f32)
// CHECK: gpu.return

// An op alone is spread over the grid.
// CHECK: gpu.func @copy_0
// CHECK: linalg.generic {{.*}} attrs = {aikernel.spread}

// Few sums are a block's.
// CHECK: gpu.func @sum_0
// CHECK-NOT: aikernel.spread
// CHECK: gpu.return

// What is read for an offset is read in the kernel that needs it.
// CHECK: gpu.func @offset_0
// CHECK: %[[AT:.*]] = memref.load
// CHECK: %[[I:.*]] = arith.index_cast %[[AT]]
// CHECK: memref.subview %{{.*}}[%[[I]]]
// CHECK: linalg.generic {{.*}} attrs = {aikernel.spread}

// A loop around single elements runs in one block.
// CHECK: gpu.func @elements_0
// CHECK: scf.for
// CHECK: memref.store

// A check of what a tensor holds is the device's.
// CHECK: gpu.func @check_0
// CHECK: aikernel.check

// A table of constants is in the memory of who reads it.
// CHECK: gpu.func @table_0
// CHECK: memref.get_global @numbers : memref<4xf32, #gpu.address_space<global>>
// CHECK: linalg.generic

// CHECK: gpu.func @chosen_0
// CHECK: scf.execute_region
// CHECK: scf.if
// CHECK: linalg.generic

// CHECK: func.func private @grid_0$twin(%{{.*}}: memref<?x8xf32>, %{{.*}}: i64, %{{.*}}: index)
// CHECK: scf.forall
// CHECK-LABEL: func.func @grid(
// CHECK-NOT: scf.forall
// CHECK: gpu.launch_func @device::@grid_0 blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%c256
func.func @grid(%x: memref<?x8xf32>, %s: f32, %n: index) attributes {aikernel.entry = "run"} {
  scf.forall (%i) in (%n) {
    %row = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    linalg.fill ins(%s : f32) outs(%row : memref<1x8xf32, strided<[8, 1], offset: ?>>)
  }
  return
}

// CHECK-LABEL: func.func @copy(
// CHECK-NOT: memref.copy
// CHECK: gpu.launch_func @device::@copy_0
func.func @copy(%x: memref<64xf32>, %y: memref<64xf32>) attributes {aikernel.entry = "run"} {
  memref.copy %x, %y : memref<64xf32> to memref<64xf32>
  return
}

// CHECK-LABEL: func.func @sum(
// CHECK: gpu.launch_func @device::@sum_0 blocks in (%c1{{[_0-9]*}}, %c1{{[_0-9]*}}, %c1{{[_0-9]*}})
func.func @sum(%x: memref<1x4096xf32>, %y: memref<1xf32>) attributes {aikernel.entry = "run"} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<1x4096xf32>) outs(%y : memref<1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @offset(
// CHECK-NOT: memref.load
// CHECK: gpu.launch_func @device::@offset_0
func.func @offset(%x: memref<4xf32>, %y: memref<64xf32>, %at: memref<1xi32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %p = memref.load %at[%c0] : memref<1xi32>
  %i = arith.index_cast %p : i32 to index
  %part = memref.subview %y[%i] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>
  memref.copy %x, %part : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
  return
}

// CHECK-LABEL: func.func @elements(
// CHECK-NEXT: constant
// CHECK-NOT: scf.for
// CHECK: gpu.launch_func @device::@elements_0
func.func @elements(%x: memref<4xf32>, %y: memref<4xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %x[%i] : memref<4xf32>
    memref.store %v, %y[%i] : memref<4xf32>
  }
  return
}

// The host checks what it knows itself.
// CHECK-LABEL: func.func @check(
// CHECK: aikernel.check %{{.*}}, 22, "too few"
// CHECK: gpu.launch_func @device::@check_0
// CHECK-NOT: aikernel.check
func.func @check(%x: memref<?xi32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  %enough = arith.cmpi sgt, %n, %c0 : index
  aikernel.check %enough, 22, "too few"
  %v = memref.load %x[%c0] : memref<?xi32>
  %ok = arith.cmpi sge, %v, %zero : i32
  aikernel.check %ok, 34, "negative"
  return
}

// Sizes are the host's business.
// CHECK-LABEL: func.func @f$workspace
// CHECK: memref.store
func.func @f$workspace(%x: memref<i64>) attributes {aikernel.entry = "workspace"} {
  %zero = arith.constant 0 : i64
  memref.store %zero, %x[] : memref<i64>
  return
}

// CHECK: func.func private @table_0$twin
// CHECK: memref.get_global @numbers : memref<4xf32>
memref.global "private" constant @numbers : memref<4xf32> = dense<[1.0, 2.0, 4.0, 8.0]>
func.func @table(%y: memref<4xf32>) attributes {aikernel.entry = "run"} {
  %t = memref.get_global @numbers : memref<4xf32>
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  return
}

// What uses the results of an op that must run there goes with it.
// CHECK: func.func private @chosen_0$twin
// CHECK-LABEL: func.func @chosen(
// CHECK-NOT: scf.if
// CHECK: gpu.launch_func @device::@chosen_0
// CHECK-NOT: gpu.launch_func
// CHECK: return
func.func @chosen(%n: memref<1xi32>, %x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %v = memref.load %n[%c0] : memref<1xi32>
  %is = arith.cmpi sgt, %v, %zero : i32
  %r = scf.if %is -> (memref<4xf32>) {
    linalg.fill ins(%one : f32) outs(%x : memref<4xf32>)
    scf.yield %x : memref<4xf32>
  } else {
    scf.yield %y : memref<4xf32>
  }
  memref.copy %r, %z : memref<4xf32> to memref<4xf32>
  return
}
