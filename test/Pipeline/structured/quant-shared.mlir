// Products with the same activations share one quantization of them, and gate,
// up and what follows are one kernel that writes its result once.
// RUN: aikc %s --emit=structured --strip-reference -o - | FileCheck %s
// RUN: aikc %s --emit=scheduled --target=cpu:aarch64 --strip-reference -o - | FileCheck %s --check-prefix=LOOPS

// CHECK: func.func private @gated$kernel[[Q:[0-9]+]](
// CHECK: math.absf
// CHECK-NOT: math.absf
// CHECK: math.trunc
// CHECK-NOT: math.trunc
// CHECK: aikernel.block_gemv
// CHECK-NEXT: aikernel.block_gemv
// CHECK-NEXT: linalg.generic
// CHECK: aikernel.root
// CHECK: func.func @gated(

// LOOPS: func.func @gated(
// LOOPS: scf.forall
// LOOPS: call @[[GEMV:aik.blockgemv[0-9]*]](
// LOOPS-NOT: scf.forall
// LOOPS: call @[[GEMV]](
// LOOPS-NOT: scf.forall
// LOOPS: return
func.func @gated(%x: tensor<128xf32>, %gate: tensor<300x72xi8> {aikernel.weight}, %up: tensor<300x72xi8> {aikernel.weight}) -> tensor<300xf32> {
  %g = aikernel.quant_gemv %x, %gate {format = #aikernel.quant<q4_0>, activations = #aikernel.quant_activations<q8>} : (tensor<128xf32>, tensor<300x72xi8>) -> tensor<300xf32>
  %u = aikernel.quant_gemv %x, %up {format = #aikernel.quant<q4_0>, activations = #aikernel.quant_activations<q8>} : (tensor<128xf32>, tensor<300x72xi8>) -> tensor<300xf32>
  %y = aikernel.swiglu %g, %u : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
  return %y : tensor<300xf32>
}

// Three products of other lengths in formats with the same blocks: x is
// quantized and packed once.
// CHECK: func.func private @projections$kernel
// CHECK: math.absf
// CHECK-NOT: math.absf
// CHECK: math.trunc
// CHECK-NOT: math.trunc
// CHECK: aikernel.block_matmul
// CHECK: aikernel.block_matmul
// CHECK: aikernel.block_matmul
// CHECK: func.func @projections(

// LOOPS: func.func @projections(
// LOOPS-COUNT-3: call @aik$pack{{[0-9]*}}(
// LOOPS-NOT: call @aik$pack{{[0-9]*}}(
// LOOPS: call @aik$blockmatmul
// LOOPS-NOT: call @aik$pack{{[0-9]*}}(
// LOOPS: call @aik$blockmatmul
// LOOPS-NOT: call @aik$pack{{[0-9]*}}(
// LOOPS: call @aik$blockmatmul
func.func @projections(%x: tensor<?x64xf32>, %q: tensor<48x36xi8> {aikernel.weight}, %k: tensor<16x36xi8> {aikernel.weight}, %v: tensor<16x68xi8> {aikernel.weight}) -> (tensor<?x48xf32>, tensor<?x16xf32>, tensor<?x16xf32>) {
  %a = aikernel.quant_matmul %x, %q {format = #aikernel.quant<q4_0>, activations = #aikernel.quant_activations<q8>} : (tensor<?x64xf32>, tensor<48x36xi8>) -> tensor<?x48xf32>
  %b = aikernel.quant_matmul %x, %k {format = #aikernel.quant<q4_0>, activations = #aikernel.quant_activations<q8>} : (tensor<?x64xf32>, tensor<16x36xi8>) -> tensor<?x16xf32>
  %c = aikernel.quant_matmul %x, %v {format = #aikernel.quant<q8_0>, activations = #aikernel.quant_activations<q8>} : (tensor<?x64xf32>, tensor<16x68xi8>) -> tensor<?x16xf32>
  return %a, %b, %c : tensor<?x48xf32>, tensor<?x16xf32>, tensor<?x16xf32>
}
