// Attention of many queries becomes one op with a schedule and a counter of its
// tiles; bounds are not needed any more. What it reads may be arguments in
// another shape. Other attention stays.
// RUN: aik-opt %s --split-input-file --aik-form-tile-attention | FileCheck %s

#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
#bound = affine_map<(b, s) -> (b, s)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-NOT: @bounds
  func.func private @bounds(%d: tensor<2x512xi32>) -> tensor<2x512xi32> attributes {aikernel.kernel} {
    %r = linalg.generic {indexing_maps = [#bound], iterator_types = ["parallel", "parallel"]} outs(%d : tensor<2x512xi32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%out: i32):
      %i = linalg.index 1 : index
      %n = arith.index_cast %i : index to i32
      linalg.yield %n : i32
    } -> tensor<2x512xi32>
    return %r : tensor<2x512xi32>
  }

  // Maximums and sums are written where somebody asks for them.
  // CHECK-LABEL: func.func private @attend(
  // CHECK-SAME: %[[Q:.*]]: tensor<2x8x512x128xbf16>, %[[K:.*]]: tensor<2x2x512x128xbf16>, %[[W:.*]]: tensor<2x2x512x2x64xbf16>, %[[M:.*]]: tensor<2x8x512xf32>, %[[L:.*]]: tensor<2x8x512xf32>, %[[D:.*]]: tensor<2x8x512x128xbf16>, %[[C:.*]]: tensor<1xi32>)
  // CHECK-NOT: online_attention
  // CHECK: %[[V:.*]] = tensor.collapse_shape %[[W]]
  // CHECK: %[[R:.*]]:4 = aik_tile.attention %[[Q]], %[[K]], %[[V]] outs %[[D]], %[[M]], %[[L]], %[[C]]
  // CHECK-SAME: causal
  // CHECK-SAME: scale = 5.000000e-01 : f32
  // CHECK-SAME: schedule = #aik_tile.attention_schedule<rows = 128, keys = 128, {{.*}}, keep_maximum = true>
  // CHECK-SAME: softcap = 3.000000e+01 : f32
  // CHECK: return %[[R]]#1, %[[R]]#2, %[[R]]#0
  func.func private @attend(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %w: tensor<2x2x512x2x64xbf16>, %end: tensor<2x512xi32>, %m: tensor<2x8x512xf32>, %l: tensor<2x8x512xf32>, %d: tensor<2x8x512x128xbf16>) -> (tensor<2x8x512xf32>, tensor<2x8x512xf32>, tensor<2x8x512x128xbf16>) attributes {aikernel.kernel} {
    %v = tensor.collapse_shape %w [[0], [1], [2], [3, 4]] : tensor<2x2x512x2x64xbf16> into tensor<2x2x512x128xbf16>
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %scale = arith.constant 0.5 : f32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<2x8x512x128xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x512x128xf32>) -> tensor<2x8x512x128xf32>
    %2 = linalg.fill ins(%low : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %3 = linalg.fill ins(%zero : f32) outs(%l : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %a:3 = aikernel.online_attention %q, %k, %v end %end scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 {causal, softcap = 30.0 : f64} : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x512xi32>, f32, index, index, index, tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>) -> (tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>)
    %r = linalg.generic {indexing_maps = [#acc, #sum, #acc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x512x128xf32>, tensor<2x8x512xf32>) outs(%d : tensor<2x8x512x128xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x8x512x128xbf16>
    return %a#1, %a#2, %r : tensor<2x8x512xf32>, tensor<2x8x512xf32>, tensor<2x8x512x128xbf16>
  }

  // CHECK-LABEL: func.func @f(
  // CHECK: %[[ZERO:.*]] = linalg.fill ins(%{{.*}} : i32) outs(%{{.*}} : tensor<1xi32>)
  // CHECK: call @attend(%{{.*}}, %[[ZERO]])
  func.func @f(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x2x64xbf16>) -> (tensor<2x8x512xf32>, tensor<2x8x512xf32>, tensor<2x8x512x128xbf16>) {
    %0 = tensor.empty() : tensor<2x512xi32>
    %1 = tensor.empty() : tensor<2x8x512xf32>
    %2 = tensor.empty() : tensor<2x8x512xf32>
    %3 = tensor.empty() : tensor<2x8x512x128xbf16>
    %end = call @bounds(%0) : (tensor<2x512xi32>) -> tensor<2x512xi32>
    %r:3 = call @attend(%q, %k, %v, %end, %1, %2, %3) : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x2x64xbf16>, tensor<2x512xi32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>, tensor<2x8x512x128xbf16>) -> (tensor<2x8x512xf32>, tensor<2x8x512xf32>, tensor<2x8x512x128xbf16>)
    return %r#0, %r#1, %r#2 : tensor<2x8x512xf32>, tensor<2x8x512xf32>, tensor<2x8x512x128xbf16>
  }
}

// -----

// Masks and numbers of keys are read as they are.
// CHECK-LABEL: func.func private @masked(
// CHECK-SAME: %[[MASK:[^:]*]]: tensor<1x1x512x512xf32>, %[[N:[^:]*]]: tensor<2xi32>,
// CHECK: aik_tile.attention %{{.*}}, %{{.*}}, %{{.*}} kv_len %[[N]] mask %[[MASK]] outs %{{.*}} window = 100 : i64}
#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func private @masked(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xf32>, %n: tensor<2xi32>, %d: tensor<2x8x512x128xbf16>) -> tensor<2x8x512x128xbf16> attributes {aikernel.kernel} {
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
    %a:3 = aikernel.online_attention %q, %k, %v mask %mask kv_len %n scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 {causal, window = 100 : i64} : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<1x1x512x512xf32>, tensor<2xi32>, f32, index, index, index, tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>) -> (tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>)
    %r = linalg.generic {indexing_maps = [#acc, #sum, #acc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x512x128xf32>, tensor<2x8x512xf32>) outs(%d : tensor<2x8x512x128xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x8x512x128xbf16>
    return %r : tensor<2x8x512x128xbf16>
  }
  func.func @f(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xf32>, %n: tensor<2xi32>) -> tensor<2x8x512x128xbf16> {
    %d = tensor.empty() : tensor<2x8x512x128xbf16>
    %r = call @masked(%q, %k, %v, %mask, %n, %d) : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<1x1x512x512xf32>, tensor<2xi32>, tensor<2x8x512x128xbf16>) -> tensor<2x8x512x128xbf16>
    return %r : tensor<2x8x512x128xbf16>
  }
}

