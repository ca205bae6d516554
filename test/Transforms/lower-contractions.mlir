// A product becomes a call of a function that packs blocks of both operands
// and keeps a register tile of accumulators; the tile is what the target says.
// RUN: aik-opt %s --aik-lower-contractions --split-input-file | FileCheck %s

// 6 rows of 2 vectors of 8: twelve accumulators.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256, rows = 6, vectors = 2>} {
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
  // CHECK: memref.alloca() {alignment = 64 : i64} : memref<256x6xf32>
  // CHECK: memref.alloca() {alignment = 64 : i64} : memref<8x256x16xf32>
  // CHECK: memref.alloca() {alignment = 64 : i64} : memref<6x16xf32>
  // CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  // CHECK-COUNT-12: arith.mulf {{.*}} fastmath<contract> : vector<8xf32>
  // CHECK: scf.yield
}

// -----

// 8 rows of 3 vectors of 4; a lane of a register is the factor of a row.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128, rows = 8, vectors = 3, lane_multiply = true>} {
  func.func @narrow(%a: memref<?x64xf32>, %b: memref<64x?xf32>, %c: memref<?x?xf32>) {
    linalg.matmul ins(%a, %b : memref<?x64xf32>, memref<64x?xf32>) outs(%c : memref<?x?xf32>)
    return
  }
  // CHECK-LABEL: func.func private @aik$product0(
  // CHECK: memref.alloca() {{.*}} : memref<256x8xf32>
  // CHECK: memref.alloca() {{.*}} : memref<10x256x12xf32>
  // CHECK: vector.extract %{{.*}}[3] : f32 from vector<4xf32>
  // CHECK: scf.yield
}
