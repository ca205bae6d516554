// Products that tile programs compute become one op with a schedule; others stay.
// RUN: aik-opt %s --split-input-file --aik-form-tile-products | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#both = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // Two steps after the sum, an extra each; constants go with them.
  // CHECK-LABEL: func.func private @layer(
  // CHECK-SAME: %[[X:.*]]: tensor<?x256xbf16>, %[[W:.*]]: tensor<384x256xbf16>, %[[B:.*]]: tensor<384xf32>, %[[R:.*]]: tensor<?x384xbf16>, %[[D:.*]]: tensor<?x384xbf16>)
  // CHECK-NOT: linalg.generic
  // CHECK: %[[Y:.*]] = aik_tile.product %[[X]], %[[W]] extras(%[[B]], %[[R]] : tensor<384xf32>, tensor<?x384xbf16>) outs %[[D]]
  // CHECK-SAME: rhs_transposed
  // CHECK-SAME: schedule = #aik_tile.schedule<rows = 128, columns = {{.*}}, cluster = {{[12]}}, {{.*}}, serpentine = true>
  // CHECK: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32, %[[REST:.*]]: bf16):
  // CHECK: %[[T:.*]] = arith.addf %[[SUM]], %[[BIAS]]
  // CHECK: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK: %[[U:.*]] = arith.maximumf %[[T]], %[[ZERO]]
  // CHECK: %[[V:.*]] = arith.truncf %[[U]]
  // CHECK: %[[Z:.*]] = arith.addf %[[V]], %[[REST]] : bf16
  // CHECK: aik_tile.yield %[[Z]] : bf16
  // CHECK: return %[[Y]]
  func.func private @layer(%x: tensor<?x256xbf16>, %w: tensor<384x256xbf16>, %b: tensor<384xf32>, %r: tensor<?x384xbf16>, %d: tensor<?x384xbf16>) -> tensor<?x384xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : tensor<?x256xbf16>
    %e = tensor.empty(%rows) : tensor<?x384xf32>
    %f = tensor.empty(%rows) : tensor<?x384xbf16>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x384xf32>) -> tensor<?x384xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x256xbf16>, tensor<384x256xbf16>) outs(%z : tensor<?x384xf32>) {
    ^bb0(%p: bf16, %q: bf16, %acc: f32):
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<?x384xf32>
    %t = linalg.generic {indexing_maps = [#both, #column, #both], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<?x384xf32>, tensor<384xf32>) outs(%f : tensor<?x384xbf16>) {
    ^bb0(%p: f32, %q: f32, %o: bf16):
      %0 = arith.addf %p, %q : f32
      %1 = arith.maximumf %0, %zero : f32
      %2 = arith.truncf %1 : f32 to bf16
      linalg.yield %2 : bf16
    } -> tensor<?x384xbf16>
    %y = linalg.generic {indexing_maps = [#both, #both, #both], iterator_types = ["parallel", "parallel"]} ins(%t, %r : tensor<?x384xbf16>, tensor<?x384xbf16>) outs(%d : tensor<?x384xbf16>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: bf16, %q: bf16, %o: bf16):
      %0 = arith.addf %p, %q : bf16
      linalg.yield %0 : bf16
    } -> tensor<?x384xbf16>
    return %y : tensor<?x384xbf16>
  }
  func.func @caller(%x: tensor<?x256xbf16>, %w: tensor<384x256xbf16>, %b: tensor<384xf32>, %r: tensor<?x384xbf16>, %n: index) -> tensor<?x384xbf16> {
    %e = tensor.empty(%n) : tensor<?x384xbf16>
    %y = call @layer(%x, %w, %b, %r, %e) : (tensor<?x256xbf16>, tensor<384x256xbf16>, tensor<384xf32>, tensor<?x384xbf16>, tensor<?x384xbf16>) -> tensor<?x384xbf16>
    return %y : tensor<?x384xbf16>
  }
}

// -----

// A schedule that is there stays.
#lhs = affine_map<(m, n, k) -> (k, m)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-LABEL: func.func private @wanted
  // CHECK: aik_tile.product
  // CHECK-SAME: lhs_transposed
  // CHECK-SAME: schedule = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = 2, boxes = 1, cluster = 1, warpgroups = 1, registers = 128, load_registers = 24, blocks = 7, group = 3>
  // CHECK: ^bb0(%[[SUM:.*]]: f32):
  // CHECK-NEXT: aik_tile.yield %[[SUM]] : f32
  func.func private @wanted(%x: tensor<256x512xf16>, %w: tensor<256x64xf16>, %d: tensor<512x64xf32>) -> tensor<512x64xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<512x64xf32>) -> tensor<512x64xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<256x512xf16>, tensor<256x64xf16>) outs(%z : tensor<512x64xf32>) attrs = {aikernel.root = array<i64: 0, 1>, aik_tile.schedule = #aik_tile.schedule<rows = 64, columns = 64, depth = 64, stages = 2, boxes = 1, cluster = 1, warpgroups = 1, registers = 128, load_registers = 24, blocks = 7, group = 3>} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<512x64xf32>
    return %s : tensor<512x64xf32>
  }
  func.func @caller(%x: tensor<256x512xf16>, %w: tensor<256x64xf16>) -> tensor<512x64xf32> {
    %e = tensor.empty() : tensor<512x64xf32>
    %y = call @wanted(%x, %w, %e) : (tensor<256x512xf16>, tensor<256x64xf16>, tensor<512x64xf32>) -> tensor<512x64xf32>
    return %y : tensor<512x64xf32>
  }
}

