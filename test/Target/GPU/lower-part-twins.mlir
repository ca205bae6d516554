// A part of attention as plain loops; the last part adds up all of them.
// RUN: aik-opt %s --pass-pipeline='builtin.module(func.func(aik-lower-part-twins))' | FileCheck %s

// CHECK-LABEL: func.func @part
// CHECK-SAME: %[[FIRST:[^:]*]]: index, %[[PAST:[^:]*]]: index, %[[P:[^:]*]]: index, %[[USED:[^:]*]]: index)
// CHECK-NOT: aikernel.attention_part
// The largest score of a row, then powers and sums.
// CHECK: scf.for
// CHECK:   scf.for %{{.*}} = %[[FIRST]] to %[[PAST]]
// CHECK:     arith.maximumf
// CHECK:   scf.for %{{.*}} = %[[FIRST]] to %[[PAST]]
// CHECK:     math.exp
// There are three parts.
// CHECK: %[[NEXT:.*]] = arith.addi %[[P]], %c1
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[NEXT]], %c3
// CHECK: scf.if %[[LAST]] {
// CHECK:   scf.for %{{.*}} = %{{.*}} to %[[USED]]
// CHECK: return %[[LAST]] : i1
func.func @part(%q: memref<1x2x1x16xbf16>, %k: memref<1x1x64x16xbf16>, %v: memref<1x1x64x16xbf16>, %accs: memref<1x3x2x16xf32>, %maxs: memref<1x3x2xf32>, %sums: memref<1x3x2xf32>, %acc: memref<1x2x1x16xf32>, %max: memref<1x2x1xf32>, %sum: memref<1x2x1xf32>, %first: index, %past: index, %p: index, %used: index) -> i1 {
  %s = arith.constant 0.25 : f32
  %c0 = arith.constant 0 : index
  %done = aikernel.attention_part %q, %k, %v scale %s keys %first to %past head %c0 part %p of %used parts %accs, %maxs, %sums outs %acc, %max, %sum : (memref<1x2x1x16xbf16>, memref<1x1x64x16xbf16>, memref<1x1x64x16xbf16>, f32, index, index, index, index, index, memref<1x3x2x16xf32>, memref<1x3x2xf32>, memref<1x3x2xf32>, memref<1x2x1x16xf32>, memref<1x2x1xf32>, memref<1x2x1xf32>) -> i1
  return %done : i1
}