// -----

// So are masks of another type.
// CHECK-NOT: aik_tile.attention
#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func private @masked(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xf16>, %d: tensor<2x8x512x128xbf16>) -> tensor<2x8x512x128xbf16> attributes {aikernel.kernel} {
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
    %a:3 = aikernel.online_attention %q, %k, %v mask %mask scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<1x1x512x512xf16>, f32, index, index, index, tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>) -> (tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>)
    %r = linalg.generic {indexing_maps = [#acc, #sum, #acc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x512x128xf32>, tensor<2x8x512xf32>) outs(%d : tensor<2x8x512x128xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x8x512x128xbf16>
    return %r : tensor<2x8x512x128xbf16>
  }
  func.func @f(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xf16>) -> tensor<2x8x512x128xbf16> {
    %d = tensor.empty() : tensor<2x8x512x128xbf16>
    %r = call @masked(%q, %k, %v, %mask, %d) : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<1x1x512x512xf16>, tensor<2x8x512x128xbf16>) -> tensor<2x8x512x128xbf16>
    return %r : tensor<2x8x512x128xbf16>
  }
}

// -----

// What has seen something before its first key, which is a sink, is for others.
// CHECK-NOT: aik_tile.attention
#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func private @sunk(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xbf16>, %d: tensor<2x8x512x128xbf16>) -> tensor<2x8x512x128xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 1.0 : f32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<2x8x512x128xf32>
    %m = tensor.empty() : tensor<2x8x512xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x512x128xf32>) -> tensor<2x8x512x128xf32>
    %2 = linalg.fill ins(%low : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %3 = linalg.fill ins(%zero : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %scale = arith.constant 0.5 : f32
    %a:3 = aikernel.online_attention %q, %k, %v mask %mask scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<1x1x512x512xbf16>, f32, index, index, index, tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>) -> (tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>)
    %r = linalg.generic {indexing_maps = [#acc, #sum, #acc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x512x128xf32>, tensor<2x8x512xf32>) outs(%d : tensor<2x8x512x128xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x8x512x128xbf16>
    return %r : tensor<2x8x512x128xbf16>
  }
  func.func @f(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xbf16>) -> tensor<2x8x512x128xbf16> {
    %d = tensor.empty() : tensor<2x8x512x128xbf16>
    %r = call @sunk(%q, %k, %v, %mask, %d) : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<1x1x512x512xbf16>, tensor<2x8x512x128xbf16>) -> tensor<2x8x512x128xbf16>
    return %r : tensor<2x8x512x128xbf16>
  }
}

