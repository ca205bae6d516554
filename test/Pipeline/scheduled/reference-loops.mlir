// The reference runs a program's own parallel loop in order: what its calls keep
// on the stack of the function would belong to all threads.
// RUN: aikc %s --target=cpu --compile-to=scheduled -o - | FileCheck %s

// CHECK-LABEL: module @reference
// CHECK: func.func @rows(
// CHECK-NOT: scf.forall
// CHECK: scf.for %
// CHECK: aikernel.reference_call "softmax"
// CHECK-LABEL: module @target0
// CHECK: scf.forall
func.func @rows(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %e = tensor.empty() : tensor<64x32xf32>
  %y = scf.forall (%i) in (64) shared_outs(%o = %e) -> tensor<64x32xf32> {
    %s = tensor.extract_slice %x[%i, 0] [1, 32] [1, 1] : tensor<64x32xf32> to tensor<1x32xf32>
    %p = aikernel.softmax %s : (tensor<1x32xf32>) -> tensor<1x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<64x32xf32>
    }
  }
  return %y : tensor<64x32xf32>
}
