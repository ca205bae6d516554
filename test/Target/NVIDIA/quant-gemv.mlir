// A quantized product with a weight is one kernel: it quantizes the activations,
// loads whole vectors, and multiplies four bytes at once.
// RUN: aikc %s --target=nvidia:sm_90a --emit=asm -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --implicit-check-not=.local --implicit-check-not=call
// Nothing waits on the stack, if the assembler is there to ask.
// RUN: not which ptxas || ptxas -v -arch=sm_90a %t.ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=REGISTERS

// REGISTERS-NOT: {{[1-9][0-9]*}} bytes spill

// CHECK: .entry q4_0_0(
// CHECK-COUNT-8: ld.global.v4.b32
// CHECK-COUNT-32: dp4a.s32.s32
// CHECK: shfl.sync.bfly
// CHECK-NOT: .entry q4_0_1(
func.func @q4_0(%x: tensor<4096xf32>, %w: tensor<1000x2304xi8> {aikernel.weight}) -> tensor<1000xf32> {
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_0>, activations = #aikernel.quant_activations<q8>} : (tensor<4096xf32>, tensor<1000x2304xi8>) -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}

// A table is looked up by the instruction that permutes bytes.
// CHECK: .entry mxfp4_0(
// CHECK: prmt.b32
// CHECK: dp4a.s32.s32
func.func @mxfp4(%x: tensor<4096xf32>, %w: tensor<1000x2176xi8> {aikernel.weight}) -> tensor<1000xf32> {
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<mxfp4>, activations = #aikernel.quant_activations<q8>} : (tensor<4096xf32>, tensor<1000x2176xi8>) -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}

// The cast of the result is done where the sums are.
// CHECK: .entry q6_k_0(
// CHECK-NOT: .entry q6_k_1(
func.func @q6_k(%x: tensor<4096xbf16>, %w: tensor<1000x3360xi8> {aikernel.weight}) -> tensor<1000xbf16> {
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q6_k>, activations = #aikernel.quant_activations<q8>} : (tensor<4096xbf16>, tensor<1000x3360xi8>) -> tensor<1000xbf16>
  return %y : tensor<1000xbf16>
}
