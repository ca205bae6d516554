// A split makes parts of sums, and an elementwise op that adds them up in their order; what was
// done to sums comes after it. Parts of a cluster are one product, as is all that is done to its
// sums. Few rows change places with the columns.
// RUN: aik-opt %s --split-input-file --aik-form-tile-products | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#both = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-LABEL: func.func private @split(
  // CHECK-SAME: %[[X:.*]]: tensor<200x4096xbf16>, %[[W:.*]]: tensor<384x4096xbf16>, %[[B:.*]]: tensor<384xf32>, %[[D:.*]]: tensor<200x384xbf16>)
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<200x384xf32>
  // CHECK: %[[NONE:.*]] = tensor.empty() : tensor<768x384xf32>
  // CHECK: %[[PARTS:.*]] = aik_tile.product %[[X]], %[[W]] outs %[[NONE]]
  // CHECK-SAME: rhs_transposed
  // CHECK-SAME: split = 3
  // CHECK: ^bb0(%[[SUM:.*]]: f32):
  // CHECK-NEXT: aik_tile.yield %[[SUM]] : f32
  // CHECK: %[[P0:.*]] = tensor.extract_slice %[[PARTS]][0, 0] [200, 384] [1, 1]
  // CHECK: %[[P1:.*]] = tensor.extract_slice %[[PARTS]][256, 0] [200, 384] [1, 1]
  // CHECK: %[[P2:.*]] = tensor.extract_slice %[[PARTS]][512, 0] [200, 384] [1, 1]
  // CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[P0]], %[[P1]], %[[P2]] : {{.*}}) outs(%[[E]]
  // CHECK: ^bb0(%[[A:.*]]: f32, %[[BB:.*]]: f32, %[[C:.*]]: f32, %{{.*}}: f32):
  // CHECK: %[[AB:.*]] = arith.addf %[[A]], %[[BB]] : f32
  // CHECK: arith.addf %[[AB]], %[[C]] : f32
  // CHECK: linalg.generic {{.*}} ins(%[[S]], %[[B]] : {{.*}}) outs(%[[D]] : {{.*}}) attrs = {{.*}}aikernel.root
  func.func private @split(%x: tensor<200x4096xbf16>, %w: tensor<384x4096xbf16>, %b: tensor<384xf32>, %d: tensor<200x384xbf16>) -> tensor<200x384xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<200x384xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<200x384xf32>) -> tensor<200x384xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<200x4096xbf16>, tensor<384x4096xbf16>) outs(%z : tensor<200x384xf32>) {
    ^bb0(%p: bf16, %q: bf16, %acc: f32):
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<200x384xf32>
    %t = linalg.generic {indexing_maps = [#both, #column, #both], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<200x384xf32>, tensor<384xf32>) outs(%d : tensor<200x384xbf16>) attrs = {aikernel.root = array<i64: 0, 1>, aik_tile.schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 6, boxes = 2, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 3>} {
    ^bb0(%p: f32, %q: f32, %o: bf16):
      %0 = arith.addf %p, %q : f32
      %1 = arith.truncf %0 : f32 to bf16
      linalg.yield %1 : bf16
    } -> tensor<200x384xbf16>
    return %t : tensor<200x384xbf16>
  }
  func.func @caller(%x: tensor<200x4096xbf16>, %w: tensor<384x4096xbf16>, %b: tensor<384xf32>) -> tensor<200x384xbf16> {
    %e = tensor.empty() : tensor<200x384xbf16>
    %y = call @split(%x, %w, %b, %e) : (tensor<200x4096xbf16>, tensor<384x4096xbf16>, tensor<384xf32>, tensor<200x384xbf16>) -> tensor<200x384xbf16>
    return %y : tensor<200x384xbf16>
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#both = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
  // CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
  // CHECK: func.func private @swapped(
  // CHECK-SAME: %[[X:.*]]: tensor<16x4096xbf16>, %[[W:.*]]: tensor<4096x384xbf16>, %[[B:.*]]: tensor<384xf32>, %[[R:.*]]: tensor<16x384xf32>, %[[D:.*]]: tensor<16x384xbf16>)
  // CHECK: aik_tile.product %[[W]], %[[X]] extras(%[[B]], %[[R]] : tensor<384xf32>, tensor<16x384xf32>) outs %[[D]]
  // CHECK-SAME: extra_maps = [#[[ROW]], #[[TURNED]]]
  // CHECK-SAME: lhs_transposed, out_transposed, rhs_transposed
  // CHECK-SAME: swapped = true
  func.func private @swapped(%x: tensor<16x4096xbf16>, %w: tensor<4096x384xbf16>, %b: tensor<384xf32>, %r: tensor<16x384xf32>, %d: tensor<16x384xbf16>) -> tensor<16x384xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<16x384xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x384xf32>) -> tensor<16x384xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<16x4096xbf16>, tensor<4096x384xbf16>) outs(%z : tensor<16x384xf32>) {
    ^bb0(%p: bf16, %q: bf16, %acc: f32):
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<16x384xf32>
    %t = linalg.generic {indexing_maps = [#both, #column, #both, #both], iterator_types = ["parallel", "parallel"]} ins(%s, %b, %r : tensor<16x384xf32>, tensor<384xf32>, tensor<16x384xf32>) outs(%d : tensor<16x384xbf16>) attrs = {aikernel.root = array<i64: 0, 1>, aik_tile.schedule = #aik_tile.schedule<rows = 128, columns = 16, depth = 64, stages = 12, boxes = 0, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, swapped = true>} {
    ^bb0(%p: f32, %q: f32, %u: f32, %o: bf16):
      %0 = arith.addf %p, %q : f32
      %1 = arith.addf %0, %u : f32
      %2 = arith.truncf %1 : f32 to bf16
      linalg.yield %2 : bf16
    } -> tensor<16x384xbf16>
    return %t : tensor<16x384xbf16>
  }
  func.func @caller(%x: tensor<16x4096xbf16>, %w: tensor<4096x384xbf16>, %b: tensor<384xf32>, %r: tensor<16x384xf32>) -> tensor<16x384xbf16> {
    %e = tensor.empty() : tensor<16x384xbf16>
    %y = call @swapped(%x, %w, %b, %r, %e) : (tensor<16x4096xbf16>, tensor<4096x384xbf16>, tensor<384xf32>, tensor<16x384xf32>, tensor<16x384xbf16>) -> tensor<16x384xbf16>
    return %y : tensor<16x384xbf16>
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#both = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-LABEL: func.func private @clustered(
  // CHECK-SAME: %[[X:.*]]: tensor<200x4096xbf16>, %[[W:.*]]: tensor<384x4096xbf16>, %[[B:.*]]: tensor<384xf32>, %[[D:.*]]: tensor<200x384xbf16>)
  // CHECK: %[[Y:.*]] = aik_tile.product %[[X]], %[[W]] extras(%[[B]] : tensor<384xf32>) outs %[[D]]
  // CHECK-SAME: clustered = true
  // CHECK: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
  // CHECK: arith.addf %[[SUM]], %[[BIAS]]
  // CHECK-NOT: linalg.generic
  // CHECK: return %[[Y]]
  func.func private @clustered(%x: tensor<200x4096xbf16>, %w: tensor<384x4096xbf16>, %b: tensor<384xf32>, %d: tensor<200x384xbf16>) -> tensor<200x384xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<200x384xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<200x384xf32>) -> tensor<200x384xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<200x4096xbf16>, tensor<384x4096xbf16>) outs(%z : tensor<200x384xf32>) {
    ^bb0(%p: bf16, %q: bf16, %acc: f32):
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<200x384xf32>
    %t = linalg.generic {indexing_maps = [#both, #column, #both], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<200x384xf32>, tensor<384xf32>) outs(%d : tensor<200x384xbf16>) attrs = {aikernel.root = array<i64: 0, 1>, aik_tile.schedule = #aik_tile.schedule<rows = 128, columns = 128, depth = 64, stages = 5, boxes = 0, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, split = 2, clustered = true>} {
    ^bb0(%p: f32, %q: f32, %o: bf16):
      %0 = arith.addf %p, %q : f32
      %1 = arith.truncf %0 : f32 to bf16
      linalg.yield %1 : bf16
    } -> tensor<200x384xbf16>
    return %t : tensor<200x384xbf16>
  }
  func.func @caller(%x: tensor<200x4096xbf16>, %w: tensor<384x4096xbf16>, %b: tensor<384xf32>) -> tensor<200x384xbf16> {
    %e = tensor.empty() : tensor<200x384xbf16>
    %y = call @clustered(%x, %w, %b, %e) : (tensor<200x4096xbf16>, tensor<384x4096xbf16>, tensor<384xf32>, tensor<200x384xbf16>) -> tensor<200x384xbf16>
    return %y : tensor<200x384xbf16>
  }
}
