// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @memory
func.func @memory(%n: index) -> (i64, i1) {
  // CHECK: %[[M:.*]] = aikernel.mem.alloc_pinned(%{{.*}}) : memref<?x64xf32>
  %m = aikernel.mem.alloc_pinned(%n) : memref<?x64xf32>
  // CHECK: aikernel.mem.alloc_pinned : memref<4096xi8>
  %s = aikernel.mem.alloc_pinned : memref<4096xi8>
  // CHECK: aikernel.mem.query %[[M]] : memref<?x64xf32> -> i64, i1
  %page, %locked = aikernel.mem.query %m : memref<?x64xf32> -> i64, i1
  // CHECK: aikernel.mem.free %[[M]] : memref<?x64xf32>
  aikernel.mem.free %m : memref<?x64xf32>
  aikernel.mem.free %s : memref<4096xi8>
  return %page, %locked : i64, i1
}
