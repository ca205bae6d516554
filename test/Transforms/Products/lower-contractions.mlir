// A product becomes a call of a function that packs blocks of both operands
// on the stack, in panels of the instruction that the target has.
// RUN: aik-opt %s --aik-lower-contractions --split-input-file | FileCheck %s

// 6 rows by 2 vectors of 8.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @wide(
  // CHECK-NOT: linalg
  // CHECK: call @aik$product0(%{{.*}}, %{{.*}}, %{{.*}})
  func.func @wide(%a: memref<?x64xf32>, %b: memref<64x?xf32>, %c: memref<?x?xf32>) {
    linalg.matmul ins(%a, %b : memref<?x64xf32>, memref<64x?xf32>) outs(%c : memref<?x?xf32>)
    return
  }
  // CHECK-LABEL: func.func private @aik$product0(
  // CHECK-SAME: memref<?x?xf32, strided<[?, 1], offset: ?>>, %{{.*}}: memref<?x?xf32, strided<[?, 1], offset: ?>>, %{{.*}}: memref<?x?xf32, strided<[?, 1], offset: ?>>
  // CHECK-SAME: passthrough = ["noinline"]
  // CHECK: %[[P:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x11x256x6x1xf32>
  // CHECK: %[[Q:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x9x256x16x1xf32>
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: aikernel.pack_panels %{{.*}} outs %[[Q]] {depth_dim = 0 : i64, panel_dim = 1 : i64}
  // CHECK: scf.for
  // CHECK: aikernel.pack_panels %{{.*}} outs %[[P]] {depth_dim = 1 : i64, panel_dim = 0 : i64}
  // CHECK: aikernel.packed_product %[[P]], %[[Q]] depth
  // CHECK-SAME: instruction = "vfmadd.f32.256"
  // CHECK-NOT: overwrite
}

// -----

// 8 rows by 3 vectors of 4.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  func.func @narrow(%a: memref<?x64xf32>, %b: memref<64x?xf32>, %c: memref<?x?xf32>) {
    linalg.matmul ins(%a, %b : memref<?x64xf32>, memref<64x?xf32>) outs(%c : memref<?x?xf32>)
    return
  }
  // CHECK-LABEL: func.func private @aik$product0(
  // CHECK: memref.alloca() {{.*}} : memref<1x9x256x8x1xf32>
  // CHECK: memref.alloca() {{.*}} : memref<1x11x256x12x1xf32>
  // CHECK: instruction = "fmla.f32"
}
