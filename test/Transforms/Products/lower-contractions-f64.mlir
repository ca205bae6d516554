// In f64 a vector holds half as many lanes, and a block half as many steps.
// RUN: aik-opt %s --aik-lower-contractions | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  func.func @f(%a: memref<8x64xf64>, %b: memref<64x32xf64>, %c: memref<8x32xf64>) {
    linalg.matmul ins(%a, %b : memref<8x64xf64>, memref<64x32xf64>) outs(%c : memref<8x32xf64>)
    return
  }
  // CHECK-LABEL: func.func private @aik$product0(
  // CHECK: memref.alloca() {{.*}} : memref<1x17x128x8x1xf64>
  // CHECK: instruction = "vfmadd.f64.256"
}
