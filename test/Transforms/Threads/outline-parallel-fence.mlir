// Other threads see stores past the caches only after a fence.
// RUN: aik-opt %s --aik-outline-parallel | FileCheck %s

// CHECK-LABEL: func.func private @past$parallel0(
// CHECK: scf.for
// CHECK: vector.store {{.*}}nontemporal
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"()
// CHECK: return
func.func @past(%n: index, %v: vector<16xf32>, %m: memref<?xf32>) attributes {aikernel.entry = "run"} {
  scf.forall (%i) = (0) to (%n) step (16) {
    vector.store %v, %m[%i] {alignment = 64 : i64, nontemporal = true} : memref<?xf32>, vector<16xf32>
  }
  return
}

// CHECK-LABEL: func.func private @through$parallel0(
// CHECK-NOT: sfence
// CHECK: return
func.func @through(%n: index, %v: vector<16xf32>, %m: memref<?xf32>) attributes {aikernel.entry = "run"} {
  scf.forall (%i) = (0) to (%n) step (16) {
    vector.store %v, %m[%i] : memref<?xf32>, vector<16xf32>
  }
  return
}
