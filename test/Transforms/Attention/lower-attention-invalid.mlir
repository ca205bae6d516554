// RUN: aik-opt %s --aik-lower-attention --verify-diagnostics

func.func @unknown(%q: memref<1x1x8x16xf32>, %scale: f32, %max: memref<1x1x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{names no instruction of the table}}
  aikernel.online_attention %q, %q, %q scale %scale key_offset %c0 head_offset %c0 group %c1 outs %q, %max, %max {instruction = "dream"} : (memref<1x1x8x16xf32>, memref<1x1x8x16xf32>, memref<1x1x8x16xf32>, f32, index, index, index, memref<1x1x8x16xf32>, memref<1x1x8xf32>, memref<1x1x8xf32>) -> ()
  return
}
