// Packing of weights moves to f$prepare; what f reads besides stays readable.
// RUN: aik-opt %s --aik-prepare-weights | FileCheck %s

// The packed weight is all that is read: it lies at the start of the storage.
// CHECK-LABEL: func.func @packed_only(
// CHECK-SAME: %[[W:.*]]: tensor<64x24xf32> {aikernel.weight}, %[[P:.*]]: tensor<1x2x64x12x1xf32> {aikernel.prepared = array<i64: 0, 0>}
// CHECK: return %[[P]]
// CHECK-LABEL: func.func @packed_only$prepare(
// CHECK-SAME: %[[W:.*]]: tensor<64x24xf32>) -> tensor<1x2x64x12x1xf32>
// CHECK-SAME: aikernel.entry = "prepare"
// CHECK-SAME: aikernel.prepared = [array<i64: 0, 0>], aikernel.prepared_bytes = 6144 : i64
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[R:.*]] = aikernel.pack_panels %[[W]] outs %[[E]]
// CHECK: return %[[R]]
func.func @packed_only(%w: tensor<64x24xf32> {aikernel.weight}) -> tensor<1x2x64x12x1xf32> attributes {aikernel.entry = "run"} {
  %e = tensor.empty() : tensor<1x2x64x12x1xf32>
  %p = aikernel.pack_panels %w outs %e {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<64x24xf32>, tensor<1x2x64x12x1xf32>) -> tensor<1x2x64x12x1xf32>
  return %p : tensor<1x2x64x12x1xf32>
}

// Equal forms are packed once, another form besides, and the weight itself
// comes first where f reads it too.
// CHECK-LABEL: func.func @read_too(
// CHECK-SAME: {aikernel.prepared = array<i64: 1, 6144>}
// CHECK-SAME: {aikernel.prepared = array<i64: 1, 12288>}
// CHECK-NOT: pack_panels
// CHECK-LABEL: func.func @read_too$prepare(
// CHECK-SAME: aikernel.prepared = [array<i64: 1, 0>, array<i64: 1, 6144>, array<i64: 1, 12288>], aikernel.prepared_bytes = 18432 : i64
// CHECK-COUNT-2: aikernel.pack_panels
// CHECK-NOT: aikernel.pack_panels
func.func @read_too(%x: f32, %w: tensor<64x24xf32> {aikernel.weight}) -> (tensor<1x2x64x12x1xf32>, tensor<1x2x64x12x1xf32>, tensor<1x3x64x8x1xf32>, tensor<64x24xf32>) attributes {aikernel.entry = "run"} {
  %e = tensor.empty() : tensor<1x2x64x12x1xf32>
  %f = tensor.empty() : tensor<1x3x64x8x1xf32>
  %p = aikernel.pack_panels %w outs %e {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<64x24xf32>, tensor<1x2x64x12x1xf32>) -> tensor<1x2x64x12x1xf32>
  %q = aikernel.pack_panels %w outs %e {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<64x24xf32>, tensor<1x2x64x12x1xf32>) -> tensor<1x2x64x12x1xf32>
  %r = aikernel.pack_panels %w outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<64x24xf32>, tensor<1x3x64x8x1xf32>) -> tensor<1x3x64x8x1xf32>
  return %p, %q, %r, %w : tensor<1x2x64x12x1xf32>, tensor<1x2x64x12x1xf32>, tensor<1x3x64x8x1xf32>, tensor<64x24xf32>
}

// Other arguments, and weights whose size is not known, are packed per call.
// CHECK-LABEL: func.func @per_call(
// CHECK-COUNT-2: aikernel.pack_panels
// CHECK-NOT: @per_call$prepare
func.func @per_call(%x: tensor<64x24xf32>, %w: tensor<?x24xf32> {aikernel.weight}, %f: tensor<?x2x64x12x1xf32>) -> (tensor<1x2x64x12x1xf32>, tensor<?x2x64x12x1xf32>) attributes {aikernel.entry = "run"} {
  %e = tensor.empty() : tensor<1x2x64x12x1xf32>
  %p = aikernel.pack_panels %x outs %e {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<64x24xf32>, tensor<1x2x64x12x1xf32>) -> tensor<1x2x64x12x1xf32>
  %q = aikernel.pack_panels %w outs %f {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<?x24xf32>, tensor<?x2x64x12x1xf32>) -> tensor<?x2x64x12x1xf32>
  return %p, %q : tensor<1x2x64x12x1xf32>, tensor<?x2x64x12x1xf32>
}

// Every op that packs is moved; different formats are different forms.
// CHECK-LABEL: func.func @blocks(
// CHECK-SAME: {aikernel.prepared = array<i64: 0, 0>}
// CHECK-SAME: {aikernel.prepared = array<i64: 0, 10368>}
// CHECK-NOT: pack_blocks
// CHECK-LABEL: func.func @blocks$prepare(
// CHECK: aikernel.pack_blocks %{{.*}} {format = #aikernel.quant<mxfp4>}
// CHECK: aikernel.pack_blocks %{{.*}} {format = #aikernel.quant<q4_0>}
// CHECK-NOT: aikernel.pack_blocks
func.func @blocks(%w: tensor<17x306xi8> {aikernel.weight}) -> (tensor<2x17x288xi8>, tensor<2x17x288xi8>, tensor<2x18x288xi8>) attributes {aikernel.entry = "run"} {
  %e = tensor.empty() : tensor<2x17x288xi8>
  %f = tensor.empty() : tensor<2x18x288xi8>
  %p = aikernel.pack_blocks %w outs %e {format = #aikernel.quant<q4_0>} : (tensor<17x306xi8>, tensor<2x17x288xi8>) -> tensor<2x17x288xi8>
  %q = aikernel.pack_blocks %w outs %e {format = #aikernel.quant<q4_0>} : (tensor<17x306xi8>, tensor<2x17x288xi8>) -> tensor<2x17x288xi8>
  %r = aikernel.pack_blocks %w outs %f {format = #aikernel.quant<mxfp4>} : (tensor<17x306xi8>, tensor<2x18x288xi8>) -> tensor<2x18x288xi8>
  return %p, %q, %r : tensor<2x17x288xi8>, tensor<2x17x288xi8>, tensor<2x18x288xi8>
}
