// Where all that moves with the vectors is bf16, even and odd elements are
// computed apart, in the loop of several registers; what is summed up has one
// half of its sums for each. Single vectors and scalars stay in order.
// RUN: aik-opt %s --aik-vectorize -split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx2,+fma,+avx512f,+avx512bw", vector_bits = 512>} {
  // CHECK-LABEL: func.func @scale(
  // CHECK: %[[LOADED:.*]] = vector.load %{{.*}} vector<32xbf16>
  // CHECK: %[[EVEN:.*]], %[[ODD:.*]] = vector.deinterleave %[[LOADED]] : vector<32xbf16> -> vector<16xbf16>
  // CHECK: arith.extf %[[EVEN]] : vector<16xbf16> to vector<16xf32>
  // CHECK: %[[EVENS:.*]] = arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
  // CHECK: arith.extf %[[ODD]] : vector<16xbf16> to vector<16xf32>
  // CHECK: %[[ODDS:.*]] = arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
  // CHECK: %[[BOTH:.*]] = vector.interleave %[[EVENS]], %[[ODDS]]
  // CHECK: vector.store %[[BOTH]]
  // CHECK: vector.load %{{.*}} vector<16xbf16>
  // CHECK-NOT: interleave
  // CHECK: return
  func.func @scale(%x: memref<?x?xbf16>, %s: memref<?xf32>, %y: memref<?x?xbf16>) {
    linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<?x?xbf16>, memref<?xf32>) outs(%y : memref<?x?xbf16>) {
    ^bb0(%v: bf16, %m: f32, %o: bf16):
      %w = arith.extf %v : bf16 to f32
      %p = arith.mulf %w, %m : f32
      %r = arith.truncf %p : f32 to bf16
      linalg.yield %r : bf16
    }
    return
  }
  // CHECK-LABEL: func.func @sum(
  // CHECK: scf.for {{.*}} iter_args(%[[SUMS:.*]] = %{{.*}}) -> (vector<128xf32>)
  // CHECK-DAG: %[[LOW:.*]] = vector.extract_strided_slice %[[SUMS]] {offsets = [0], sizes = [64], strides = [1]}
  // CHECK-DAG: %[[HIGH:.*]] = vector.extract_strided_slice %[[SUMS]] {offsets = [64], sizes = [64], strides = [1]}
  // CHECK: %[[A:.*]] = arith.addf %[[LOW]], %{{.*}} : vector<64xf32>
  // CHECK: %[[B:.*]] = arith.addf %[[HIGH]], %{{.*}} : vector<64xf32>
  // CHECK: %[[NEW:.*]] = vector.shuffle %[[A]], %[[B]] [0, 1, {{.*}}, 127]
  // CHECK: scf.yield %[[NEW]]
  func.func @sum(%x: memref<?x?xbf16>, %s: memref<?xf32>) {
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xbf16>) outs(%s : memref<?xf32>) {
    ^bb0(%v: bf16, %acc: f32):
      %w = arith.extf %v : bf16 to f32
      %a = arith.addf %acc, %w : f32
      linalg.yield %a : f32
    }
    return
  }
  // Not with a number of another type, with the number of an element, or with
  // bf16 that is not widened.
  // CHECK-LABEL: func.func @apart(
  // CHECK-NOT: interleave
  // CHECK: return
  func.func @apart(%x: memref<?xbf16>, %f: memref<?xf32>, %y: memref<?xbf16>) {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<?xbf16>) outs(%f : memref<?xf32>) {
    ^bb0(%v: bf16, %o: f32):
      %w = arith.extf %v : bf16 to f32
      linalg.yield %w : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<?xbf16>) outs(%y : memref<?xbf16>) {
    ^bb0(%v: bf16, %o: bf16):
      %w = arith.extf %v : bf16 to f32
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i32
      %k = arith.sitofp %n : i32 to f32
      %a = arith.addf %w, %k : f32
      %r = arith.truncf %a : f32 to bf16
      linalg.yield %r : bf16
    }
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<?xbf16>) outs(%y : memref<?xbf16>) {
    ^bb0(%v: bf16, %o: bf16):
      %w = arith.negf %v : bf16
      linalg.yield %w : bf16
    }
    return
  }
}

// -----

// Other machines widen in order at no cost.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func.func @neon(
  // CHECK-NOT: interleave
  // CHECK: return
  func.func @neon(%x: memref<?xbf16>, %y: memref<?xbf16>) {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<?xbf16>) outs(%y : memref<?xbf16>) {
    ^bb0(%v: bf16, %o: bf16):
      %w = arith.extf %v : bf16 to f32
      %a = arith.addf %w, %w : f32
      %r = arith.truncf %a : f32 to bf16
      linalg.yield %r : bf16
    }
    return
  }
}
