// Several dimensions are counted as one: the number of an iteration is taken
// apart again from the innermost dimension outwards.
// RUN: aik-opt %s --aik-outline-parallel --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @f(
// 4 * 5 tiles, the last ones ragged.
// CHECK: %[[COUNT:.*]] = {{.*}}constant{{.*}}20 : i64
// CHECK-LABEL: func.func private @f$parallel0(
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[SIXTEEN:.*]] = arith.constant 16 : index
// CHECK: scf.for %[[N:.*]] =
// CHECK: %[[COLUMN:.*]] = arith.remui %[[N]], %[[COLUMNS:.*]] : index
// CHECK: %[[ROW:.*]] = arith.divui %[[N]], %[[COLUMNS]] : index
// CHECK-DAG: %[[J:.*]] = arith.muli %[[COLUMN]], %[[SIXTEEN]]
// CHECK-DAG: %[[I:.*]] = arith.muli %[[ROW]], %[[EIGHT]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @f(%v: f32, %m: memref<32x70xf32>) attributes {aikernel.entry = "run"} {
  scf.forall (%i, %j) = (0, 0) to (32, 70) step (8, 16) {
    memref.store %v, %m[%i, %j] : memref<32x70xf32>
  }
  return
}
