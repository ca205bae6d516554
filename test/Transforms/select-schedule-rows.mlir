// A kernel that reads its rows several times takes as many rows as fit into one
// tile of 4096 elements, which stays in L1, and at least one.
// RUN: aik-opt %s --aik-select-schedule | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: @short_rows
  // CHECK: #aikernel.schedule<tiles = [16, 0]
  func.func private @short_rows(%x: tensor<?x256xf32>, %s: tensor<?xf32>) -> tensor<?xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x256xf32>) outs(%s : tensor<?xf32>) attrs = {aikernel.root = array<i64: 0>} {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    } -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  // CHECK-LABEL: @long_rows
  // CHECK: #aikernel.schedule<tiles = [1, 0]
  func.func private @long_rows(%x: tensor<?x65536xf32>, %s: tensor<?xf32>) -> tensor<?xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x65536xf32>) outs(%s : tensor<?xf32>) attrs = {aikernel.root = array<i64: 0>} {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    } -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
