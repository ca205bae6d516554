// An elementary function is a long chain of operations: four vectors at a time
// hide its latency, where two are enough for a sum.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

#id = affine_map<(d0) -> (d0)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @power(
  // CHECK: math.exp {{.*}} : vector<32xf32>
  // CHECK: math.exp {{.*}} : vector<8xf32>
  // CHECK: math.exp {{.*}} : f32
  func.func @power(%a: memref<?xf32>, %c: memref<?xf32>) {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<?xf32>) outs(%c : memref<?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = math.exp %x : f32
      linalg.yield %s : f32
    }
    return
  }
  // CHECK-LABEL: func.func @sum(
  // CHECK: arith.addf {{.*}} : vector<16xf32>
  // CHECK: arith.addf {{.*}} : vector<8xf32>
  func.func @sum(%a: memref<?xf32>, %c: memref<?xf32>) {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<?xf32>) outs(%c : memref<?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = arith.addf %x, %x : f32
      linalg.yield %s : f32
    }
    return
  }
}
