// Each op of a chain is used twice. It is computed once in the loop, and the
// time to see that does not double from op to op.
// RUN: aik-opt %s --aik-tile-and-fuse | FileCheck %s

// CHECK-LABEL: func.func private @k(
// CHECK: scf.forall
// CHECK-COUNT-18: linalg.exp
// CHECK-NOT: linalg.exp
// CHECK: return
func.func private @k(%x0: tensor<64x64xf32>, %out: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {aikernel.kernel} {
  %e = tensor.empty() : tensor<64x64xf32>
  %t0 = linalg.exp ins(%x0 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x1 = linalg.add ins(%x0, %t0 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t1 = linalg.exp ins(%x1 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x2 = linalg.add ins(%x1, %t1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t2 = linalg.exp ins(%x2 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x3 = linalg.add ins(%x2, %t2 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t3 = linalg.exp ins(%x3 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x4 = linalg.add ins(%x3, %t3 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t4 = linalg.exp ins(%x4 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x5 = linalg.add ins(%x4, %t4 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t5 = linalg.exp ins(%x5 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x6 = linalg.add ins(%x5, %t5 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t6 = linalg.exp ins(%x6 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x7 = linalg.add ins(%x6, %t6 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t7 = linalg.exp ins(%x7 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x8 = linalg.add ins(%x7, %t7 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t8 = linalg.exp ins(%x8 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x9 = linalg.add ins(%x8, %t8 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t9 = linalg.exp ins(%x9 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x10 = linalg.add ins(%x9, %t9 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t10 = linalg.exp ins(%x10 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x11 = linalg.add ins(%x10, %t10 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t11 = linalg.exp ins(%x11 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x12 = linalg.add ins(%x11, %t11 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t12 = linalg.exp ins(%x12 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x13 = linalg.add ins(%x12, %t12 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t13 = linalg.exp ins(%x13 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x14 = linalg.add ins(%x13, %t13 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t14 = linalg.exp ins(%x14 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x15 = linalg.add ins(%x14, %t14 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t15 = linalg.exp ins(%x15 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x16 = linalg.add ins(%x15, %t15 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t16 = linalg.exp ins(%x16 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x17 = linalg.add ins(%x16, %t16 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t17 = linalg.exp ins(%x17 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x18 = linalg.add {aikernel.root = array<i64: 0>, aikernel.schedule = #aikernel.schedule<tiles = [8, 0], inner = 0>} ins(%x17, %t17 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%out : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %x18 : tensor<64x64xf32>
}
