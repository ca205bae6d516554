// Attention with few rows per key head is split along its keys; the rest is
// left to aik-select-blocks.
// RUN: aik-opt %s --aik-select-decode | FileCheck %s
// RUN: aik-opt %s --aik-select-decode --aik-select-blocks | FileCheck %s --check-prefix=BLOCKS

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#row = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // Four heads share a key head: a block for each of the eight.
  // CHECK-LABEL: @decode
  // CHECK: aikernel.online_attention {{.*}} {instruction = "mma.m16n8k16"}
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [1, 4, 0, 0]>
  // BLOCKS-LABEL: @decode
  // BLOCKS: aikernel.schedule = #aikernel.schedule<tiles = [1, 4, 0, 0]>
  func.func private @decode(%q: tensor<2x32x1x64xbf16>, %k: tensor<2x8x?x64xbf16>, %v: tensor<2x8x?x64xbf16>, %acc: tensor<2x32x1x64xf32>, %max: tensor<2x32x1xf32>, %sum: tensor<2x32x1xf32>, %y: tensor<2x32x1x64xbf16>) -> tensor<2x32x1x64xbf16> attributes {aikernel.kernel} {
    %s = arith.constant 0.125 : f32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %r:3 = aikernel.online_attention %q, %k, %v scale %s key_offset %c0 head_offset %c0 group %c4 outs %acc, %max, %sum : (tensor<2x32x1x64xbf16>, tensor<2x8x?x64xbf16>, tensor<2x8x?x64xbf16>, f32, index, index, index, tensor<2x32x1x64xf32>, tensor<2x32x1xf32>, tensor<2x32x1xf32>) -> (tensor<2x32x1x64xf32>, tensor<2x32x1xf32>, tensor<2x32x1xf32>)
    %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r#0, %r#2 : tensor<2x32x1x64xf32>, tensor<2x32x1xf32>) outs(%y : tensor<2x32x1x64xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%a: f32, %b: f32, %out: bf16):
      %1 = arith.divf %a, %b : f32
      %2 = arith.truncf %1 : f32 to bf16
      linalg.yield %2 : bf16
    } -> tensor<2x32x1x64xbf16>
    return %0 : tensor<2x32x1x64xbf16>
  }

  // Five queries of four heads are more rows than the instruction has.
  // CHECK-LABEL: @many_rows
  // CHECK-NOT: mma.m16n8k16
  // CHECK-NOT: aikernel.schedule
  // BLOCKS-LABEL: @many_rows
  // BLOCKS: aikernel.schedule = #aikernel.schedule<tiles = [1, 1, 16, 0], inner = 64>
  func.func private @many_rows(%q: tensor<2x32x5x64xbf16>, %k: tensor<2x8x?x64xbf16>, %v: tensor<2x8x?x64xbf16>, %acc: tensor<2x32x5x64xf32>, %max: tensor<2x32x5xf32>, %sum: tensor<2x32x5xf32>, %y: tensor<2x32x5x64xbf16>) -> tensor<2x32x5x64xbf16> attributes {aikernel.kernel} {
    %s = arith.constant 0.125 : f32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %r:3 = aikernel.online_attention %q, %k, %v scale %s key_offset %c0 head_offset %c0 group %c4 outs %acc, %max, %sum : (tensor<2x32x5x64xbf16>, tensor<2x8x?x64xbf16>, tensor<2x8x?x64xbf16>, f32, index, index, index, tensor<2x32x5x64xf32>, tensor<2x32x5xf32>, tensor<2x32x5xf32>) -> (tensor<2x32x5x64xf32>, tensor<2x32x5xf32>, tensor<2x32x5xf32>)
    %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r#0, %r#2 : tensor<2x32x5x64xf32>, tensor<2x32x5xf32>) outs(%y : tensor<2x32x5x64xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%a: f32, %b: f32, %out: bf16):
      %1 = arith.divf %a, %b : f32
      %2 = arith.truncf %1 : f32 to bf16
      linalg.yield %2 : bf16
    } -> tensor<2x32x5x64xbf16>
    return %0 : tensor<2x32x5x64xbf16>
  }

  // There is no such instruction for f32.
  // CHECK-LABEL: @other_type
  // CHECK-NOT: mma.m16n8k16
  // CHECK: return
  func.func private @other_type(%q: tensor<1x8x1x64xf32>, %k: tensor<1x8x?x64xf32>, %v: tensor<1x8x?x64xf32>, %acc: tensor<1x8x1x64xf32>, %max: tensor<1x8x1xf32>, %sum: tensor<1x8x1xf32>, %y: tensor<1x8x1x64xf32>) -> tensor<1x8x1x64xf32> attributes {aikernel.kernel} {
    %s = arith.constant 0.125 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %v scale %s key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum : (tensor<1x8x1x64xf32>, tensor<1x8x?x64xf32>, tensor<1x8x?x64xf32>, f32, index, index, index, tensor<1x8x1x64xf32>, tensor<1x8x1xf32>, tensor<1x8x1xf32>) -> (tensor<1x8x1x64xf32>, tensor<1x8x1xf32>, tensor<1x8x1xf32>)
    %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r#0, %r#2 : tensor<1x8x1x64xf32>, tensor<1x8x1xf32>) outs(%y : tensor<1x8x1x64xf32>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %1 = arith.divf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<1x8x1x64xf32>
    return %0 : tensor<1x8x1x64xf32>
  }

  // What returns sums as well would attend twice.
  // CHECK-LABEL: @returns_sums
  // CHECK-NOT: mma.m16n8k16
  // CHECK: return
  func.func private @returns_sums(%q: tensor<1x8x1x64xf16>, %k: tensor<1x8x?x64xf16>, %v: tensor<1x8x?x64xf16>, %acc: tensor<1x8x1x64xf32>, %max: tensor<1x8x1xf32>, %sum: tensor<1x8x1xf32>, %y: tensor<1x8x1x64xf32>) -> (tensor<1x8x1x64xf32>, tensor<1x8x1xf32>) attributes {aikernel.kernel} {
    %s = arith.constant 0.125 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %v scale %s key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum : (tensor<1x8x1x64xf16>, tensor<1x8x?x64xf16>, tensor<1x8x?x64xf16>, f32, index, index, index, tensor<1x8x1x64xf32>, tensor<1x8x1xf32>, tensor<1x8x1xf32>) -> (tensor<1x8x1x64xf32>, tensor<1x8x1xf32>, tensor<1x8x1xf32>)
    %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r#0, %r#2 : tensor<1x8x1x64xf32>, tensor<1x8x1xf32>) outs(%y : tensor<1x8x1x64xf32>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %1 = arith.divf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<1x8x1x64xf32>
    return %0, %r#2 : tensor<1x8x1x64xf32>, tensor<1x8x1xf32>
  }
}