// -----

// Before sm_90a there are no such instructions.
// CHECK-NOT: aik_tile.attention
#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func private @masked(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xbf16>, %d: tensor<2x8x512x128xbf16>) -> tensor<2x8x512x128xbf16> attributes {aikernel.kernel} {
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
    %a:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, f32, index, index, index, tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>) -> (tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>)
    %r = linalg.generic {indexing_maps = [#acc, #sum, #acc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x512x128xf32>, tensor<2x8x512xf32>) outs(%d : tensor<2x8x512x128xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x8x512x128xbf16>
    return %r : tensor<2x8x512x128xbf16>
  }
  func.func @f(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xbf16>) -> tensor<2x8x512x128xbf16> {
    %d = tensor.empty() : tensor<2x8x512x128xbf16>
    %r = call @masked(%q, %k, %v, %mask, %d) : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<1x1x512x512xbf16>, tensor<2x8x512x128xbf16>) -> tensor<2x8x512x128xbf16>
    return %r : tensor<2x8x512x128xbf16>
  }
}

// -----

// A few queries leave most of a tile empty: what was not chosen for decoding is
// here all the same.
// CHECK-LABEL: func.func private @few(
// CHECK: aik_tile.attention %{{.*}}#aik_tile.attention_schedule<
#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func private @few(%q: tensor<2x8x16x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xbf16>, %d: tensor<2x8x16x128xbf16>) -> tensor<2x8x16x128xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<2x8x16x128xf32>
    %m = tensor.empty() : tensor<2x8x16xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x16x128xf32>) -> tensor<2x8x16x128xf32>
    %2 = linalg.fill ins(%low : f32) outs(%m : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %3 = linalg.fill ins(%zero : f32) outs(%m : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    %scale = arith.constant 0.5 : f32
    %a:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 : (tensor<2x8x16x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, f32, index, index, index, tensor<2x8x16x128xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> (tensor<2x8x16x128xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>)
    %r = linalg.generic {indexing_maps = [#acc, #sum, #acc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x16x128xf32>, tensor<2x8x16xf32>) outs(%d : tensor<2x8x16x128xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x8x16x128xbf16>
    return %r : tensor<2x8x16x128xbf16>
  }
  func.func @f(%q: tensor<2x8x16x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xbf16>) -> tensor<2x8x16x128xbf16> {
    %d = tensor.empty() : tensor<2x8x16x128xbf16>
    %r = call @few(%q, %k, %v, %mask, %d) : (tensor<2x8x16x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<1x1x512x512xbf16>, tensor<2x8x16x128xbf16>) -> tensor<2x8x16x128xbf16>
    return %r : tensor<2x8x16x128xbf16>
  }
}

// -----

// Features that no schedule has.
// CHECK-NOT: aik_tile.attention
#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func private @masked(%q: tensor<2x8x512x72xbf16>, %k: tensor<2x2x512x72xbf16>, %v: tensor<2x2x512x72xbf16>, %mask: tensor<1x1x512x512xbf16>, %d: tensor<2x8x512x72xbf16>) -> tensor<2x8x512x72xbf16> attributes {aikernel.kernel} {
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
    %a:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 : (tensor<2x8x512x72xbf16>, tensor<2x2x512x72xbf16>, tensor<2x2x512x72xbf16>, f32, index, index, index, tensor<2x8x512x72xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>) -> (tensor<2x8x512x72xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>)
    %r = linalg.generic {indexing_maps = [#acc, #sum, #acc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x512x72xf32>, tensor<2x8x512xf32>) outs(%d : tensor<2x8x512x72xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x8x512x72xbf16>
    return %r : tensor<2x8x512x72xbf16>
  }
  func.func @f(%q: tensor<2x8x512x72xbf16>, %k: tensor<2x2x512x72xbf16>, %v: tensor<2x2x512x72xbf16>, %mask: tensor<1x1x512x512xbf16>) -> tensor<2x8x512x72xbf16> {
    %d = tensor.empty() : tensor<2x8x512x72xbf16>
    %r = call @masked(%q, %k, %v, %mask, %d) : (tensor<2x8x512x72xbf16>, tensor<2x2x512x72xbf16>, tensor<2x2x512x72xbf16>, tensor<1x1x512x512xbf16>, tensor<2x8x512x72xbf16>) -> tensor<2x8x512x72xbf16>
    return %r : tensor<2x8x512x72xbf16>
  }
}

// -----

// A scale below 0 turns what is largest.
// CHECK-NOT: aik_tile.attention
#acc = affine_map<(b, h, s, d) -> (b, h, s, d)>
#sum = affine_map<(b, h, s, d) -> (b, h, s)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  func.func private @masked(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xbf16>, %d: tensor<2x8x512x128xbf16>) -> tensor<2x8x512x128xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = tensor.empty() : tensor<2x8x512x128xf32>
    %m = tensor.empty() : tensor<2x8x512xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x512x128xf32>) -> tensor<2x8x512x128xf32>
    %2 = linalg.fill ins(%low : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %3 = linalg.fill ins(%zero : f32) outs(%m : tensor<2x8x512xf32>) -> tensor<2x8x512xf32>
    %scale = arith.constant -0.5 : f32
    %a:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c4 outs %1, %2, %3 : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, f32, index, index, index, tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>) -> (tensor<2x8x512x128xf32>, tensor<2x8x512xf32>, tensor<2x8x512xf32>)
    %r = linalg.generic {indexing_maps = [#acc, #sum, #acc], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a#0, %a#2 : tensor<2x8x512x128xf32>, tensor<2x8x512xf32>) outs(%d : tensor<2x8x512x128xbf16>) attrs = {aikernel.root = array<i64: 0, 1, 2>} {
    ^bb0(%in: f32, %by: f32, %out: bf16):
      %4 = arith.cmpf oeq, %by, %zero : f32
      %5 = arith.divf %in, %by : f32
      %6 = arith.select %4, %zero, %5 : f32
      %7 = arith.truncf %6 : f32 to bf16
      linalg.yield %7 : bf16
    } -> tensor<2x8x512x128xbf16>
    return %r : tensor<2x8x512x128xbf16>
  }
  func.func @f(%q: tensor<2x8x512x128xbf16>, %k: tensor<2x2x512x128xbf16>, %v: tensor<2x2x512x128xbf16>, %mask: tensor<1x1x512x512xbf16>) -> tensor<2x8x512x128xbf16> {
    %d = tensor.empty() : tensor<2x8x512x128xbf16>
    %r = call @masked(%q, %k, %v, %mask, %d) : (tensor<2x8x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<2x2x512x128xbf16>, tensor<1x1x512x512xbf16>, tensor<2x8x512x128xbf16>) -> tensor<2x8x512x128xbf16>
    return %r : tensor<2x8x512x128xbf16>
  }
}
