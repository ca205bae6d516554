// Copies are loops over vectors like everything else; a copy onto itself is
// nothing.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func.func @copy(
  // CHECK-SAME: %[[A:[^:]*]]: memref<8x?xi8>, %[[B:[^:]*]]: memref<8x?xi8>
  // CHECK-NOT: memref.copy
  // CHECK: %[[V:.*]] = vector.load %[[A]]{{.*}} vector<64xi8>
  // CHECK: vector.store %[[V]], %[[B]]
  func.func @copy(%a: memref<8x?xi8>, %b: memref<8x?xi8>) {
    memref.copy %a, %b : memref<8x?xi8> to memref<8x?xi8>
    return
  }
  // CHECK-LABEL: func.func @itself(
  // CHECK-NEXT: return
  func.func @itself(%a: memref<8xf32>) {
    memref.copy %a, %a : memref<8xf32> to memref<8xf32>
    return
  }
}
