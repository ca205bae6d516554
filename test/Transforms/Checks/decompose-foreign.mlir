// RUN: aik-opt %s --aik-decompose-foreign --split-input-file | FileCheck %s

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<?x8xf32>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK-NOT: linalg.softmax
  // CHECK-COUNT-4: linalg.generic
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: @concat
func.func @concat(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: aikernel.check %{{.*}}, 22, "tensor.concat: dimension 1 of operand 1 differs from that of operand 0"
  // CHECK-NOT: = tensor.concat
  // CHECK-COUNT-2: tensor.insert_slice
  %r = tensor.concat dim(0) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<1000000xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK-DAG: %[[SMALL:.*]] = arith.constant dense<3.000000e+00> : tensor<4xf32>
  // CHECK: %[[LARGE:.*]] = linalg.fill ins(%[[TWO]] : f32)
  // CHECK: return %[[LARGE]], %[[SMALL]]
  %large = arith.constant dense<2.0> : tensor<1000000xf32>
  %small = arith.constant dense<3.0> : tensor<4xf32>
  return %large, %small : tensor<1000000xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @memory
func.func @memory(%m: memref<?xf32>, %n: index) {
  // CHECK-NOT: memref.alloca
  // CHECK: memref.alloc(%{{.*}}) : memref<?xf32>
  // CHECK-NOT: memref.dealloc
  // CHECK: return
  %a = memref.alloca(%n) : memref<?xf32>
  memref.copy %m, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return
}

// -----

// Once %one is 1, the first dimension could be taken for the one left out.
// CHECK-LABEL: @unclear
// CHECK-SAME: %[[X:.*]]: tensor<4x5x6xf32>, %[[Y:.*]]: tensor<?x5xf32>, %[[N:.*]]: index
func.func @unclear(%x: tensor<4x5x6xf32>, %y: tensor<?x5xf32>, %n: index) -> (tensor<?x5xf32>, tensor<4x5x6xf32>) {
  // CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]][0, 0, 2] [%[[N]], 5, 1] [1, 1, 1] : tensor<4x5x6xf32> to tensor<?x5x1xf32>
  // CHECK: %[[R:.*]] = tensor.collapse_shape %[[PART]] {{\[\[}}0], [1, 2]] : tensor<?x5x1xf32> into tensor<?x5xf32>
  %r = tensor.extract_slice %x[0, 0, 2] [%n, 5, 1] [1, 1, 1] : tensor<4x5x6xf32> to tensor<?x5xf32>
  // CHECK: %[[ALL:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0], [1, 2]] output_shape [%[[N]], 5, 1] : tensor<?x5xf32> into tensor<?x5x1xf32>
  // CHECK: %[[I:.*]] = tensor.insert_slice %[[ALL]] into %[[X]][0, 0, 2] [%[[N]], 5, 1] [1, 1, 1] : tensor<?x5x1xf32> into tensor<4x5x6xf32>
  %i = tensor.insert_slice %y into %x[0, 0, 2] [%n, 5, 1] [1, 1, 1] : tensor<?x5xf32> into tensor<4x5x6xf32>
  // CHECK: return %[[R]], %[[I]]
  return %r, %i : tensor<?x5xf32>, tensor<4x5x6xf32>
}

// -----

// Steps may make one dimension's stride that of another, and numbers alone.
// CHECK-LABEL: @steps
func.func @steps(%x: tensor<1x130x2x16xf32>, %n: index) -> (tensor<130x?x4xf32>, tensor<f32>) {
  // CHECK: tensor.extract_slice %{{.*}} [1, 130, %{{.*}}, 4] [1, 1, 2, 1] : tensor<1x130x2x16xf32> to tensor<1x130x?x4xf32>
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2], [3]]
  %r = tensor.extract_slice %x[0, 0, 0, 2] [1, 130, %n, 4] [1, 1, 2, 1] : tensor<1x130x2x16xf32> to tensor<130x?x4xf32>
  // CHECK: tensor.extract_slice %{{.*}} : tensor<1x130x2x16xf32> to tensor<1x1x1x1xf32>
  // CHECK: tensor.collapse_shape %{{.*}} [] : tensor<1x1x1x1xf32> into tensor<f32>
  %s = tensor.extract_slice %x[0, 1, 0, 2] [1, 1, 1, 1] [1, 1, 1, 2] : tensor<1x130x2x16xf32> to tensor<f32>
  return %r, %s : tensor<130x?x4xf32>, tensor<f32>
}

// -----

// A row or a column is clear, whatever its length.
// CHECK-LABEL: @clear
// CHECK-NOT: tensor.collapse_shape
func.func @clear(%x: tensor<?x?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %r = tensor.extract_slice %x[%n, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
  %c = tensor.extract_slice %x[0, %n] [%n, 1] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
  return %r, %c : tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: @parallel
func.func @parallel(%x: tensor<4x5x6xf32>, %y: tensor<?x5xf32>, %n: index) -> tensor<4x5x6xf32> {
  // CHECK: scf.forall
  // CHECK: %[[ALL:.*]] = tensor.expand_shape
  // CHECK: scf.forall.in_parallel
  // CHECK-NEXT: tensor.parallel_insert_slice %[[ALL]] into %{{.*}}[0, 0, %{{.*}}] [%{{.*}}, 5, 1] [1, 1, 1] : tensor<?x5x1xf32> into tensor<4x5x6xf32>
  %r = scf.forall (%i) in (6) shared_outs(%o = %x) -> (tensor<4x5x6xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[0, 0, %i] [%n, 5, 1] [1, 1, 1] : tensor<?x5xf32> into tensor<4x5x6xf32>
    }
  }
  return %r : tensor<4x5x6xf32>
}
