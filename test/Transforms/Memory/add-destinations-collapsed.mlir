// A result that was computed with more dimensions is written so into its
// memory.
// RUN: aik-opt %s --aik-add-destinations | FileCheck %s

// CHECK-LABEL: func.func @collapsed
// CHECK-SAME: %[[Y:[^:]*]]: memref<?x128xbf16> {aikernel.result = 0 : i64})
// CHECK: %[[N:.*]] = memref.dim %[[Y]]
// CHECK: %[[WIDE:.*]] = memref.expand_shape %[[Y]] {{\[\[}}0], [1, 2]] output_shape [%[[N]], 2, 64] : memref<?x128xbf16> into memref<?x2x64xbf16>
// CHECK-NOT: memref.copy
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[WIDE]] : (tensor<?x2x64xbf16>, memref<?x2x64xbf16>) -> ()
func.func @collapsed(%x: tensor<?x2x64xbf16>) -> tensor<?x128xbf16> attributes {aikernel.entry = "run"} {
  %y = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x2x64xbf16> into tensor<?x128xbf16>
  return %y : tensor<?x128xbf16>
}

// Which of two sizes a product is made of is not known.
// CHECK-LABEL: func.func @unknown
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %{{.*}} : (tensor<?xbf16>, memref<?xbf16>) -> ()
func.func @unknown(%x: tensor<?x?xbf16>) -> tensor<?xbf16> attributes {aikernel.entry = "run"} {
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xbf16> into tensor<?xbf16>
  return %y : tensor<?xbf16>
}
