// Attention is known to tables by all that a schedule may depend on. A table's
// schedule is taken, and a person's before that; one that cannot be is refused.
// RUN: aik-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(builtin.module(aik-form-tile-attention))' | FileCheck %s

// The best two are offered.
// CHECK: module attributes {aikernel.candidates = [
// CHECK-SAME: {function = "f", product = "attention bf16 2x512x8x128 of 2x512x2x128, bshd, causal, window 100, mask 1x1x512x512xf32, kv_len", schedule = #aik_tile.attention_schedule<rows = 128, keys = 80,
// CHECK-SAME: schedule = #aik_tile.attention_schedule<rows = 128, keys = 80, {{[^>]*}}keep_maximum = true>}]
// CHECK-LABEL: func.func private @attend(
// CHECK: schedule = #aik_tile.attention_schedule<rows = 192, keys = 48,
#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
#out = affine_map<(b, h, s, d) -> (b, s, h, d)>
module attributes {aikernel.candidates = 2 : i64, aikernel.tuning = {"attention bf16 2x512x8x128 of 2x512x2x128, bshd, causal, window 100, mask 1x1x512x512xf32, kv_len" = #aik_tile.attention_schedule<rows = 192, keys = 48, stages = 2, query_stages = 1, boxes = 1, registers = 160, load_registers = 32, blocks = 132>}} {
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func private @attend(%q: tensor<2x512x8x128xbf16>, %k: tensor<2x512x2x128xbf16>, %v: tensor<2x512x2x128xbf16>, %mask: tensor<1x1x512x512xf32>, %n: tensor<2xi32>, %d: tensor<2x512x8x128xbf16>) -> tensor<2x512x8x128xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<2x8x512x128xf32>
    %m = tensor.empty() : tensor<2x8x512xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x512x128xf32>) -> tensor<2x8x512x128xf32>
    %2 = linalg.fill ins(%low : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %3 = linalg.fill ins(%zero : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %scale = arith.constant 0.5 : f32
    %a:3 = aikernel.online_attention %q, %k, %v mask %mask kv_len %n scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 {causal, window = 100 : i64, layout = #aikernel.layout_kind<bshd>} : (tensor<2x512x8x128xbf16>, tensor<2x512x2x128xbf16>, tensor<2x512x2x128xbf16>, tensor<1x1x512x512xf32>, tensor<2xi32>, f32, index, index, index, tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>) -> (tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>)
    %r = linalg.generic {indexing_maps = [#acc, #sum, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x512x128xf32>, tensor<2x8x512xf32>) outs(%d : tensor<2x512x8x128xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x512x8x128xbf16>
    return %r : tensor<2x512x8x128xbf16>
  }
  func.func @f(%q: tensor<2x512x8x128xbf16>, %k: tensor<2x512x2x128xbf16>, %v: tensor<2x512x2x128xbf16>, %mask: tensor<1x1x512x512xf32>, %n: tensor<2xi32>) -> tensor<2x512x8x128xbf16> {
    %d = tensor.empty() : tensor<2x512x8x128xbf16>
    %r = call @attend(%q, %k, %v, %mask, %n, %d) : (tensor<2x512x8x128xbf16>, tensor<2x512x2x128xbf16>, tensor<2x512x2x128xbf16>, tensor<1x1x512x512xf32>, tensor<2xi32>, tensor<2x512x8x128xbf16>) -> tensor<2x512x8x128xbf16>
    return %r : tensor<2x512x8x128xbf16>
  }
}
}

// -----

// Of as many features as no schedule is known for.
// CHECK-LABEL: func.func private @attend(
// CHECK: schedule = #aik_tile.attention_schedule<rows = 192, keys = 64,
#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
#out = affine_map<(b, h, s, d) -> (b, h, s, d)>
module attributes {aikernel.tuning = {"attention bf16 2x8x512x80 of 2x2x512x80, causal, window 100, mask 1x1x512x512xf32, kv_len" = #aik_tile.attention_schedule<rows = 192, keys = 48, stages = 2, query_stages = 1, boxes = 1, registers = 160, load_registers = 32, blocks = 132>}} {
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func private @attend(%q: tensor<2x8x512x80xbf16>, %k: tensor<2x2x512x80xbf16>, %v: tensor<2x2x512x80xbf16>, %mask: tensor<1x1x512x512xf32>, %n: tensor<2xi32>, %d: tensor<2x8x512x80xbf16>) -> tensor<2x8x512x80xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<2x8x512x80xf32>
    %m = tensor.empty() : tensor<2x8x512xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x512x80xf32>) -> tensor<2x8x512x80xf32>
    %2 = linalg.fill ins(%low : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %3 = linalg.fill ins(%zero : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %scale = arith.constant 0.5 : f32
    %a:3 = aikernel.online_attention %q, %k, %v mask %mask kv_len %n scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 {causal, window = 100 : i64} : (tensor<2x8x512x80xbf16>, tensor<2x2x512x80xbf16>, tensor<2x2x512x80xbf16>, tensor<1x1x512x512xf32>, tensor<2xi32>, f32, index, index, index, tensor<2x8x512x80xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>) -> (tensor<2x8x512x80xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>)
    %r = linalg.generic {indexing_maps = [#acc, #sum, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x512x80xf32>, tensor<2x8x512xf32>) outs(%d : tensor<2x8x512x80xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>, aik_tile.attention_schedule = #aik_tile.attention_schedule<rows = 192, keys = 64, stages = 2, query_stages = 1, boxes = 1, registers = 160, load_registers = 32, blocks = 132>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x8x512x80xbf16>
    return %r : tensor<2x8x512x80xbf16>
  }
  func.func @f(%q: tensor<2x8x512x80xbf16>, %k: tensor<2x2x512x80xbf16>, %v: tensor<2x2x512x80xbf16>, %mask: tensor<1x1x512x512xf32>, %n: tensor<2xi32>) -> tensor<2x8x512x80xbf16> {
    %d = tensor.empty() : tensor<2x8x512x80xbf16>
    %r = call @attend(%q, %k, %v, %mask, %n, %d) : (tensor<2x8x512x80xbf16>, tensor<2x2x512x80xbf16>, tensor<2x2x512x80xbf16>, tensor<1x1x512x512xf32>, tensor<2xi32>, tensor<2x8x512x80xbf16>) -> tensor<2x8x512x80xbf16>
    return %r : tensor<2x8x512x80xbf16>
  }
}
}

// -----

#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
#out = affine_map<(b, h, s, d) -> (b, h, s, d)>
module {
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func private @attend(%q: tensor<2x8x512x72xbf16>, %k: tensor<2x2x512x72xbf16>, %v: tensor<2x2x512x72xbf16>, %mask: tensor<1x1x512x512xf32>, %n: tensor<2xi32>, %d: tensor<2x8x512x72xbf16>) -> tensor<2x8x512x72xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<2x8x512x72xf32>
    %m = tensor.empty() : tensor<2x8x512xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x512x72xf32>) -> tensor<2x8x512x72xf32>
    %2 = linalg.fill ins(%low : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %3 = linalg.fill ins(%zero : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %scale = arith.constant 0.5 : f32
    %a:3 = aikernel.online_attention %q, %k, %v mask %mask kv_len %n scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 {causal, window = 100 : i64} : (tensor<2x8x512x72xbf16>, tensor<2x2x512x72xbf16>, tensor<2x2x512x72xbf16>, tensor<1x1x512x512xf32>, tensor<2xi32>, f32, index, index, index, tensor<2x8x512x72xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>) -> (tensor<2x8x512x72xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>)
    // expected-error @+1 {{AIK-E0203: the schedule that was given for 'attention bf16 2x8x512x72 of 2x2x512x72, causal, window 100, mask 1x1x512x512xf32, kv_len' is not one for it: tiles have 16 to 256 features, a multiple of 16, and not 72}}
    %r = linalg.generic {indexing_maps = [#acc, #sum, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x512x72xf32>, tensor<2x8x512xf32>) outs(%d : tensor<2x8x512x72xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>, aik_tile.attention_schedule = #aik_tile.attention_schedule<rows = 192, keys = 64, stages = 2, query_stages = 1, boxes = 1, registers = 160, load_registers = 32, blocks = 132>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x8x512x72xbf16>
    return %r : tensor<2x8x512x72xbf16>
  }
  func.func @f(%q: tensor<2x8x512x72xbf16>, %k: tensor<2x2x512x72xbf16>, %v: tensor<2x2x512x72xbf16>, %mask: tensor<1x1x512x512xf32>, %n: tensor<2xi32>) -> tensor<2x8x512x72xbf16> {
    %d = tensor.empty() : tensor<2x8x512x72xbf16>
    %r = call @attend(%q, %k, %v, %mask, %n, %d) : (tensor<2x8x512x72xbf16>, tensor<2x2x512x72xbf16>, tensor<2x2x512x72xbf16>, tensor<1x1x512x512xf32>, tensor<2xi32>, tensor<2x8x512x72xbf16>) -> tensor<2x8x512x72xbf16>
    return %r : tensor<2x8x512x72xbf16>
  }
}
}

// -----

#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
#out = affine_map<(b, h, s, d) -> (b, h, s, d)>
module {
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func private @attend(%q: tensor<2x8x512x256xbf16>, %k: tensor<2x2x512x256xbf16>, %v: tensor<2x2x512x256xbf16>, %mask: tensor<1x1x512x512xf32>, %n: tensor<2xi32>, %d: tensor<2x8x512x256xbf16>) -> tensor<2x8x512x256xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<2x8x512x256xf32>
    %m = tensor.empty() : tensor<2x8x512xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x512x256xf32>) -> tensor<2x8x512x256xf32>
    %2 = linalg.fill ins(%low : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %3 = linalg.fill ins(%zero : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %scale = arith.constant 0.5 : f32
    %a:3 = aikernel.online_attention %q, %k, %v mask %mask kv_len %n scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 {causal, window = 100 : i64} : (tensor<2x8x512x256xbf16>, tensor<2x2x512x256xbf16>, tensor<2x2x512x256xbf16>, tensor<1x1x512x512xf32>, tensor<2xi32>, f32, index, index, index, tensor<2x8x512x256xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>) -> (tensor<2x8x512x256xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>)
    // expected-error @+1 {{AIK-E0203: the schedule that was given for 'attention bf16 2x8x512x256 of 2x2x512x256, causal, window 100, mask 1x1x512x512xf32, kv_len' is not one for it: threads of 192 rows start with 128 registers, and a product has 128 sums and 30 registers beside them}}
    %r = linalg.generic {indexing_maps = [#acc, #sum, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x512x256xf32>, tensor<2x8x512xf32>) outs(%d : tensor<2x8x512x256xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>, aik_tile.attention_schedule = #aik_tile.attention_schedule<rows = 192, keys = 16, stages = 2, query_stages = 1, boxes = 1, registers = 160, load_registers = 32, blocks = 132>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x8x512x256xbf16>
    return %r : tensor<2x8x512x256xbf16>
  }
  func.func @f(%q: tensor<2x8x512x256xbf16>, %k: tensor<2x2x512x256xbf16>, %v: tensor<2x2x512x256xbf16>, %mask: tensor<1x1x512x512xf32>, %n: tensor<2xi32>) -> tensor<2x8x512x256xbf16> {
    %d = tensor.empty() : tensor<2x8x512x256xbf16>
    %r = call @attend(%q, %k, %v, %mask, %n, %d) : (tensor<2x8x512x256xbf16>, tensor<2x2x512x256xbf16>, tensor<2x2x512x256xbf16>, tensor<1x1x512x512xf32>, tensor<2xi32>, tensor<2x8x512x256xbf16>) -> tensor<2x8x512x256xbf16>
    return %r : tensor<2x8x512x256xbf16>
  }
}
}
