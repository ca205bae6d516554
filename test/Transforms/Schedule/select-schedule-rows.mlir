// A kernel that reads its rows several times takes as many rows as fit into one
// tile of 4096 elements, which stays in L1, and at least one. Where it writes
// what it has read, a row of f32 that fills 64 registers (here 512 elements) is a
// tile by itself: it is written while the next is read.
// RUN: aik-opt %s --aik-select-schedule | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
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
  // Nothing is written: as many rows as before.
  // CHECK-LABEL: @summed_rows
  // CHECK: #aikernel.schedule<tiles = [8, 0]
  func.func private @summed_rows(%x: tensor<?x512xf32>, %s: tensor<?xf32>) -> tensor<?xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x512xf32>) outs(%s : tensor<?xf32>) attrs = {aikernel.root = array<i64: 0>} {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    } -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  // Each row by itself,
  // CHECK-LABEL: @written_rows
  // CHECK: #aikernel.schedule<tiles = [1, 0]
  func.func private @written_rows(%x: tensor<64x512xf32>, %s: tensor<64xf32>, %y: tensor<64x512xf32>) -> tensor<64x512xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x512xf32>) outs(%s : tensor<64xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    } -> tensor<64xf32>
    %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<64x512xf32>, tensor<64xf32>) outs(%y : tensor<64x512xf32>) attrs = {aikernel.root = array<i64: 0>} {
    ^bb0(%v: f32, %sum: f32, %out: f32):
      %a = arith.subf %v, %sum : f32
      linalg.yield %a : f32
    } -> tensor<64x512xf32>
    return %1 : tensor<64x512xf32>
  }
  // but not shorter ones,
  // CHECK-LABEL: @short_written_rows
  // CHECK: #aikernel.schedule<tiles = [8, 0]
  func.func private @short_written_rows(%x: tensor<64x508xf32>, %s: tensor<64xf32>, %y: tensor<64x508xf32>) -> tensor<64x508xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x508xf32>) outs(%s : tensor<64xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    } -> tensor<64xf32>
    %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<64x508xf32>, tensor<64xf32>) outs(%y : tensor<64x508xf32>) attrs = {aikernel.root = array<i64: 0>} {
    ^bb0(%v: f32, %sum: f32, %out: f32):
      %a = arith.subf %v, %sum : f32
      linalg.yield %a : f32
    } -> tensor<64x508xf32>
    return %1 : tensor<64x508xf32>
  }
  // nor such of 16 bits,
  // CHECK-LABEL: @narrow_written_rows
  // CHECK: #aikernel.schedule<tiles = [8, 0]
  func.func private @narrow_written_rows(%x: tensor<64x512xf16>, %s: tensor<64xf16>, %y: tensor<64x512xf16>) -> tensor<64x512xf16> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x512xf16>) outs(%s : tensor<64xf16>) {
    ^bb0(%v: f16, %acc: f16):
      %a = arith.addf %acc, %v : f16
      linalg.yield %a : f16
    } -> tensor<64xf16>
    %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<64x512xf16>, tensor<64xf16>) outs(%y : tensor<64x512xf16>) attrs = {aikernel.root = array<i64: 0>} {
    ^bb0(%v: f16, %sum: f16, %out: f16):
      %a = arith.subf %v, %sum : f16
      linalg.yield %a : f16
    } -> tensor<64x512xf16>
    return %1 : tensor<64x512xf16>
  }
  // or without a width,
  // CHECK-LABEL: @indices
  // CHECK: #aikernel.schedule<tiles = [8, 0]
  func.func private @indices(%x: tensor<64x512xindex>, %s: tensor<64xindex>, %y: tensor<64x512xindex>) -> tensor<64x512xindex> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x512xindex>) outs(%s : tensor<64xindex>) {
    ^bb0(%v: index, %acc: index):
      %a = arith.addi %acc, %v : index
      linalg.yield %a : index
    } -> tensor<64xindex>
    %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<64x512xindex>, tensor<64xindex>) outs(%y : tensor<64x512xindex>) attrs = {aikernel.root = array<i64: 0>} {
    ^bb0(%v: index, %sum: index, %out: index):
      %a = arith.subi %v, %sum : index
      linalg.yield %a : index
    } -> tensor<64x512xindex>
    return %1 : tensor<64x512xindex>
  }
  // nor columns, of which many lie along memory.
  // CHECK-LABEL: @columns
  // CHECK: #aikernel.schedule<tiles = [0, 32]
  func.func private @columns(%x: tensor<512x64xf32>, %s: tensor<64xf32>, %y: tensor<512x64xf32>) -> tensor<512x64xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<512x64xf32>) outs(%s : tensor<64xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    } -> tensor<64xf32>
    %1 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<512x64xf32>, tensor<64xf32>) outs(%y : tensor<512x64xf32>) attrs = {aikernel.root = array<i64: 1>} {
    ^bb0(%v: f32, %sum: f32, %out: f32):
      %a = arith.subf %v, %sum : f32
      linalg.yield %a : f32
    } -> tensor<512x64xf32>
    return %1 : tensor<512x64xf32>
  }
}
