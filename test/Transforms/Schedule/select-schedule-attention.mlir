// Attention works on some queries of one head of one batch: on 64, with 120 keys
// at a time, where it is decomposed; on 384 and all keys where an instruction
// was found for it; with few queries, of one head or of several that share keys,
// it is left whole, to be split along its keys.
// RUN: aik-opt %s --aik-select-schedule | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: @attention
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [1, 1, 64, 0], inner = 120>
  func.func private @attention(%q: tensor<1x2x100x16xf32>, %k: tensor<1x2x200x16xf32>, %v: tensor<1x2x200x16xf32>, %scale: f32, %acc: tensor<1x2x100x16xf32>, %max: tensor<1x2x100xf32>, %sum: tensor<1x2x100xf32>) -> tensor<1x2x100x16xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {aikernel.root = array<i64: 0, 1, 2>} : (tensor<1x2x100x16xf32>, tensor<1x2x200x16xf32>, tensor<1x2x200x16xf32>, f32, index, index, index, tensor<1x2x100x16xf32>, tensor<1x2x100xf32>, tensor<1x2x100xf32>) -> (tensor<1x2x100x16xf32>, tensor<1x2x100xf32>, tensor<1x2x100xf32>)
    return %r#0 : tensor<1x2x100x16xf32>
  }

  // CHECK-LABEL: @packed
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [1, 1, 384, 0]>
  func.func private @packed(%q: tensor<1x2x500x16xf32>, %k: tensor<1x2x200x16xf32>, %v: tensor<1x2x200x16xf32>, %scale: f32, %acc: tensor<1x2x500x16xf32>, %max: tensor<1x2x500xf32>, %sum: tensor<1x2x500xf32>) -> tensor<1x2x500x16xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {aikernel.root = array<i64: 0, 1, 2>, instruction = "vfmadd.f32.256"} : (tensor<1x2x500x16xf32>, tensor<1x2x200x16xf32>, tensor<1x2x200x16xf32>, f32, index, index, index, tensor<1x2x500x16xf32>, tensor<1x2x500xf32>, tensor<1x2x500xf32>) -> (tensor<1x2x500x16xf32>, tensor<1x2x500xf32>, tensor<1x2x500xf32>)
    return %r#0 : tensor<1x2x500x16xf32>
  }

  // CHECK-LABEL: @few
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [0, 0, 0, 0]>
  func.func private @few(%q: tensor<1x2x1x16xf32>, %k: tensor<1x2x200x16xf32>, %v: tensor<1x2x200x16xf32>, %scale: f32, %acc: tensor<1x2x1x16xf32>, %max: tensor<1x2x1xf32>, %sum: tensor<1x2x1xf32>) -> tensor<1x2x1x16xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum {aikernel.root = array<i64: 0, 1, 2>, instruction = "vfmadd.f32.256"} : (tensor<1x2x1x16xf32>, tensor<1x2x200x16xf32>, tensor<1x2x200x16xf32>, f32, index, index, index, tensor<1x2x1x16xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>) -> (tensor<1x2x1x16xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>)
    return %r#0 : tensor<1x2x1x16xf32>
  }

  // CHECK-LABEL: @shared
  // CHECK: aikernel.schedule = #aikernel.schedule<tiles = [0, 0, 0, 0]>
  func.func private @shared(%q: tensor<1x8x6x16xf32>, %k: tensor<1x2x200x16xf32>, %v: tensor<1x2x200x16xf32>, %scale: f32, %acc: tensor<1x8x6x16xf32>, %max: tensor<1x8x6xf32>, %sum: tensor<1x8x6xf32>) -> tensor<1x8x6x16xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %r:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c4 outs %acc, %max, %sum {aikernel.root = array<i64: 0, 1, 2>, instruction = "vfmadd.f32.256"} : (tensor<1x8x6x16xf32>, tensor<1x2x200x16xf32>, tensor<1x2x200x16xf32>, f32, index, index, index, tensor<1x8x6x16xf32>, tensor<1x8x6xf32>, tensor<1x8x6xf32>) -> (tensor<1x8x6x16xf32>, tensor<1x8x6xf32>, tensor<1x8x6xf32>)
    return %r#0 : tensor<1x8x6x16xf32>
  }
}
