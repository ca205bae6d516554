// Attention with a schedule: blocks for its tiles and no more than run at a time,
// sizes as parameters, a twin in plain loops, and zeros where there are no keys.
// RUN: aik-opt %s --split-input-file --aik-form-launches | FileCheck %s

// CHECK: gpu.func @f_0(
// CHECK: linalg.fill
// CHECK: gpu.func @f_1(%[[Q:.*]]: memref<2x8x?x64xbf16>, %[[K:.*]]: memref<2x2x?x64xbf16>, %[[V:.*]]: memref<2x2x?x64xbf16>, %[[O:.*]]: memref<2x8x?x64xbf16>, %[[C:.*]]: memref<1xi32>, %[[B:.*]]: index, %[[S:.*]]: index, %[[T:.*]]: index) kernel attributes {known_block_size = array<i32: 512, 1, 1>}
// CHECK-NEXT: aik_tile.attention %[[Q]], %[[K]], %[[V]] outs %[[O]], %[[C]] sizes %[[B]], %[[S]], %[[T]]

// CHECK: func.func private @f_1$twin
// CHECK-COUNT-5: scf.for
// CHECK: math.exp
// CHECK-NOT: aik_tile

// CHECK: func.func @f(%[[HQ:[^:]*]]: memref<2x8x?x64xbf16>, %[[HK:[^:]*]]: memref<2x2x?x64xbf16>
// CHECK: %[[KEYS:.*]] = memref.dim %[[HK]]
// CHECK: %[[EMPTY:.*]] = arith.cmpi eq, %[[KEYS]]
// CHECK: scf.if %[[EMPTY]] {
// CHECK: gpu.launch_func @device::@f_0
// CHECK: %[[BLOCKS:.*]] = arith.select %[[EMPTY]]
// CHECK: gpu.launch_func @device::@f_1 blocks in (%[[BLOCKS]],
func.func @f(%q: memref<2x8x?x64xbf16>, %k: memref<2x2x?x64xbf16>, %v: memref<2x2x?x64xbf16>, %o: memref<2x8x?x64xbf16>, %c: memref<1xi32>) attributes {aikernel.entry = "run"} {
  aik_tile.attention %q, %k, %v outs %o, %c {causal, scale = 0.125 : f32, schedule = #aik_tile.attention_schedule<rows = 192, keys = 128, stages = 2, query_stages = 2, boxes = 1, registers = 160, load_registers = 32, blocks = 132>} : (memref<2x8x?x64xbf16>, memref<2x2x?x64xbf16>, memref<2x2x?x64xbf16>, memref<2x8x?x64xbf16>, memref<1xi32>) -> ()
  return
}

// -----

// The mask is a parameter as others are, and a mask of one row has that for every
// query. Of what it hides from a query altogether, nothing is subtracted.
// CHECK: gpu.func @masked_0({{.*}}%[[MASK:[^:]*]]: memref<8x1x512xf32>,
// CHECK-NEXT: aik_tile.attention %{{.*}}, %{{.*}}, %{{.*}} mask %[[MASK]] outs
// CHECK: func.func private @masked_0$twin
// CHECK: scf.for
// CHECK: scf.for %[[HEAD:.*]] = %{{.*}} to
// CHECK: scf.for
// CHECK: scf.for %[[KEY:.*]] = %{{.*}} to
// CHECK: %[[NUMBER:.*]] = memref.load %{{.*}}[%[[HEAD]], %c0, %[[KEY]]] : memref<8x1x512xf32
// CHECK: arith.addf %{{.*}}, %[[NUMBER]]
// CHECK: %[[NONE:.*]] = arith.cmpf oeq
// CHECK: %[[FROM:.*]] = arith.select %[[NONE]]
// CHECK: arith.subf %{{.*}}, %[[FROM]]
func.func @masked(%q: memref<1x8x40x64xbf16>, %k: memref<1x2x512x64xbf16>, %mask: memref<8x1x512xf32>, %o: memref<1x8x40x64xbf16>, %c: memref<1xi32>) attributes {aikernel.entry = "run"} {
  aik_tile.attention %q, %k, %k mask %mask outs %o, %c {scale = 0.125 : f32, schedule = #aik_tile.attention_schedule<rows = 192, keys = 128, stages = 2, query_stages = 2, boxes = 1, registers = 160, load_registers = 32, blocks = 132>} : (memref<1x8x40x64xbf16>, memref<1x2x512x64xbf16>, memref<1x2x512x64xbf16>, memref<8x1x512xf32>, memref<1x8x40x64xbf16>, memref<1xi32>) -> ()
  return
}
