// A program without work for a GPU has a launcher all the same.
// RUN: aik-opt %s --aik-lower-launches | FileCheck %s

// CHECK: llvm.mlir.global external constant @aik$kernels() {{.*}}: !llvm.array<1 x struct<
// CHECK: llvm.mlir.global external constant @aik$checks() {{.*}}: !llvm.array<1 x struct<
func.func @f(%x: memref<0xf32>) attributes {aikernel.entry = "run"} {
  return
}
