// A schedule of zeros leaves the kernel as it is, without its marks.
// RUN: aik-opt %s --aik-tile-and-fuse | FileCheck %s

// CHECK-LABEL: func.func private @whole(
// CHECK-NOT: scf.forall
// CHECK: linalg.exp ins(
// CHECK-NOT: scf.forall
func.func private @whole(%x: tensor<0xf32>, %e: tensor<0xf32>) -> tensor<0xf32> attributes {aikernel.kernel} {
  %0 = linalg.exp {aikernel.root = array<i64: 0>, aikernel.schedule = #aikernel.schedule<tiles = [0]>} ins(%x : tensor<0xf32>) outs(%e : tensor<0xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}
