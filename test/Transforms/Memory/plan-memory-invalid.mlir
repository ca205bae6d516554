// The size of the workspace is known before anything runs: a buffer whose size
// is read from data cannot have a place in it.
// RUN: aik-opt %s --aik-plan-memory --verify-diagnostics

func.func @f(%sizes: memref<1xindex>) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %v = arith.constant 0.0 : f32
  %n = memref.load %sizes[%c0] : memref<1xindex>
  // expected-error @+1 {{AIK-E0007: the size of an intermediate buffer depends on data, not only on argument shapes}}
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %v, %a[%c0] : memref<?xf32>
  return
}
