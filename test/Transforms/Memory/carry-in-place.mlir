// What a loop carries is written into the memory that it came in.
// RUN: aik-opt %s --aik-carry-in-place --split-input-file | FileCheck %s

// A new tensor per iteration.
// CHECK-LABEL: func.func @fresh
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK: %[[Y:.*]] = linalg.exp
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[A]]
// CHECK: scf.yield %[[M]]
func.func @fresh(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Two that change places: both are read before either is written.
// CHECK-LABEL: func.func @swap
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: %[[COPY_B:.*]] = bufferization.alloc_tensor() copy(%[[B]])
// CHECK: %[[COPY_A:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK: bufferization.materialize_in_destination %[[COPY_B]] in %[[A]]
// CHECK: bufferization.materialize_in_destination %[[COPY_A]] in %[[B]]
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Updated in place whichever way it goes: no copy is needed.
// CHECK-LABEL: func.func @branches
// CHECK-NOT: alloc_tensor
// CHECK: %[[Y:.*]] = scf.if
// CHECK: bufferization.materialize_in_destination %[[Y]] in
func.func @branches(%x: tensor<4xf32>, %n: index, %up: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %y = scf.if %up -> (tensor<4xf32>) {
      %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %0 : tensor<4xf32>
    } else {
      %0 = linalg.log ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %0 : tensor<4xf32>
    }
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A loop that also reads what it starts with works on a copy.
// CHECK-LABEL: func.func @start
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[X]])
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[MEMORY:.*]] = bufferization.alloc_tensor(%[[N]])
// CHECK: %[[COPY:.*]] = bufferization.materialize_in_destination %[[A]] in %[[MEMORY]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
func.func @start(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<?xf32>) {
      %y = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
      scf.yield %y : tensor<?xf32>
    }
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A tensor that two loops carry is written by the inner one.
// CHECK-LABEL: func.func @handed_through
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK: %[[Q:.*]] = scf.for {{.*}} iter_args(%[[B:.*]] = %[[A]])
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[B]]
// CHECK: scf.yield %[[M]]
// CHECK-NOT: bufferization.materialize_in_destination
// CHECK: scf.yield %[[Q]]
func.func @handed_through(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<4xf32>) {
      %e = tensor.empty() : tensor<4xf32>
      %y = linalg.exp ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %y : tensor<4xf32>
    }
    scf.yield %q : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Where it is needed after the inner loop, that loop starts from a copy.
// CHECK-LABEL: func.func @needed_after
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK: %[[Q:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
// CHECK: %[[Z:.*]] = linalg.sub ins(%[[Q]], %[[A]]
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[Z]] in %[[A]]
// CHECK: scf.yield %[[M]]
func.func @needed_after(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<4xf32>) {
      %e = tensor.empty() : tensor<4xf32>
      %y = linalg.exp ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %y : tensor<4xf32>
    }
    %f = tensor.empty() : tensor<4xf32>
    %z = linalg.sub ins(%q, %a : tensor<4xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// So do inner loops one after the other, and a parallel one is no trouble.
// CHECK-LABEL: func.func @in_a_row
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK: %[[Q:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[A]])
// CHECK: %[[P:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[Q]])
// CHECK: scf.yield %[[P]]
// CHECK: scf.for {{.*}} iter_args(%[[B:.*]] = %{{.*}})
// CHECK: %[[F:.*]] = scf.forall {{.*}} shared_outs(%{{.*}} = %[[B]])
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[F]] in %[[B]]
// CHECK: scf.yield %[[M]]
func.func @in_a_row(%x: tensor<4xf32>, %v: tensor<1xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<4xf32>) {
      %u = tensor.insert_slice %v into %b[%j] [1] [1] : tensor<1xf32> into tensor<4xf32>
      scf.yield %u : tensor<4xf32>
    }
    %p = scf.for %j = %c0 to %n step %c1 iter_args(%b = %q) -> (tensor<4xf32>) {
      %u = tensor.insert_slice %v into %b[%j] [1] [1] : tensor<1xf32> into tensor<4xf32>
      scf.yield %u : tensor<4xf32>
    }
    scf.yield %p : tensor<4xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %r) -> (tensor<4xf32>) {
    %f = scf.forall (%j) in (4) shared_outs(%b = %a) -> (tensor<4xf32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %v into %b[%j] [1] [1] : tensor<1xf32> into tensor<4xf32>
      }
    }
    scf.yield %f : tensor<4xf32>
  }
  return %s : tensor<4xf32>
}
