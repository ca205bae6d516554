// Where vectors go along the results of a sum, four of its steps are taken
// between reading and writing a result; then those that are left.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @sum(
  // CHECK-SAME: %[[X:[^:]*]]: memref<?x?xf32>, %[[SUM:[^:]*]]: memref<?xf32>
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[STOP:.*]] step %[[C4]]
  // CHECK: %[[S0:.*]] = vector.load %[[SUM]]{{.*}} vector<16xf32>
  // CHECK: %[[X0:.*]] = vector.load %[[X]][%[[I]], {{.*}} vector<16xf32>
  // CHECK: %[[S1:.*]] = arith.addf %[[S0]], %[[X0]]
  // CHECK: %[[I1:.*]] = arith.addi %[[I]], %[[C1]]
  // CHECK: %[[X1:.*]] = vector.load %[[X]][%[[I1]], {{.*}} vector<16xf32>
  // CHECK: %[[S2:.*]] = arith.addf %[[S1]], %[[X1]]
  // CHECK: %[[S3:.*]] = arith.addf %[[S2]]
  // CHECK: %[[S4:.*]] = arith.addf %[[S3]]
  // CHECK-NOT: arith.addf
  // CHECK: vector.store %[[S4]], %[[SUM]]
  // CHECK: scf.for %[[REST:.*]] = %[[STOP]] to %{{.*}} step %[[C1]]
  // CHECK: vector.load %[[X]][%[[REST]], {{.*}} vector<16xf32>
  // CHECK: arith.addf {{.*}} vector<16xf32>
  // CHECK-NEXT: vector.store
  func.func @sum(%x: memref<?x?xf32>, %s: memref<?xf32>) {
    linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    }
    return
  }

  // A window of three is three steps. It is no dot product, though both lie
  // along memory, and products are added unrounded.
  // CHECK-LABEL: func.func @window(
  // CHECK-SAME: %[[X:[^:]*]]: memref<66xf32>, %[[W:[^:]*]]: memref<3xf32>
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
  // CHECK-NOT: vector.reduction
  // CHECK: scf.for {{.*}} step %[[C3]]
  // CHECK: vector.load %[[X]]{{.*}} vector<16xf32>
  // CHECK: arith.mulf {{.*}} fastmath<contract> : vector<16xf32>
  // CHECK: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
  // CHECK-COUNT-2: vector.load %[[X]]{{.*}} vector<16xf32>
  // CHECK: vector.store
  // CHECK-NOT: vector.reduction
  func.func @window(%x: memref<66xf32>, %w: memref<3xf32>, %y: memref<64xf32>) {
    linalg.conv_1d ins(%x, %w : memref<66xf32>, memref<3xf32>) outs(%y : memref<64xf32>)
    return
  }

  // Every second number does not make vectors.
  // CHECK-LABEL: func.func @stride(
  // CHECK-NOT: vector
  // CHECK: return
  func.func @stride(%x: memref<129xf32>, %w: memref<3xf32>, %y: memref<64xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, k) -> (2 * i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<129xf32>, memref<3xf32>) outs(%y : memref<64xf32>) {
    ^bb0(%v: f32, %unused: f32, %acc: f32):
      %a = arith.divf %acc, %v : f32
      linalg.yield %a : f32
    }
    return
  }

  // What is read may be what is written: one step after the other.
  // CHECK-LABEL: func.func @same(
  // CHECK: scf.for %[[I:.*]] =
  // CHECK: arith.addf
  // CHECK-NEXT: vector.store
  func.func @same(%s: memref<64xf32>, %x: memref<8x64xf32>) {
    linalg.generic {indexing_maps = [#column, #id, #column], iterator_types = ["reduction", "parallel"]} ins(%s, %x : memref<64xf32>, memref<8x64xf32>) outs(%s : memref<64xf32>) {
    ^bb0(%p: f32, %v: f32, %acc: f32):
      %m = arith.mulf %p, %v : f32
      %a = arith.addf %acc, %m : f32
      linalg.yield %a : f32
    }
    return
  }

  // A result may be what another was a step before.
  // CHECK-LABEL: func.func @passed_on(
  // CHECK-SAME: %[[X:[^:]*]]: memref<8x64xf32>, %[[S:[^:]*]]: memref<64xf32>, %[[T:[^:]*]]: memref<64xf32>
  // CHECK: %[[S0:.*]] = vector.load %[[S]]
  // CHECK: %[[T0:.*]] = vector.load %[[T]]
  // CHECK: %[[S1:.*]] = arith.addf {{.*}}, %[[T0]]
  // CHECK: %[[S2:.*]] = arith.addf {{.*}}, %[[S0]]
  // CHECK: %[[S3:.*]] = arith.addf {{.*}}, %[[S1]]
  // CHECK: %[[S4:.*]] = arith.addf {{.*}}, %[[S2]]
  // CHECK: vector.store %[[S4]], %[[S]]
  // CHECK: vector.store %[[S3]], %[[T]]
  func.func @passed_on(%x: memref<8x64xf32>, %s: memref<64xf32>, %t: memref<64xf32>) {
    linalg.generic {indexing_maps = [#id, #column, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<8x64xf32>) outs(%s, %t : memref<64xf32>, memref<64xf32>) {
    ^bb0(%v: f32, %p: f32, %q: f32):
      %a = arith.addf %v, %q : f32
      linalg.yield %a, %p : f32, f32
    }
    return
  }

  // Both may be parts of one buffer.
  // CHECK-LABEL: func.func @one_buffer(
  // CHECK: arith.addf
  // CHECK-NEXT: vector.store
  func.func @one_buffer(%x: memref<9x64xf32>) {
    %rows = memref.subview %x[1, 0] [8, 64] [1, 1] : memref<9x64xf32> to memref<8x64xf32, strided<[64, 1], offset: 64>>
    %sums = memref.subview %x[0, 0] [1, 64] [1, 1] : memref<9x64xf32> to memref<64xf32, strided<[1]>>
    linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%rows : memref<8x64xf32, strided<[64, 1], offset: 64>>) outs(%sums : memref<64xf32, strided<[1]>>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    }
    return
  }

  // Only the product that is summed is not rounded.
  // CHECK-LABEL: func.func @affine(
  // CHECK: arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : vector
  // CHECK: arith.addf %{{[^ ]*}}, %{{[^ ]*}} : vector
  func.func @affine(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %s: memref<64xf32>) {
    linalg.generic {indexing_maps = [#id, #id, #column], iterator_types = ["reduction", "parallel"]} ins(%x, %y : memref<8x64xf32>, memref<8x64xf32>) outs(%s : memref<64xf32>) {
    ^bb0(%v: f32, %w: f32, %acc: f32):
      %m = arith.mulf %v, %w : f32
      %b = arith.addf %m, %v : f32
      %a = arith.addf %acc, %b : f32
      linalg.yield %a : f32
    }
    return
  }
}
