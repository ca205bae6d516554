// exp and tanh become arithmetic on vectors: no target needs a math library,
// also not for f64.
// RUN: aikc %s --emit=obj --target=cpu:x86-64 -o %t.o
// RUN: llvm-nm --undefined-only %t.o | count 0
// RUN: aikc %s --emit=obj --target=cpu:aarch64 -o %t.o
// RUN: llvm-nm --undefined-only %t.o | count 0
// RUN: aikc %s --emit=asm --target=cpu:x86-64-v3 -o - | FileCheck %s

// CHECK-LABEL: {{^}}f$run:
// CHECK: {{v(fmadd|mulps).*}}ymm
func.func @f(%x: tensor<64xf32>, %d: tensor<64xf64>) -> (tensor<64xf32>, tensor<64xf64>) {
  %t = math.tanh %x : tensor<64xf32>
  %y = math.exp %t : tensor<64xf32>
  %z = math.exp %d : tensor<64xf64>
  return %y, %z : tensor<64xf32>, tensor<64xf64>
}
