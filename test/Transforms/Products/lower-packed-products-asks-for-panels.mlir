// Where L1 is small, packing columns asks for the lines of a panel that it
// writes four steps later, if that is no more than copying.
// RUN: aik-opt %s --aik-lower-packed-products --split-input-file | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f", vector_bits = 512>} {
  // CHECK-LABEL: func.func private @aik$pack0(
  // CHECK-SAME: %arg1: memref<?x?x?x48xf32
  // CHECK: memref.prefetch %{{.*}}, read, locality<2>, data
  // CHECK: scf.for
  // CHECK: scf.for %[[STEP:.*]] = %{{.*}} to %{{.*}} step
  // CHECK: %[[LATER:.*]] = arith.addi %[[STEP]], %c4{{[_0-9]*}} : index
  // CHECK: memref.prefetch %arg1[%c0{{[_0-9]*}}, %[[PANEL:.*]], %[[LATER]], %c0{{[_0-9]*}}], write, locality<3>, data
  // CHECK: memref.prefetch %arg1[%c0{{[_0-9]*}}, %[[PANEL]], %[[LATER]], %c16{{[_0-9]*}}], write, locality<3>, data
  // CHECK: memref.prefetch %arg1[%c0{{[_0-9]*}}, %[[PANEL]], %[[LATER]], %c32{{[_0-9]*}}], write, locality<3>, data
  // CHECK: vector.store %{{.*}}, %arg1[%c0{{[_0-9]*}}, %[[PANEL]], %[[STEP]], %c0{{[_0-9]*}}]
  // Of bytes a step is four rows, whose numbers take turns.
  // CHECK-LABEL: func.func private @aik$pack1(
  // CHECK-SAME: %arg1: memref<?x?x?x192xi8
  // CHECK-NOT: write, locality
  func.func @numbers(%b: memref<768x96xf32>) {
    %p = memref.alloc() : memref<1x2x768x48x1xf32>
    aikernel.pack_panels %b outs %p {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<768x96xf32>, memref<1x2x768x48x1xf32>) -> ()
    return
  }
  func.func @bytes(%b: memref<768x96xi8>) {
    %p = memref.alloc() : memref<1x2x192x48x4xi8>
    aikernel.pack_panels %b outs %p {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<768x96xi8>, memref<1x2x192x48x4xi8>) -> ()
    return
  }
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f,+amx-tile", vector_bits = 512>} {
  // CHECK-LABEL: func.func private @aik$pack0(
  // CHECK: memref.prefetch %{{.*}}, read, locality<2>, data
  // CHECK-NOT: write, locality
  func.func @large_cache(%b: memref<768x96xf32>) {
    %p = memref.alloc() : memref<1x2x768x48x1xf32>
    aikernel.pack_panels %b outs %p {panel_dim = 1 : i64, depth_dim = 0 : i64} : (memref<768x96xf32>, memref<1x2x768x48x1xf32>) -> ()
    return
  }
}
