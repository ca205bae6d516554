// A size that is loaded from memory inside a parallel loop has no bound at all.
// RUN: aik-opt %s --aik-promote-scratch --verify-diagnostics

func.func @f(%sizes: memref<?xindex>, %v: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (4) {
    %size = memref.load %sizes[%i] : memref<?xindex>
    // expected-error @+1 {{AIK-E0007: a buffer inside a parallel loop has no bound}}
    %tile = memref.alloc(%size) : memref<?xf32>
    memref.store %v, %tile[%c0] : memref<?xf32>
  }
  return
}
