// Through a broadcast a producer is computed again for each element of the
// other dimension: a conversion is cheap enough for that, exp is not.
// RUN: aik-opt %s --aik-fuse-elementwise | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#one = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @cheap(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK: arith.extf
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @cheap(%bias: tensor<8xbf16>, %x: tensor<4x8xf32>, %e: tensor<8xf32>, %out: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%bias : tensor<8xbf16>) outs(%e : tensor<8xf32>) {
  ^bb0(%b: bf16, %o: f32):
    %w = arith.extf %b : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<4x8xf32>, tensor<8xf32>) outs(%out : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @costly(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel"]
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK: arith.addf
func.func @costly(%bias: tensor<64xf32>, %x: tensor<512x64xf32>, %e: tensor<64xf32>, %out: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%bias : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%b: f32, %o: f32):
    %w = math.exp %b : f32
    linalg.yield %w : f32
  } -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<512x64xf32>, tensor<64xf32>) outs(%out : tensor<512x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<512x64xf32>
  return %1 : tensor<512x64xf32>
}

// Few steps are over before another kernel has begun.
// CHECK-LABEL: func.func @few(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK: math.exp
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @few(%bias: tensor<8xf32>, %x: tensor<4x8xf32>, %e: tensor<8xf32>, %out: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%bias : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%b: f32, %o: f32):
    %w = math.exp %b : f32
    linalg.yield %w : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<4x8xf32>, tensor<8xf32>) outs(%out : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Nor is what someone wrote out, or what reads here and there.
// CHECK-LABEL: func.func @written_out(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel"]
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
func.func @written_out(%bias: tensor<64xf32>, %x: tensor<512x64xf32>, %e: tensor<64xf32>, %out: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%bias : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%b: f32, %o: f32):
    %1 = arith.mulf %b, %b : f32
    %2 = arith.mulf %1, %b : f32
    %3 = arith.mulf %2, %b : f32
    %4 = arith.mulf %3, %b : f32
    %5 = arith.mulf %4, %b : f32
    %6 = arith.mulf %5, %b : f32
    %7 = arith.mulf %6, %b : f32
    %8 = arith.mulf %7, %b : f32
    %9 = arith.mulf %8, %b : f32
    %10 = arith.mulf %9, %b : f32
    %11 = arith.mulf %10, %b : f32
    %12 = arith.mulf %11, %b : f32
    %13 = arith.mulf %12, %b : f32
    %14 = arith.mulf %13, %b : f32
    %15 = arith.mulf %14, %b : f32
    %16 = arith.mulf %15, %b : f32
    %17 = arith.mulf %16, %b : f32
    %18 = arith.mulf %17, %b : f32
    %19 = arith.mulf %18, %b : f32
    %20 = arith.mulf %19, %b : f32
    %21 = arith.mulf %20, %b : f32
    %22 = arith.mulf %21, %b : f32
    %23 = arith.mulf %22, %b : f32
    %24 = arith.mulf %23, %b : f32
    linalg.yield %24 : f32
  } -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<512x64xf32>, tensor<64xf32>) outs(%out : tensor<512x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<512x64xf32>
  return %1 : tensor<512x64xf32>
}

// CHECK-LABEL: func.func @computed_index(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel"]
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
func.func @computed_index(%bias: tensor<?xf32>, %at: tensor<64xindex>, %x: tensor<512x64xf32>, %e: tensor<64xf32>, %out: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%at : tensor<64xindex>) outs(%e : tensor<64xf32>) {
  ^bb0(%i: index, %o: f32):
    %b = tensor.extract %bias[%i] : tensor<?xf32>
    linalg.yield %b : f32
  } -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<512x64xf32>, tensor<64xf32>) outs(%out : tensor<512x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<512x64xf32>
  return %1 : tensor<512x64xf32>
}

// What adds to its destination would add again.
// CHECK-LABEL: func.func @adds(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel"]
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
func.func @adds(%x: tensor<8xf32>, %f: tensor<8xf32>, %out: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8xf32>) outs(%out : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.absf %a : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
