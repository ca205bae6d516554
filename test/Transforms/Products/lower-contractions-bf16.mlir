// Narrow operands are widened while they are packed: the instruction takes
// the accumulator's type.
// RUN: aik-opt %s --aik-lower-contractions | FileCheck %s

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @f(
  // CHECK: call @aik$product0(
  // CHECK-SAME: (memref<?x?xbf16, {{.*}}>, memref<?x?xbf16, {{.*}}>, memref<?x?xf32, {{.*}}>)
  func.func @f(%a: memref<8x64xbf16>, %b: memref<64x32xbf16>, %c: memref<8x32xf32>) {
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<8x64xbf16>, memref<64x32xbf16>) outs(%c : memref<8x32xf32>) {
    ^bb0(%l: bf16, %r: bf16, %o: f32):
      %lw = arith.extf %l : bf16 to f32
      %rw = arith.extf %r : bf16 to f32
      %p = arith.mulf %lw, %rw : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    }
    return
  }
  // CHECK-LABEL: func.func private @aik$product0(
  // CHECK: aikernel.pack_panels {{.*}}xbf16, {{.*}} memref<1x9x256x16x1xf32>
  // CHECK: aikernel.pack_panels {{.*}}xbf16, {{.*}} memref<1x11x256x6x1xf32>
  // CHECK: instruction = "vfmadd.f32.256"
}
