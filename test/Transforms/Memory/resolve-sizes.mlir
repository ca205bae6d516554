// Sizes of intermediates are asked of arguments, also through loops.
// RUN: aik-opt %s --aik-resolve-sizes --canonicalize --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @counted
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK-NOT: scf.for
// CHECK: return %[[N]]
func.func @counted(%x: tensor<?xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %y = math.exp %a : tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  %e = arith.negf %r : tensor<?xf32>
  %d = tensor.dim %e, %c0 : tensor<?xf32>
  return %d : index
}

// -----

// Inside the loop too.
// CHECK-LABEL: func.func @inside
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: scf.for
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK: tensor.empty(%[[N]])
func.func @inside(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %d = tensor.dim %a, %c0 : tensor<?xf32>
    %e = tensor.empty(%d) : tensor<?xf32>
    %y = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A condition may pass on, swap, or compute what it hands over.
// CHECK-LABEL: func.func @handed
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32>, %[[Y:[^:]*]]: tensor<?x4xf32>, %[[W:[^:]*]]: tensor<4x?xf32>
// CHECK-DAG: %[[NX:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[NY:.*]] = tensor.dim %[[Y]], %c0
// CHECK-DAG: %[[NW:.*]] = tensor.dim %[[W]], %c1
// CHECK: return %[[NY]], %[[NX]], %[[NX]], %[[NW]]
func.func @handed(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<4x?xf32>, %go: i1) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.while (%a = %x, %b = %y) : (tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x?xf32>) {
    %p = aikernel.matmul %a, %w : (tensor<?x4xf32>, tensor<4x?xf32>) -> tensor<?x?xf32>
    scf.condition(%go) %b, %a, %p : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x?xf32>
  } do {
  ^bb0(%b: tensor<?x4xf32>, %a: tensor<?x4xf32>, %p: tensor<?x?xf32>):
    scf.yield %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
  }
  %0 = tensor.dim %r#0, %c0 : tensor<?x4xf32>
  %1 = tensor.dim %r#1, %c0 : tensor<?x4xf32>
  %2 = tensor.dim %r#2, %c0 : tensor<?x?xf32>
  %3 = tensor.dim %r#2, %c1 : tensor<?x?xf32>
  return %0, %1, %2, %3 : index, index, index, index
}

// -----

// A slice whose size changes from turn to turn keeps its question.
// CHECK-LABEL: func.func @unknown
// CHECK: %[[R:.*]]:2 = scf.while
// CHECK: tensor.dim %[[R]]#{{[01]}}, %c0
func.func @unknown(%x: tensor<?xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%a = %x, %i = %c0) : (tensor<?xf32>, index) -> (tensor<?xf32>, index) {
    %go = arith.cmpi slt, %i, %n : index
    %s = tensor.extract_slice %a[0] [%i] [1] : tensor<?xf32> to tensor<?xf32>
    scf.condition(%go) %s, %i : tensor<?xf32>, index
  } do {
  ^bb0(%s: tensor<?xf32>, %i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %s, %j : tensor<?xf32>, index
  }
  %d = tensor.dim %r#0, %c0 : tensor<?xf32>
  return %d : index
}

// -----

// All of a tensor is the tensor: what a loop carries is updated, not a part of
// it.
// CHECK-LABEL: func.func @whole
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK-NOT: slice
// CHECK: %[[Y:.*]] = linalg.exp ins(%[[A]] : tensor<4x?xf32>) outs(%[[A]] : tensor<4x?xf32>)
// CHECK: scf.yield %[[Y]]
func.func @whole(%x: tensor<4x?xf32>, %n: index) -> tensor<4x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c1 : tensor<4x?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4x?xf32>) {
    %s = tensor.extract_slice %a[0, 0] [4, %m] [1, 1] : tensor<4x?xf32> to tensor<4x?xf32>
    %y = linalg.exp ins(%s : tensor<4x?xf32>) outs(%s : tensor<4x?xf32>) -> tensor<4x?xf32>
    %t = tensor.insert_slice %y into %a[0, 0] [4, %m] [1, 1] : tensor<4x?xf32> into tensor<4x?xf32>
    scf.yield %t : tensor<4x?xf32>
  }
  return %r : tensor<4x?xf32>
}

// -----

// CHECK-LABEL: func.func @part
// CHECK: tensor.extract_slice
func.func @part(%x: tensor<4x?xf32>, %m: index) -> tensor<4x?xf32> {
  %s = tensor.extract_slice %x[0, 0] [4, %m] [1, 1] : tensor<4x?xf32> to tensor<4x?xf32>
  return %s : tensor<4x?xf32>
}

// -----

// Branches that agree.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[Y:[^:]*]]: tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[R:.*]] = scf.if
// CHECK: %[[ASKED:.*]] = tensor.dim %[[R]], %c0
// CHECK: return %[[R]], %[[N]], %[[ASKED]]
func.func @branches(%x: tensor<?xf32>, %y: tensor<?xf32>, %up: i1) -> (tensor<?xf32>, index, index) {
  %c0 = arith.constant 0 : index
  %r:2 = scf.if %up -> (tensor<?xf32>, tensor<?xf32>) {
    %0 = math.exp %x : tensor<?xf32>
    scf.yield %0, %0 : tensor<?xf32>, tensor<?xf32>
  } else {
    %0 = math.log %x : tensor<?xf32>
    scf.yield %0, %y : tensor<?xf32>, tensor<?xf32>
  }
  %d = tensor.dim %r#0, %c0 : tensor<?xf32>
  %e = tensor.dim %r#1, %c0 : tensor<?xf32>
  return %r#1, %d, %e : tensor<?xf32>, index, index
}
