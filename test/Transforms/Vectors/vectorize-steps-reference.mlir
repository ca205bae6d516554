// The reference has no target and takes one step after the other.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @reference(
// CHECK: arith.addf
// CHECK-NEXT: vector.store
func.func @reference(%x: memref<8x64xf32>, %s: memref<64xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<8x64xf32>) outs(%s : memref<64xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %a = arith.addf %acc, %v : f32
    linalg.yield %a : f32
  }
  return
}
