// On the host a quantized product for lanes is loops over groups of four rows,
// blocks, and the units of a block, in the same arithmetic.
// RUN: aik-opt %s --pass-pipeline="builtin.module(func.func(aik-lower-lane-twins))" | FileCheck %s

module @target attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-LABEL: func.func @product(
  // CHECK-SAME: %[[C:.*]]: memref<26x4x1x8x4xi32>, %[[S:.*]]: memref<26x8x2xi32>, %[[D:.*]]: memref<26x1x4xi32>, %[[X:.*]]: memref<256xf32>, %[[Y:.*]]: memref<101xf32>
  // Rows of x, groups, blocks; the largest magnitude of a block; its units.
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: arith.maximumf
  // CHECK: scf.for
  // CHECK: math.roundeven
  // CHECK-COUNT-4: vector.load %[[C]]
  // CHECK: vector.load %[[S]]
  // CHECK-NOT: llvm.
  // CHECK: vector.load %[[D]]
  // CHECK-COUNT-4: memref.store %{{.*}}, %[[Y]]
  func.func @product(%c: memref<26x4x1x8x4xi32>, %b: memref<26x8x2xi32>, %d: memref<26x1x4xi32>, %x: memref<256xf32>, %o: memref<101xf32>) {
    aikernel.lane_product %c small %b scales %d, %x outs %o {format = #aikernel.quant<q4_k>} : (memref<26x4x1x8x4xi32>, memref<26x8x2xi32>, memref<26x1x4xi32>, memref<256xf32>, memref<101xf32>) -> ()
    return
  }
}