// -----

// Rows of 510 bytes have no tensor map, and a part of a tensor may begin anywhere.
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-LABEL: func.func private @odd
  // CHECK-NOT: aik_tile.product
  func.func private @odd(%x: tensor<512x255xf16>, %w: tensor<64x255xf16>, %d: tensor<512x64xf32>) -> tensor<512x64xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<512x64xf32>) -> tensor<512x64xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x255xf16>, tensor<64x255xf16>) outs(%z : tensor<512x64xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<512x64xf32>
    return %s : tensor<512x64xf32>
  }
  // CHECK-LABEL: func.func private @part
  // CHECK-NOT: aik_tile.product
  func.func private @part(%x: tensor<512x256xf16>, %w: tensor<64x256xf16>, %d: tensor<512x64xf32>) -> tensor<512x64xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<512x64xf32>) -> tensor<512x64xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x256xf16>, tensor<64x256xf16>) outs(%z : tensor<512x64xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<512x64xf32>
    return %s : tensor<512x64xf32>
  }
  func.func @caller(%x: tensor<512x255xf16>, %w: tensor<64x255xf16>, %v: tensor<1024x256xf16>, %u: tensor<64x256xf16>, %i: index) -> (tensor<512x64xf32>, tensor<512x64xf32>) {
    %e = tensor.empty() : tensor<512x64xf32>
    %y = call @odd(%x, %w, %e) : (tensor<512x255xf16>, tensor<64x255xf16>, tensor<512x64xf32>) -> tensor<512x64xf32>
    %p = tensor.extract_slice %v[%i, 0] [512, 256] [1, 1] : tensor<1024x256xf16> to tensor<512x256xf16>
    %z = call @part(%p, %u, %e) : (tensor<512x256xf16>, tensor<64x256xf16>, tensor<512x64xf32>) -> tensor<512x64xf32>
    return %y, %z : tensor<512x64xf32>, tensor<512x64xf32>
  }
}

// -----

// Another processor has no such instructions.
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_70", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-LABEL: func.func private @older
  // CHECK-NOT: aik_tile.product
  func.func private @older(%x: tensor<512x256xf16>, %w: tensor<64x256xf16>, %d: tensor<512x64xf32>) -> tensor<512x64xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<512x64xf32>) -> tensor<512x64xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x256xf16>, tensor<64x256xf16>) outs(%z : tensor<512x64xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<512x64xf32>
    return %s : tensor<512x64xf32>
  }
  func.func @caller(%x: tensor<512x256xf16>, %w: tensor<64x256xf16>) -> tensor<512x64xf32> {
    %e = tensor.empty() : tensor<512x64xf32>
    %y = call @older(%x, %w, %e) : (tensor<512x256xf16>, tensor<64x256xf16>, tensor<512x64xf32>) -> tensor<512x64xf32>
    return %y : tensor<512x64xf32>
  }
}

// -----

// Other shapes of whole tensors are whole.
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-LABEL: func.func private @batched
  // CHECK: %[[X:.*]] = tensor.collapse_shape
  // CHECK: aik_tile.product %[[X]],
  func.func private @batched(%x: tensor<4x128x256xf16>, %w: tensor<64x256xf16>, %d: tensor<512x64xf32>) -> tensor<512x64xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x128x256xf16> into tensor<512x256xf16>
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<512x64xf32>) -> tensor<512x64xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%c, %w : tensor<512x256xf16>, tensor<64x256xf16>) outs(%z : tensor<512x64xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<512x64xf32>
    return %s : tensor<512x64xf32>
  }
  // CHECK-LABEL: func.func private @inserted
  // CHECK-NOT: aik_tile.product
  func.func private @inserted(%x: tensor<512x256xf16>, %w: tensor<64x256xf16>, %d: tensor<512x64xf32>) -> tensor<512x64xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<512x64xf32>) -> tensor<512x64xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x256xf16>, tensor<64x256xf16>) outs(%z : tensor<512x64xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<512x64xf32>
    return %s : tensor<512x64xf32>
  }
  func.func @caller(%x: tensor<4x128x256xf16>, %v: tensor<512x256xf16>, %w: tensor<64x256xf16>, %all: tensor<512x100xf32>) -> (tensor<4x128x64xf32>, tensor<512x100xf32>) {
    %e = tensor.empty() : tensor<512x64xf32>
    %y = call @batched(%x, %w, %e) : (tensor<4x128x256xf16>, tensor<64x256xf16>, tensor<512x64xf32>) -> tensor<512x64xf32>
    %r = tensor.expand_shape %y [[0, 1], [2]] output_shape [4, 128, 64] : tensor<512x64xf32> into tensor<4x128x64xf32>
    %z = call @inserted(%v, %w, %e) : (tensor<512x256xf16>, tensor<64x256xf16>, tensor<512x64xf32>) -> tensor<512x64xf32>
    %i = tensor.insert_slice %z into %all[0, 3] [512, 64] [1, 1] : tensor<512x64xf32> into tensor<512x100xf32>
    return %r, %i : tensor<4x128x64xf32>, tensor<512x100xf32>
  }
}

