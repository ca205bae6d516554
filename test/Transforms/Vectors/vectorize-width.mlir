// The target's registers and the widest type of the body decide how many lanes
// a vector has; without a target there are 128 bits.
// RUN: aik-opt %s --aik-vectorize --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f", vector_bits = 512>} {
  // bf16 in memory, f32 in the body.
  // CHECK-LABEL: func.func @widened(
  // CHECK: vector.load {{.*}}, vector<32xbf16>
  // CHECK: arith.extf {{.*}} : vector<32xbf16> to vector<32xf32>
  // CHECK: arith.truncf {{.*}} to vector<32xbf16>
  // CHECK: vector.load {{.*}}, vector<16xbf16>
  func.func @widened(%a: memref<?xbf16>, %c: memref<?xbf16>) {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<?xbf16>) outs(%c : memref<?xbf16>) {
    ^bb0(%x: bf16, %o: bf16):
      %w = arith.extf %x : bf16 to f32
      %s = arith.mulf %w, %w : f32
      %n = arith.truncf %s : f32 to bf16
      linalg.yield %n : bf16
    }
    return
  }
  // A loop of fewer steps than lanes has shorter vectors.
  // CHECK-LABEL: func.func @short(
  // CHECK: arith.mulf {{.*}} : vector<8xf32>
  func.func @short(%a: memref<11xf32>, %c: memref<11xf32>) {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<11xf32>) outs(%c : memref<11xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = arith.mulf %x, %x : f32
      linalg.yield %s : f32
    }
    return
  }
}

// -----

#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @no_target(
// CHECK: arith.mulf {{.*}} : vector<8xf32>
// CHECK: arith.mulf {{.*}} : vector<4xf32>
// CHECK: arith.mulf {{.*}} : f32
func.func @no_target(%a: memref<?xf32>, %c: memref<?xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<?xf32>) outs(%c : memref<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.mulf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}
