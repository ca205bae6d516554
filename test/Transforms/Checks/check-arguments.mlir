// RUN: aik-opt %s --aik-check-arguments --split-input-file | FileCheck %s

// CHECK-LABEL: @matmul
// CHECK-SAME: %[[A:[^:]*]]: tensor<?x?xf32>, %[[B:[^:]*]]: tensor<?x8xf32>
func.func @matmul(%a: tensor<?x?xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK-DAG: %[[KA:.*]] = tensor.dim %[[A]], %c1
  // CHECK-DAG: %[[KB:.*]] = tensor.dim %[[B]], %c0
  // CHECK: %[[OK:.*]] = arith.cmpi eq, %[[KB]], %[[KA]]
  // CHECK: aikernel.check %[[OK]], 22, "aikernel.matmul: dimension 0 (K) of operand 'b' differs from dimension 1 (K) of operand 'a'"
  // CHECK-NEXT: aikernel.matmul
  %c = aikernel.matmul %a, %b : (tensor<?x?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %c : tensor<?x8xf32>
}

// -----

// What the verifier has seen is not checked again.
// CHECK-LABEL: @static
func.func @static(%a: tensor<4x4xf32>, %g: tensor<4xf32>) -> tensor<4x4xf32> {
  // CHECK-NOT: aikernel.check
  %0 = aikernel.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = aikernel.rms_norm %0, %g {eps = 1.0e-5 : f32} : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Sizes of intermediates are those of arguments: the gate and the up
// projection agree by themselves, and a size is asked for once.
// CHECK-LABEL: @block
func.func @block(%x: tensor<?x?xf32>, %g: tensor<?xf32>, %w: tensor<?x?xf32>, %v: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: aikernel.check %{{.*}}, 22, "aikernel.rms_norm: dimension 0 (N) of operand 'gamma' differs from dimension 1 (N) of operand 'x'"
  // CHECK: aikernel.check %{{.*}}, 22, "aikernel.linear: dimension 0 (K) of operand 'w' differs from dimension 1 (K) of operand 'x'"
  // CHECK: aikernel.check %{{.*}}, 22, "aikernel.linear: dimension 0 (K) of operand 'w' differs from dimension 1 (K) of operand 'x'"
  // CHECK: aikernel.check %{{.*}}, 22, "aikernel.swiglu: dimension 1 (d1) of operand 'up' differs from dimension 1 (d1) of operand 'gate'"
  // CHECK-NOT: aikernel.check
  // CHECK: aikernel.rms_norm
  // CHECK-NOT: aikernel.check
  %0 = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %1 = aikernel.linear %0, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = aikernel.linear %0, %v : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = aikernel.swiglu %1, %2 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %4 = aikernel.rms_norm %x, %g {eps = 1.0e-6 : f32} : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %5 = aikernel.linear %4, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %6 = arith.addf %3, %5 : tensor<?x?xf32>
  return %6 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @broadcast
// CHECK-SAME: %[[A:[^:]*]]: tensor<?x4x4xf32>, %[[B:[^:]*]]: tensor<?x4x4xf32>
func.func @broadcast(%a: tensor<?x4x4xf32>, %b: tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
  // CHECK-DAG: %[[NA:.*]] = tensor.dim %[[A]], %c0
  // CHECK-DAG: %[[NB:.*]] = tensor.dim %[[B]], %c0
  // CHECK-DAG: %[[A1:.*]] = arith.cmpi eq, %[[NA]], %c1
  // CHECK-DAG: %[[N:.*]] = arith.select %[[A1]], %[[NB]], %[[NA]]
  // CHECK-DAG: %[[SAME:.*]] = arith.cmpi eq, %[[NB]], %[[N]]
  // CHECK-DAG: %[[B1:.*]] = arith.cmpi eq, %[[NB]], %c1
  // CHECK: %[[OK:.*]] = arith.ori %[[SAME]], %[[B1]]
  // CHECK: aikernel.check %[[OK]], 22, "aikernel.matmul: dimension 0 (batch) of operand 'b' differs from dimension 0 (batch) of operand 'a' and is not 1"
  %c = aikernel.matmul %a, %b : (tensor<?x4x4xf32>, tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  return %c : tensor<?x4x4xf32>
}

// -----

// A static result is a promise of the program.
// CHECK-LABEL: @static_result
func.func @static_result(%a: tensor<?x4xf32>, %b: tensor<4x4xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[OK:.*]] = arith.cmpi eq, %{{.*}}, %c8
  // CHECK: aikernel.check %[[OK]], 22, "aikernel.matmul: dimension 0 (M) of the result differs from dimension 0 (M) of operand 'a'"
  %c = aikernel.matmul %a, %b : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// -----

// Positions and lengths are looked at before the first cache is written, also
// those of the op that comes second.
// CHECK-LABEL: @decode
// CHECK-SAME: %[[K:[^:]*]]: tensor<2x8x?x64xf32>, %[[NEW:[^:]*]]: tensor<2x8x?x64xf32>, %[[POS:[^:]*]]: tensor<2xi32>
func.func @decode(%k: tensor<2x8x?x64xf32>, %new: tensor<2x8x?x64xf32>, %pos: tensor<2xi32>, %q: tensor<2x?x?x64xf32>, %len: tensor<2xi32>) -> (tensor<2x8x?x64xf32>, tensor<2x?x?x64xf32>) {
  // CHECK-DAG: %[[SMAX:.*]] = tensor.dim %[[K]], %c2
  // CHECK-DAG: %[[S:.*]] = tensor.dim %[[NEW]], %c2
  // CHECK: %[[LAST:.*]] = arith.subi %[[SMAX]], %[[S]]
  // CHECK: %[[FITS:.*]] = scf.for %[[I:.*]] = %c0 to %c2 step %c1 iter_args(%[[ALL:.*]] = %true)
  // CHECK:   %[[P:.*]] = tensor.extract %[[POS]][%[[I]]]
  // CHECK:   %[[AT:.*]] = arith.index_cast %[[P]]
  // CHECK:   %[[LOW:.*]] = arith.cmpi sge, %[[AT]], %c0
  // CHECK:   %[[HIGH:.*]] = arith.cmpi sle, %[[AT]], %[[LAST]]
  // CHECK:   %[[BOTH:.*]] = arith.andi %[[LOW]], %[[HIGH]]
  // CHECK:   %[[NEXT:.*]] = arith.andi %[[ALL]], %[[BOTH]]
  // CHECK:   scf.yield %[[NEXT]]
  // CHECK: aikernel.check %[[FITS]], 34, "aikernel.kv_append: a value of operand 'pos' is negative, or the new rows do not fit behind it in operand 'cache'"
  // CHECK: aikernel.check %{{.*}}, 22, "aikernel.attention: dimension 1 (Hq) of operand 'q' is not a multiple of dimension 1 (Hkv) of operand 'k'"
  // CHECK: arith.cmpi ule, %{{.*}}, %[[SMAX]]
  // CHECK: aikernel.check %{{.*}}, 34, "aikernel.attention: a value of operand 'kv_len' is negative or larger than dimension 2 (Skv) of operand 'k'"
  // CHECK: aikernel.kv_append
  // CHECK-NOT: aikernel.check
  // CHECK: aikernel.attention
  %c = aikernel.kv_append %k, %new, %pos : (tensor<2x8x?x64xf32>, tensor<2x8x?x64xf32>, tensor<2xi32>) -> tensor<2x8x?x64xf32>
  %o = aikernel.attention %q, %c, %c kv_len %len : (tensor<2x?x?x64xf32>, tensor<2x8x?x64xf32>, tensor<2x8x?x64xf32>, tensor<2xi32>) -> tensor<2x?x?x64xf32>
  return %c, %o : tensor<2x8x?x64xf32>, tensor<2x?x?x64xf32>
}

// -----

// Zero groups are asked for without dividing by them.
// CHECK-LABEL: @dynamic_groups
func.func @dynamic_groups(%q: tensor<1x?x4x8xf32>, %k: tensor<1x?x4x8xf32>) -> tensor<1x?x4x8xf32> {
  // CHECK: %[[SAFE:.*]] = arith.maxui %[[GROUPS:.*]], %c1
  // CHECK: %[[REST:.*]] = arith.remui %[[HEADS:.*]], %[[SAFE]]
  // CHECK: %[[DIVIDES:.*]] = arith.cmpi eq, %[[REST]], %c0
  // CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[GROUPS]], %c0
  // CHECK: %[[EMPTY:.*]] = arith.cmpi eq, %[[HEADS]], %c0
  // CHECK: %[[SENSE:.*]] = arith.ori %[[SOME]], %[[EMPTY]]
  // CHECK: %[[OK:.*]] = arith.andi %[[DIVIDES]], %[[SENSE]]
  // CHECK: aikernel.check %[[OK]], 22
  %o = aikernel.attention %q, %k, %k : (tensor<1x?x4x8xf32>, tensor<1x?x4x8xf32>, tensor<1x?x4x8xf32>) -> tensor<1x?x4x8xf32>
  return %o : tensor<1x?x4x8xf32>
}

// -----

// CHECK-LABEL: @rope
func.func @rope(%x: tensor<1x2x?x?xf32>, %pos: tensor<1x?xi32>) -> tensor<1x2x?x?xf32> {
  // CHECK: aikernel.check %{{.*}}, 22, "aikernel.rope: dimension 1 (S) of operand 'pos' differs from dimension 2 (S) of operand 'x'"
  // CHECK: arith.cmpi uge, %{{.*}}, %c16
  // CHECK: aikernel.check %{{.*}}, 22, "aikernel.rope: dimension 3 (D) of operand 'x' is smaller than attribute 'dim'"
  // CHECK: arith.cmpi sge, %{{.*}}, %c0_i32
  // CHECK: aikernel.check %{{.*}}, 34, "aikernel.rope: a value of operand 'pos' is negative"
  %0 = aikernel.rope %x, %pos {base = 1.0e4 : f32, dim = 16 : i64} : (tensor<1x2x?x?xf32>, tensor<1x?xi32>) -> tensor<1x2x?x?xf32>
  return %0 : tensor<1x2x?x?xf32>
}

// -----

// What callers promised is checked too.
// CHECK-LABEL: @facts
func.func @facts(%x: tensor<?x8xf32> {aikernel.name = "x", aikernel.min = array<i64: 2, 0>, aikernel.max = array<i64: 512, -1>, aikernel.multiple_of = array<i64: 8, 1>}, %y: tensor<?xf32> {aikernel.min = array<i64: 1>}) -> tensor<?x8xf32> {
  // CHECK: %[[N:.*]] = tensor.dim
  // CHECK: %[[MIN:.*]] = arith.cmpi uge, %[[N]], %c2
  // CHECK: aikernel.check %[[MIN]], 22, "dimension 0 of argument 'x' is smaller than 2"
  // CHECK: %[[MAX:.*]] = arith.cmpi ule, %[[N]], %c512
  // CHECK: aikernel.check %[[MAX]], 22, "dimension 0 of argument 'x' is larger than 512"
  // CHECK: %[[REST:.*]] = arith.remui %[[N]], %c8
  // CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0
  // CHECK: aikernel.check %[[WHOLE]], 22, "dimension 0 of argument 'x' is not a multiple of 8"
  // CHECK: aikernel.check %{{.*}}, 22, "dimension 0 of argument 1 is smaller than 1"
  // CHECK-NOT: aikernel.check
  return %x : tensor<?x8xf32>
}

// -----

// A check of computed data stays behind what computes it.
// CHECK-LABEL: @computed_positions
func.func @computed_positions(%x: tensor<1x2x4x8xf32>, %p: tensor<1x4xi32>) -> tensor<1x2x4x8xf32> {
  // CHECK: aikernel.check %{{.*}}, 34, "aikernel.rope: a value of operand 'pos' is negative"
  // CHECK: aikernel.rope
  %one = arith.constant dense<1> : tensor<1x4xi32>
  %pos = arith.addi %p, %one : tensor<1x4xi32>
  %0 = aikernel.rope %x, %pos {base = 1.0e4 : f32} : (tensor<1x2x4x8xf32>, tensor<1x4xi32>) -> tensor<1x2x4x8xf32>
  return %0 : tensor<1x2x4x8xf32>
}

// -----

// Calls are inlined before; what is private is launched from a queue.
// CHECK-LABEL: @helper
func.func private @helper(%a: tensor<?x?xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK: aikernel.check
  %c = aikernel.matmul %a, %b : (tensor<?x?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %c : tensor<?x8xf32>
}
