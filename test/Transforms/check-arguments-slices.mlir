// Slices and elements lie inside their tensor.
// RUN: aik-opt %s --aik-check-arguments --split-input-file | FileCheck %s

// CHECK-LABEL: @extract
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x8xf32>, %[[FROM:[^:]*]]: index, %[[COUNT:[^:]*]]: index
func.func @extract(%x: tensor<?x8xf32>, %from: index, %count: index) -> tensor<?x4xf32> {
  // CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
  // CHECK: %[[BEGINS:.*]] = arith.cmpi ule, %[[FROM]], %[[N]]
  // CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[FROM]]
  // CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[COUNT]], %[[LEFT]]
  // CHECK: %[[OK:.*]] = arith.andi %[[BEGINS]], %[[FITS]]
  // CHECK: aikernel.check %[[OK]], 34, "tensor.extract_slice: a slice reaches beyond dimension 0 of its tensor"
  // CHECK-NOT: aikernel.check
  %0 = tensor.extract_slice %x[%from, 2] [%count, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: @insert
func.func @insert(%x: tensor<?xf32>, %y: tensor<4x?xf32>, %count: index) -> tensor<4x?xf32> {
  // CHECK-DAG: aikernel.check %{{.*}}, 34, "tensor.insert_slice: a slice reaches beyond dimension 1 of its tensor"
  // CHECK-DAG: aikernel.check %{{.*}}, 22, "tensor.insert_slice: dimension 0 of the source differs from the slice that it goes to"
  // CHECK-NOT: aikernel.check
  %0 = tensor.insert_slice %x into %y[1, 0] [1, %count] [1, 1] : tensor<?xf32> into tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

// Steps that go backwards or nowhere are refused before anything divides.
// CHECK-LABEL: @strided
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[STEP:[^:]*]]: index
func.func @strided(%x: tensor<?xf32>, %step: index) -> tensor<3xf32> {
  // CHECK: %[[FORWARD:.*]] = arith.cmpi sgt, %[[STEP]], %c0
  // CHECK: %[[DIVISOR:.*]] = arith.select %[[FORWARD]], %[[STEP]], %c1
  // CHECK: arith.ceildivui %{{.*}}, %[[DIVISOR]]
  // CHECK: aikernel.check
  %0 = tensor.extract_slice %x[0] [3] [%step] : tensor<?xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// What a loop's bounds say need not be asked.
// CHECK-LABEL: @bounded
// CHECK-NOT: aikernel.check
func.func @bounded(%x: tensor<?x4xf32>) -> tensor<1x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<1x4xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<1x4xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
    %y = arith.addf %a, %row : tensor<1x4xf32>
    scf.yield %y : tensor<1x4xf32>
  }
  return %r : tensor<1x4xf32>
}

// -----

// The terminator of a parallel loop holds no checks.
// CHECK-LABEL: @parallel
// CHECK: aikernel.check %{{.*}}, 34, "tensor.parallel_insert_slice: a slice reaches beyond dimension 0 of its tensor"
// CHECK-NEXT: scf.forall.in_parallel
func.func @parallel(%x: tensor<4xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<?xf32>) {
    %e = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: @elements
func.func @elements(%x: tensor<?x4xf32>, %y: tensor<4xf32>, %i: index, %v: f32) -> (f32, tensor<4xf32>) {
  %c3 = arith.constant 3 : index
  // CHECK-DAG: aikernel.check %{{.*}}, 34, "tensor.extract: an index is outside dimension 0 of its tensor"
  // CHECK-DAG: aikernel.check %{{.*}}, 34, "tensor.insert: an index is outside dimension 0 of its tensor"
  // CHECK-NOT: aikernel.check
  %0 = tensor.extract %x[%i, %c3] : tensor<?x4xf32>
  %1 = tensor.insert %v into %y[%i] : tensor<4xf32>
  return %0, %1 : f32, tensor<4xf32>
}
