// The buffers of one parallel loop share a budget: small ones first, each
// rounded up to 64 bytes; the rest moves out of the loop. Another loop has a
// budget of its own.
// RUN: aik-opt %s --aik-promote-scratch=stack-bytes=640 --canonicalize | FileCheck %s
// Without the option there is room for all of them.
// RUN: aik-opt %s --aik-promote-scratch | FileCheck %s --check-prefix=ALL

// CHECK-LABEL: func.func @f(
// CHECK: memref.alloc() : memref<2048xi8>
// CHECK: scf.forall
// CHECK-DAG: memref.alloca() {{.*}} : memref<36xi8>
// CHECK-DAG: memref.alloca() {{.*}} : memref<400xi8>
// CHECK-NOT: memref.alloc
// CHECK: memref.view {{.*}} : memref<2048xi8> to memref<128xf32>
// CHECK: scf.forall
// CHECK: memref.alloca() {{.*}} : memref<512xi8>
// CHECK-NOT: memref.alloc
// CHECK: return

// ALL-LABEL: func.func @f(
// ALL-NOT: memref.alloc(
func.func @f(%v: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (4) {
    %large = memref.alloc() : memref<128xf32>
    memref.store %v, %large[%c0] : memref<128xf32>
    %medium = memref.alloc() : memref<100xf32>
    memref.store %v, %medium[%c0] : memref<100xf32>
    %small = memref.alloc() : memref<9xf32>
    memref.store %v, %small[%c0] : memref<9xf32>
  }
  scf.forall (%i) in (4) {
    %large = memref.alloc() : memref<128xf32>
    memref.store %v, %large[%c0] : memref<128xf32>
  }
  return
}
