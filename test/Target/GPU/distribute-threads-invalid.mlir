// What threads cannot share gets a sentence.
// RUN: aik-opt %s --aik-distribute-threads --verify-diagnostics

gpu.module @device {
  gpu.func @count(%x: memref<4xf32>, %v: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{AIK-E0007: 'memref.atomic_rmw' cannot be divided among the threads of a GPU}}
    %old = memref.atomic_rmw addf %v, %x[%c0] : (f32, memref<4xf32>) -> f32
    gpu.return
  }
}
