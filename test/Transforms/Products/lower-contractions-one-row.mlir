// A matrix and one vector are not packed: what is left has no loop of one row
// or column, and goes along the rows of the matrix.
// RUN: aik-opt %s --aik-lower-contractions | FileCheck %s

#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
// CHECK-DAG: #[[SUM:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[ACROSS:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[ALONG:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[KEPT:.*]] = affine_map<(d0, d1) -> (d0)>
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func.func @row(
  // CHECK-DAG: %[[X:.*]] = memref.subview {{.*}} : memref<1x64xf32> to memref<64xf32
  // CHECK-DAG: %[[Y:.*]] = memref.subview {{.*}} : memref<1x?xf32> to memref<?xf32
  // CHECK: linalg.generic {indexing_maps = [#[[SUM]], #[[ACROSS]], #[[KEPT]]], iterator_types = ["parallel", "reduction"]}
  // CHECK-NOT: call
  func.func @row(%x: memref<1x64xf32>, %w: memref<64x?xf32>, %y: memref<1x?xf32>) {
    linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1x64xf32>, memref<64x?xf32>) outs(%y : memref<1x?xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %m = arith.mulf %a, %b : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    }
    return
  }

  // The other way round the sum lies along memory.
  // CHECK-LABEL: func.func @column(
  // CHECK: linalg.generic {indexing_maps = [#[[ALONG]], #[[SUM]], #[[KEPT]]], iterator_types = ["parallel", "reduction"]}
  // CHECK-NOT: call
  func.func @column(%w: memref<?x64xbf16>, %x: memref<1x64xbf16>, %y: memref<?x1xf32>) {
    linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %x : memref<?x64xbf16>, memref<1x64xbf16>) outs(%y : memref<?x1xf32>) {
    ^bb0(%a: bf16, %b: bf16, %s: f32):
      %p = arith.extf %a : bf16 to f32
      %q = arith.extf %b : bf16 to f32
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    }
    return
  }

  // Each matrix of a batch has its vector.
  // CHECK-LABEL: func.func @batch(
  // CHECK: scf.for
  // CHECK: linalg.generic {{.*}}"parallel", "reduction"]}
  func.func @batch(%x: memref<8x1x64xf32>, %w: memref<8x64x32xf32>, %y: memref<8x1x32xf32>) {
    linalg.batch_matmul ins(%x, %w : memref<8x1x64xf32>, memref<8x64x32xf32>) outs(%y : memref<8x1x32xf32>)
    return
  }

  // Vectors cannot go along what lies apart, and bytes have instructions of
  // their own.
  // CHECK-LABEL: func.func @apart(
  // CHECK: call @aik$product
  func.func @apart(%x: memref<1x64xf32>, %w: memref<64x32xf32, strided<[64, 2]>>, %y: memref<1x32xf32>) {
    linalg.matmul ins(%x, %w : memref<1x64xf32>, memref<64x32xf32, strided<[64, 2]>>) outs(%y : memref<1x32xf32>)
    return
  }
  // CHECK-LABEL: func.func @scattered(
  // CHECK: call @aik$product
  func.func @scattered(%x: memref<1x64xf32, strided<[128, 2]>>, %w: memref<32x64xf32>, %y: memref<1x32xf32>) {
    linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1x64xf32, strided<[128, 2]>>, memref<32x64xf32>) outs(%y : memref<1x32xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %m = arith.mulf %a, %b : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    }
    return
  }
  // CHECK-LABEL: func.func @bytes(
  // CHECK: call @aik$product
  func.func @bytes(%x: memref<1x64xi8>, %w: memref<64x32xi8>, %y: memref<1x32xi32>) {
    linalg.matmul ins(%x, %w : memref<1x64xi8>, memref<64x32xi8>) outs(%y : memref<1x32xi32>)
    return
  }
}
