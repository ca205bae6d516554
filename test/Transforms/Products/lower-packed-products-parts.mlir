// Panels in parts: packing takes numbers apart and keeps the largest magnitude of
// each panel; a tile adds up six products of parts, or, where a number of 2^61
// or more, an infinity or a NaN is among them, the products of the numbers.
// RUN: aik-opt %s --aik-lower-packed-products | FileCheck %s

#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512bf16,+amx-tile,+amx-bf16", vector_bits = 512>} {
  func.func @product(%a: memref<64x64xf32>, %p: memref<1x2x7x32x32xbf16>, %q: memref<1x1x112x32x2xbf16>, %c: memref<64x32xf32>) {
    %k = arith.constant 64 : index
    aikernel.pack_panels %a outs %p {depth_dim = 1 : i64, panel_dim = 0 : i64, parts = 3 : i64} : (memref<64x64xf32>, memref<1x2x7x32x32xbf16>) -> ()
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "tdpbf16ps.f32", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x7x32x32xbf16>, memref<1x1x112x32x2xbf16>, index, memref<64x32xf32>) -> ()
    return
  }

  // CHECK-LABEL: func.func private @aik$pack0(
  // No magnitude yet.
  // CHECK: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : vector<64xbf16>
  // CHECK: vector.store %[[NONE]], %arg1
  // Of eight rows the magnitudes, and each vector becomes three.
  // CHECK: %[[NUMBERS:.*]] = vector.load %arg0{{.*}} vector<32xf32>
  // CHECK-COUNT-7: vector.load %arg0{{.*}} vector<32xf32>
  // CHECK-COUNT-8: arith.maxui
  // CHECK: vector.store
  // CHECK: arith.constant dense<32768> : vector<32xi32>
  // CHECK: %[[BITS:.*]] = arith.andi %{{.*}}, %{{.*}} : vector<32xi32>
  // CHECK: %[[FIRST:.*]] = arith.bitcast %[[BITS]] : vector<32xi32> to vector<32xf32>
  // CHECK: arith.subf %[[NUMBERS]], %[[FIRST]]
  // CHECK: arith.subf
  // CHECK-COUNT-3: arith.trunci %{{.*}} : vector<32xi32> to vector<32xi16>
  // CHECK-COUNT-3: vector.store %{{.*}} : memref<{{.*}}>, vector<32xbf16>
  // A panel with large numbers is packed again, number by number.
  // CHECK: vector.reduction <maxui>
  // CHECK: %[[LARGE:.*]] = arith.constant 1577058304 : i32
  // CHECK: %[[AGAIN:.*]] = arith.cmpi uge, %{{.*}}, %[[LARGE]] : i32
  // CHECK: scf.if %[[AGAIN]] {
  // CHECK: memref.load %arg0
  // CHECK-COUNT-3: memref.store %{{.*}}, %arg1

  // CHECK-LABEL: func.func private @aik$tiles1(
  // Of the rows, and then of each panel of columns.
  // CHECK: vector.reduction <maxui>
  // CHECK: vector.reduction <maxui>
  // CHECK: scf.if
  // CHECK: math.fma %{{.*}} : vector<32xf32>
  // CHECK: math.fma %{{.*}} : vector<32xf32>
  // CHECK: } else {
  // CHECK: scf.for {{.*}} iter_args(
  // CHECK-COUNT-24: llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
  // CHECK-NOT: tdpbf16ps
  // CHECK: scf.yield
}
