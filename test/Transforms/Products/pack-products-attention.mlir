// Attention is told the instruction that multiplies, where its features are
// known and few; it packs its operands itself.
// RUN: aik-opt %s --aik-pack-products --split-input-file | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4+amx", arch = "x86_64", features = "+avx512f,+avx512bf16,+amx-bf16", vector_bits = 512>} {
  // Nobody knows how many queries there are: a few will read keys where they
  // are.
  // CHECK-LABEL: func.func @bf16(
  // CHECK: aikernel.online_attention {{.*}} {any_queries, instruction = "tdpbf16ps"}
  func.func @bf16(%q: tensor<1x1x?x64xbf16>, %k: tensor<1x1x?x64xbf16>, %scale: f32, %acc: tensor<1x1x?x64xf32>, %max: tensor<1x1x?xf32>) -> tensor<1x1x?x64xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %max : (tensor<1x1x?x64xbf16>, tensor<1x1x?x64xbf16>, tensor<1x1x?x64xbf16>, f32, index, index, index, tensor<1x1x?x64xf32>, tensor<1x1x?xf32>, tensor<1x1x?xf32>) -> (tensor<1x1x?x64xf32>, tensor<1x1x?xf32>, tensor<1x1x?xf32>)
    return %r#0 : tensor<1x1x?x64xf32>
  }

  // One query reads keys where they are: no tile registers.
  // CHECK-LABEL: func.func @few_rows(
  // CHECK: aikernel.online_attention {{.*}} {instruction = "vdpbf16ps.512"}
  func.func @few_rows(%q: tensor<1x1x1x64xbf16>, %k: tensor<1x1x?x64xbf16>, %scale: f32, %acc: tensor<1x1x1x64xf32>, %max: tensor<1x1x1xf32>) -> tensor<1x1x1x64xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %max : (tensor<1x1x1x64xbf16>, tensor<1x1x?x64xbf16>, tensor<1x1x?x64xbf16>, f32, index, index, index, tensor<1x1x1x64xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x1x64xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
    return %r#0 : tensor<1x1x1x64xf32>
  }

  // CHECK-LABEL: func.func @unknown_features(
  // CHECK: aikernel.online_attention
  // CHECK-NOT: instruction
  // CHECK: return
  func.func @unknown_features(%q: tensor<1x1x9x?xf32>, %k: tensor<1x1x9x?xf32>, %scale: f32, %acc: tensor<1x1x9x?xf32>, %max: tensor<1x1x9xf32>) -> tensor<1x1x9x?xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %max : (tensor<1x1x9x?xf32>, tensor<1x1x9x?xf32>, tensor<1x1x9x?xf32>, f32, index, index, index, tensor<1x1x9x?xf32>, tensor<1x1x9xf32>, tensor<1x1x9xf32>) -> (tensor<1x1x9x?xf32>, tensor<1x1x9xf32>, tensor<1x1x9xf32>)
    return %r#0 : tensor<1x1x9x?xf32>
  }

  // CHECK-LABEL: func.func @many_features(
  // CHECK: aikernel.online_attention
  // CHECK-NOT: instruction
  // CHECK: return
  func.func @many_features(%q: tensor<1x1x9x512xf32>, %k: tensor<1x1x9x512xf32>, %scale: f32, %acc: tensor<1x1x9x512xf32>, %max: tensor<1x1x9xf32>) -> tensor<1x1x9x512xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %max : (tensor<1x1x9x512xf32>, tensor<1x1x9x512xf32>, tensor<1x1x9x512xf32>, f32, index, index, index, tensor<1x1x9x512xf32>, tensor<1x1x9xf32>, tensor<1x1x9xf32>) -> (tensor<1x1x9x512xf32>, tensor<1x1x9xf32>, tensor<1x1x9xf32>)
    return %r#0 : tensor<1x1x9x512xf32>
  }

  // exp of f64 is a call for each element: nothing to gain.
  // CHECK-LABEL: func.func @f64(
  // CHECK: aikernel.online_attention
  // CHECK-NOT: instruction
  // CHECK: return
  func.func @f64(%q: tensor<1x1x9x16xf64>, %scale: f64, %acc: tensor<1x1x9x16xf64>, %max: tensor<1x1x9xf64>) -> tensor<1x1x9x16xf64> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %q, %q scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %max : (tensor<1x1x9x16xf64>, tensor<1x1x9x16xf64>, tensor<1x1x9x16xf64>, f64, index, index, index, tensor<1x1x9x16xf64>, tensor<1x1x9xf64>, tensor<1x1x9xf64>) -> (tensor<1x1x9x16xf64>, tensor<1x1x9xf64>, tensor<1x1x9xf64>)
    return %r#0 : tensor<1x1x9x16xf64>
  }
}

// -----

// Powers are not rounded to f16: that would not be faster.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64+fhm", arch = "aarch64", features = "+fp16fml", vector_bits = 128>} {
  // CHECK-LABEL: func.func @f16(
  // CHECK: aikernel.online_attention {{.*}} {any_queries, instruction = "fmla.f32"}
  func.func @f16(%q: tensor<1x1x?x64xf16>, %k: tensor<1x1x?x64xf16>, %scale: f32, %acc: tensor<1x1x?x64xf32>, %max: tensor<1x1x?xf32>) -> tensor<1x1x?x64xf32> attributes {aikernel.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:3 = aikernel.online_attention %q, %k, %k scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %max : (tensor<1x1x?x64xf16>, tensor<1x1x?x64xf16>, tensor<1x1x?x64xf16>, f32, index, index, index, tensor<1x1x?x64xf32>, tensor<1x1x?xf32>, tensor<1x1x?xf32>) -> (tensor<1x1x?x64xf32>, tensor<1x1x?xf32>, tensor<1x1x?xf32>)
    return %r#0 : tensor<1x1x?x64xf32>
  }
}
