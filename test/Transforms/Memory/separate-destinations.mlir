// CSE makes one tensor.empty of all that are alike; each op gets its own again.
// Inside a loop sharing stays: what a tile needs is to be small.
// RUN: aik-opt %s --aik-separate-destinations | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-DAG: %[[A:.*]] = linalg.exp ins(%{{.*}}) outs(%[[E:[^ ]*]] :
// CHECK-DAG: %[[B:.*]] = linalg.abs ins(%[[A]] : {{.*}}) outs(%[[F:[^ ]*]] :
// CHECK-DAG: %[[E]] = tensor.empty(%[[N:.*]]) : tensor<?xf32>
// CHECK-DAG: %[[F]] = tensor.empty(%[[N]]) : tensor<?xf32>
func.func @f(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %b = linalg.abs ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @loop(
// CHECK: scf.for
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK-NOT: tensor.empty
// CHECK: linalg.exp {{.*}} outs(%[[E]] :
// CHECK: linalg.abs {{.*}} outs(%[[E]] :
func.func @loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.exp ins(%c : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.abs ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Two tensors that a loop inside a loop carries are there at once.
// CHECK-LABEL: func.func @carried(
// CHECK: scf.for
// CHECK-DAG: %[[A:.*]] = linalg.fill {{.*}} outs(%[[E:[^ ]*]] :
// CHECK-DAG: %[[B:.*]] = linalg.fill {{.*}} outs(%[[F:[^ ]*]] :
// CHECK-DAG: %[[E]] = tensor.empty() : tensor<4xf32>
// CHECK-DAG: %[[F]] = tensor.empty() : tensor<4xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[A]], %{{.*}} = %[[B]])
func.func @carried(%x: tensor<4xf32>, %n: index, %v: f32, %w: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.fill ins(%w : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %ab:2 = scf.for %j = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (tensor<4xf32>, tensor<4xf32>) {
      %s = linalg.add ins(%p, %q : tensor<4xf32>, tensor<4xf32>) outs(%p : tensor<4xf32>) -> tensor<4xf32>
      %d = linalg.sub ins(%s, %c : tensor<4xf32>, tensor<4xf32>) outs(%q : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %s, %d : tensor<4xf32>, tensor<4xf32>
    }
    %sum = linalg.mul ins(%ab#0, %ab#1 : tensor<4xf32>, tensor<4xf32>) outs(%ab#0 : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %sum : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
