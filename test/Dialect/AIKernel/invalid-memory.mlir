// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case0(%n: index) {
  // expected-error @+1 {{'aikernel.mem.alloc_pinned' op has 0 sizes but the result type 'memref<?xf32>' has 1 dynamic dimensions}}
  %0 = aikernel.mem.alloc_pinned : memref<?xf32>
  return
}

// -----

func.func @case1(%n: index) {
  // expected-error @+1 {{op has 1 sizes but the result type 'memref<4xf32>' has 0 dynamic dimensions}}
  %0 = aikernel.mem.alloc_pinned(%n) : memref<4xf32>
  return
}

// -----

func.func @case2() {
  // expected-error @+1 {{op has the result type 'memref<4xf32, strided<[2]>>' but memory is allocated in row-major order}}
  %0 = aikernel.mem.alloc_pinned : memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @case3() {
  // expected-error @+1 {{op has the result type 'memref<4xf32, 1>' but pinned memory is in the host's memory space}}
  %0 = aikernel.mem.alloc_pinned : memref<4xf32, 1>
  return
}

// -----

func.func @case4(%t: tensor<4xf32>) {
  // expected-error @+1 {{invalid kind of type specified: expected builtin.memref, but found 'tensor<4xf32>'}}
  aikernel.mem.free %t : tensor<4xf32>
  return
}
