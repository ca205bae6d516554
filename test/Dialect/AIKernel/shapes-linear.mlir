// RUN: aik-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s

// CHECK-LABEL: @matmul
// CHECK-SAME: %[[A:[^:]*]]: tensor<?x?xf32>, %[[B:[^:]*]]: tensor<?x?xf32>
func.func @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = aikernel.matmul %a, %b {transpose_a} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK-DAG: %[[M:.*]] = tensor.dim %[[A]], %c1
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[B]], %c1
  // CHECK: return %[[M]], %[[N]]
  %m = tensor.dim %c, %c0 : tensor<?x?xf32>
  %n = tensor.dim %c, %c1 : tensor<?x?xf32>
  return %m, %n : index, index
}

// The batch is that of the side that is not 1.
// CHECK-LABEL: @broadcast
// CHECK-SAME: %[[A:[^:]*]]: tensor<?x?x4x4xf32>, %[[B:[^:]*]]: tensor<?x4x4xf32>
func.func @broadcast(%a: tensor<?x?x4x4xf32>, %b: tensor<?x4x4xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = aikernel.matmul %a, %b : (tensor<?x?x4x4xf32>, tensor<?x4x4xf32>) -> tensor<?x?x4x4xf32>
  // CHECK-DAG: %[[OUTER:.*]] = tensor.dim %[[A]], %c0
  // CHECK-DAG: %[[INNER_A:.*]] = tensor.dim %[[A]], %c1
  // CHECK-DAG: %[[INNER_B:.*]] = tensor.dim %[[B]], %c0
  // CHECK-DAG: %[[IS_ONE:.*]] = arith.cmpi eq, %[[INNER_A]], %c1
  // CHECK-DAG: %[[INNER:.*]] = arith.select %[[IS_ONE]], %[[INNER_B]], %[[INNER_A]]
  // CHECK: return %[[OUTER]], %[[INNER]]
  %0 = tensor.dim %c, %c0 : tensor<?x?x4x4xf32>
  %1 = tensor.dim %c, %c1 : tensor<?x?x4x4xf32>
  return %0, %1 : index, index
}

// A static size on one side decides.
// CHECK-LABEL: @known_batch
func.func @known_batch(%a: tensor<?x4x4xf32>, %b: tensor<3x4x4xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c = aikernel.matmul %a, %b : (tensor<?x4x4xf32>, tensor<3x4x4xf32>) -> tensor<?x4x4xf32>
  // CHECK: %[[THREE:.*]] = arith.constant 3 : index
  // CHECK: return %[[THREE]]
  %0 = tensor.dim %c, %c0 : tensor<?x4x4xf32>
  return %0 : index
}

// CHECK-LABEL: @linear
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?x?xf32>, %[[W:[^:]*]]: tensor<?x?xf32>
func.func @linear(%x: tensor<?x?x?xf32>, %w: tensor<?x?xf32>) -> (index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = aikernel.linear %x, %w {transpose_b} : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  // CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[X]], %c1
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[W]], %c0
  // CHECK: return %[[ROWS]], %[[N]]
  %0 = tensor.dim %y, %c1 : tensor<?x?x?xf32>
  %1 = tensor.dim %y, %c2 : tensor<?x?x?xf32>
  return %0, %1 : index, index
}
