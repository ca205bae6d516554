// Reshapes with more than one unknown size in a group become casts with the
// sizes they were given; the others are left to upstream.
// RUN: aik-opt %s --aik-expand-reshapes | FileCheck %s
// RUN: aik-opt %s --aik-expand-reshapes --expand-strided-metadata | FileCheck %s --check-prefix=NONE
// NONE-NOT: memref.expand_shape

// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[M:.*]]: memref<?x?xf32>, %[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[M]]
// CHECK: %[[ROW:.*]] = arith.muli %[[STRIDES]]#0, %[[B]] : index
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[A]], %[[B]], %[[C]]], strides: [%[[ROW]], %[[STRIDES]]#0, 1] : memref<f32> to memref<?x?x?xf32>
// CHECK-NOT: memref.expand_shape
func.func @two(%m: memref<?x?xf32>, %a: index, %b: index, %c: index) -> memref<?x?x?xf32> {
  %r = memref.expand_shape %m [[0, 1], [2]] output_shape [%a, %b, %c] : memref<?x?xf32> into memref<?x?x?xf32>
  return %r : memref<?x?x?xf32>
}

// A part of another, with a place and gaps; a size that is known among others.
// CHECK-LABEL: func.func @part(
// CHECK-SAME: %[[M:.*]]: memref<?xf32, strided<[2], offset: ?>>, %[[A:.*]]: index, %[[B:.*]]: index
// CHECK: %[[BASE:.*]], %[[AT:.*]], %{{.*}}, %[[BY:.*]] = memref.extract_strided_metadata %[[M]]
// CHECK: %[[INNER:.*]] = arith.muli %[[BY]], %[[B]] : index
// CHECK: %[[OUTER:.*]] = arith.muli %[[INNER]], %{{.*}} : index
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[AT]]], sizes: [%[[A]], 4, %[[B]]], strides: [%[[OUTER]], %[[INNER]], 2]
func.func @part(%m: memref<?xf32, strided<[2], offset: ?>>, %a: index, %b: index) -> memref<?x4x?xf32, strided<[?, ?, 2], offset: ?>> {
  %r = memref.expand_shape %m [[0, 1, 2]] output_shape [%a, 4, %b] : memref<?xf32, strided<[2], offset: ?>> into memref<?x4x?xf32, strided<[?, ?, 2], offset: ?>>
  return %r : memref<?x4x?xf32, strided<[?, ?, 2], offset: ?>>
}

// CHECK-LABEL: func.func @one(
// CHECK: memref.expand_shape
func.func @one(%m: memref<?x?xf32>, %a: index, %c: index) -> memref<?x4x?xf32> {
  %r = memref.expand_shape %m [[0, 1], [2]] output_shape [%a, 4, %c] : memref<?x?xf32> into memref<?x4x?xf32>
  return %r : memref<?x4x?xf32>
}