// -----

// Threads keep up with memory for three vectors, and where there are no warpgroups
// it is left to them up to eight.
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-LABEL: func.func private @three
  // CHECK-NOT: aik_tile.product
  func.func private @three(%x: tensor<3x256xf16>, %w: tensor<64x256xf16>, %d: tensor<3x64xf32>) -> tensor<3x64xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<3x64xf32>) -> tensor<3x64xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x256xf16>, tensor<64x256xf16>) outs(%z : tensor<3x64xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<3x64xf32>
    return %s : tensor<3x64xf32>
  }
  // CHECK-LABEL: func.func private @four
  // CHECK: aik_tile.product
  func.func private @four(%x: tensor<4x256xf16>, %w: tensor<64x256xf16>, %d: tensor<4x64xf32>) -> tensor<4x64xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<4x64xf32>) -> tensor<4x64xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x256xf16>, tensor<64x256xf16>) outs(%z : tensor<4x64xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<4x64xf32>
    return %s : tensor<4x64xf32>
  }
  func.func @of_three(%x: tensor<3x256xf16>, %w: tensor<64x256xf16>) -> tensor<3x64xf32> {
    %e = tensor.empty() : tensor<3x64xf32>
    %y = call @three(%x, %w, %e) : (tensor<3x256xf16>, tensor<64x256xf16>, tensor<3x64xf32>) -> tensor<3x64xf32>
    return %y : tensor<3x64xf32>
  }
  func.func @of_four(%x: tensor<4x256xf16>, %w: tensor<64x256xf16>) -> tensor<4x64xf32> {
    %e = tensor.empty() : tensor<4x64xf32>
    %y = call @four(%x, %w, %e) : (tensor<4x256xf16>, tensor<64x256xf16>, tensor<4x64xf32>) -> tensor<4x64xf32>
    return %y : tensor<4x64xf32>
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_80", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-LABEL: func.func private @eight
  // CHECK-NOT: aik_tile.product
  func.func private @eight(%x: tensor<8x256xf16>, %w: tensor<64x256xf16>, %d: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<8x64xf32>) -> tensor<8x64xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x256xf16>, tensor<64x256xf16>) outs(%z : tensor<8x64xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<8x64xf32>
    return %s : tensor<8x64xf32>
  }
  // CHECK-LABEL: func.func private @nine
  // CHECK: aik_tile.product
  func.func private @nine(%x: tensor<9x256xf16>, %w: tensor<64x256xf16>, %d: tensor<9x64xf32>) -> tensor<9x64xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %z = linalg.fill ins(%zero : f32) outs(%d : tensor<9x64xf32>) -> tensor<9x64xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<9x256xf16>, tensor<64x256xf16>) outs(%z : tensor<9x64xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %0 = arith.extf %p : f16 to f32
      %1 = arith.extf %q : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<9x64xf32>
    return %s : tensor<9x64xf32>
  }
  func.func @of_eight(%x: tensor<8x256xf16>, %w: tensor<64x256xf16>) -> tensor<8x64xf32> {
    %e = tensor.empty() : tensor<8x64xf32>
    %y = call @eight(%x, %w, %e) : (tensor<8x256xf16>, tensor<64x256xf16>, tensor<8x64xf32>) -> tensor<8x64xf32>
    return %y : tensor<8x64xf32>
  }
  func.func @of_nine(%x: tensor<9x256xf16>, %w: tensor<64x256xf16>) -> tensor<9x64xf32> {
    %e = tensor.empty() : tensor<9x64xf32>
    %y = call @nine(%x, %w, %e) : (tensor<9x256xf16>, tensor<64x256xf16>, tensor<9x64xf32>) -> tensor<9x64xf32>
    return %y : tensor<9x64xf32>
  }
}
