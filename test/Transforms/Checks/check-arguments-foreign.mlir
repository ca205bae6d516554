// Ops of other dialects: what the verifier cannot see is checked in front of
// them, what can be proven is not.
// RUN: aik-opt %s --aik-check-arguments --split-input-file | FileCheck %s

// CHECK-LABEL: @extract
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x8xf32>, %[[I:[^:]*]]: index
func.func @extract(%x: tensor<?x8xf32>, %i: index) -> f32 {
  // CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
  // CHECK: %[[OK:.*]] = arith.cmpi ult, %[[I]], %[[N]]
  // CHECK: aikernel.check %[[OK]], 34, "tensor.extract: index 0 is negative or not below the size of dimension 0"
  // CHECK-NOT: aikernel.check
  // CHECK: tensor.extract
  %c7 = arith.constant 7 : index
  %r = tensor.extract %x[%i, %c7] : tensor<?x8xf32>
  return %r : f32
}

// -----

// A loop that ends where the data does.
// CHECK-LABEL: @loop
func.func @loop(%x: tensor<?x4xf32>, %y: tensor<?xf32>) -> f32 {
  // CHECK: scf.for %[[I:[^ ]*]] =
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: tensor.extract
  // CHECK-NEXT: tensor.dim
  // CHECK-NEXT: %[[OK:.*]] = arith.cmpi ult, %[[I]],
  // CHECK-NEXT: aikernel.check %[[OK]], 34, "tensor.extract: index 0
  // CHECK-NEXT: tensor.extract
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (f32) {
    %s = scf.for %j = %c0 to %c4 step %c1 iter_args(%b = %a) -> (f32) {
      %v = tensor.extract %x[%i, %j] : tensor<?x4xf32>
      %w = tensor.extract %y[%i] : tensor<?xf32>
      %t = arith.addf %v, %w : f32
      %u = arith.addf %b, %t : f32
      scf.yield %u : f32
    }
    scf.yield %s : f32
  }
  return %r : f32
}

// -----

// The check of a gather stands in the body; the column is known.
// CHECK-LABEL: @gather
func.func @gather(%table: tensor<?x4xf32>, %ids: tensor<9xi32>, %e: tensor<9x4xf32>) -> tensor<9x4xf32> {
  // CHECK: linalg.generic
  // CHECK: aikernel.check %{{.*}}, 34, "tensor.extract: index 0
  // CHECK-NOT: aikernel.check
  // CHECK: tensor.extract
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<9xi32>) outs(%e : tensor<9x4xf32>) {
  ^bb0(%id: i32, %o: f32):
    %row = arith.index_cast %id : i32 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %table[%row, %column] : tensor<?x4xf32>
    linalg.yield %v : f32
  } -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

// CHECK-LABEL: @slice
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[FROM:[^:]*]]: index
func.func @slice(%x: tensor<?xf32>, %from: index) -> tensor<4xf32> {
  // CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
  // CHECK-DAG: %[[STARTS:.*]] = arith.cmpi ule, %[[FROM]], %[[N]]
  // CHECK-DAG: %[[REST:.*]] = arith.subi %[[N]], %[[FROM]]
  // CHECK-DAG: %[[FITS:.*]] = arith.cmpi uge, %[[REST]], %c4
  // CHECK: %[[OK:.*]] = arith.andi %[[STARTS]], %[[FITS]]
  // CHECK: aikernel.check %[[OK]], 34, "tensor.extract_slice: the slice reaches out of dimension 0"
  %r = tensor.extract_slice %x[%from] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: @cast
func.func @cast(%x: tensor<?x?xf32>) -> tensor<?x8xf32> {
  // CHECK: %[[OK:.*]] = arith.cmpi eq, %{{.*}}, %c8
  // CHECK: aikernel.check %[[OK]], 22, "tensor.cast: dimension 1 is not 8"
  // CHECK-NOT: aikernel.check
  %r = tensor.cast %x : tensor<?x?xf32> to tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// The window of a convolution stays inside, unless there is nothing to do.
// CHECK-LABEL: @conv
func.func @conv(%x: tensor<?xf32>, %w: tensor<3xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: aikernel.check %{{.*}}, 22, "linalg.conv_1d: dimension 0 of operand 0 is too small for the sizes of the others"
  // CHECK: linalg.conv_1d
  %r = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The writes of a parallel loop are checked in front of its end.
// CHECK-LABEL: @forall
func.func @forall(%y: tensor<?xf32>, %v: tensor<1xf32>, %n: index) -> tensor<?xf32> {
  // CHECK: scf.forall
  // CHECK: aikernel.check %{{.*}}, 34, "tensor.parallel_insert_slice: the slice reaches out of dimension 0"
  // CHECK: scf.forall.in_parallel {
  // CHECK-NEXT: tensor.parallel_insert_slice
  %r = scf.forall (%i) in (%n) shared_outs(%o = %y) -> (tensor<?xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: @memory
func.func @memory(%a: memref<?xf32>, %b: memref<?xf32>, %i: index) {
  // CHECK-DAG: aikernel.check %{{.*}}, 34, "memref.load: index 0
  // CHECK-DAG: aikernel.check %{{.*}}, 22, "memref.copy: dimension 0 of the source differs from the target's"
  %v = memref.load %a[%i] : memref<?xf32>
  memref.store %v, %a[%i] : memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  return
}

// -----

// CHECK-LABEL: @arithmetic
// CHECK-SAME: %[[A:[^:]*]]: i64, %[[B:[^:]*]]: i64
func.func @arithmetic(%a: i64, %b: i64, %ok: i1, %x: f32) -> (i64, bf16) {
  // CHECK-DAG: %[[SOME:.*]] = arith.cmpi ne, %[[B]], %c0_i64
  // CHECK-DAG: aikernel.check %[[SOME]], 22, "arith.divsi: the divisor is 0"
  // CHECK-DAG: aikernel.check %{{.*}}, 22, "said so"
  // CHECK-NOT: cf.assert
  // CHECK: arith.divsi
  // A promise that may be broken is not kept.
  // CHECK: arith.addi %{{.*}}, %{{.*}} : i64
  // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
  %q = arith.divsi %a, %b : i64
  cf.assert %ok, "said so"
  %r = arith.addi %q, %a overflow<nsw> : i64
  %y = arith.addf %x, %x fastmath<nnan,contract> : f32
  // CHECK: arith.truncf
  %z = arith.truncf %y : f32 to bf16
  return %r, %z : i64, bf16
}

// -----

// CHECK-LABEL: @sizes
func.func @sizes(%n: index, %x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?x4xf32>) {
  // CHECK-DAG: aikernel.check %{{.*}}, 22, "tensor.empty: a size is negative or too large"
  // CHECK-DAG: aikernel.check %{{.*}}, 22, "tensor.expand_shape: the new sizes do not multiply to dimension 0"
  %e = tensor.empty(%n) : tensor<?xf32>
  %s = tensor.expand_shape %x [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %e, %s : tensor<?xf32>, tensor<?x4xf32>
}
