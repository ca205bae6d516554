// A sum along a contiguous row is carried in eight vectors, reduced at the end,
// and goes on from what the result held before.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @sum(
  // CHECK-SAME: %[[X:[^:]*]]: memref<?x?xf32>, %[[SUM:[^:]*]]: memref<?xf32>
  // CHECK: scf.for %[[I:.*]] =
  // CHECK: %[[OLD:.*]] = memref.load %[[SUM]][%[[I]]]
  // CHECK: %[[WIDE:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (vector<64xf32>)
  // CHECK: arith.addf %[[ACC]], %{{.*}} : vector<64xf32>
  // CHECK: %[[PART:.*]] = vector.reduction <add>, %[[WIDE]] fastmath<reassoc> : vector<64xf32> into f32
  // CHECK: %[[TOTAL:.*]] = arith.addf {{.*}}%[[PART]]
  // CHECK: scf.for {{.*}} -> (vector<8xf32>)
  // CHECK: vector.reduction <add>
  // CHECK: %[[LAST:.*]] = scf.for {{.*}} -> (f32)
  // CHECK: memref.store %[[LAST]], %[[SUM]][%[[I]]]
  func.func @sum(%x: memref<?x?xf32>, %s: memref<?xf32>) {
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    }
    return
  }

  // A maximum starts its vectors at minus infinity, the neutral element.
  // CHECK-LABEL: func.func @max(
  // CHECK: arith.constant 0xFF800000 : f32
  // CHECK: arith.maximumf {{.*}} : vector<64xf32>
  // CHECK: vector.reduction <maximumf>
  func.func @max(%x: memref<?x?xf32>, %s: memref<?xf32>) {
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.maximumf %acc, %v : f32
      linalg.yield %a : f32
    }
    return
  }
}
