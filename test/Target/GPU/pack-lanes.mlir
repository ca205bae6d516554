// Products of few rows with a quantized weight are laid out for lanes, with the
// activations that were there before they were quantized.
// RUN: aik-opt %s --aik-pack-lanes | FileCheck %s

// CHECK-LABEL: func.func @nibbles(
// CHECK-SAME: %[[W:.*]]: tensor<100x36xi8>, {{.*}} %[[X:[a-z0-9]*]]: tensor<64xbf16>
// CHECK: %[[C:.*]] = aikernel.pack_lanes %[[W]] outs %{{.*}} {format = #aikernel.quant<q4_0>, section = #aikernel.lane_section<codes>} : (tensor<100x36xi8>, tensor<25x4x1x2x4xi32>)
// CHECK: %[[S:.*]] = aikernel.pack_lanes %[[W]] {{.*}} section = #aikernel.lane_section<scales>} : (tensor<100x36xi8>, tensor<25x2x2xi32>)
// CHECK: aikernel.lane_product %[[C]] scales %[[S]], %[[X]] outs %{{.*}} {aikernel.root = array<i64: 0>, format = #aikernel.quant<q4_0>}
func.func @nibbles(%w: tensor<100x36xi8>, %q: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %x: tensor<64xbf16>, %o: tensor<100xf32>) -> tensor<100xf32> {
  %y = aikernel.block_gemv %w, %q scales %d sums %s source %x outs %o {format = #aikernel.quant<q4_0>, aikernel.root = array<i64: 0>} : (tensor<100x36xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<64xbf16>, tensor<100xf32>) -> tensor<100xf32>
  return %y : tensor<100xf32>
}

// Six bits, sub-scales, and rows that do not end with a group.
// CHECK-LABEL: func.func @six_bits(
// CHECK: section = #aikernel.lane_section<codes>} : (tensor<21x210xi8>, tensor<6x4x1x8x4xi32>)
// CHECK: section = #aikernel.lane_section<high>} : (tensor<21x210xi8>, tensor<6x2x8x4xi32>)
// CHECK: section = #aikernel.lane_section<small>} : (tensor<21x210xi8>, tensor<6x8x2xi32>)
// CHECK: section = #aikernel.lane_section<scales>} : (tensor<21x210xi8>, tensor<6x1x2xi32>)
// CHECK: aikernel.lane_product
func.func @six_bits(%w: tensor<21x210xi8>, %q: tensor<3x1x256xi8>, %d: tensor<3x1xf32>, %s: tensor<3x1x16xi32>, %x: tensor<3x256xf32>, %o: tensor<3x21xf32>) -> tensor<3x21xf32> {
  %y = aikernel.block_matmul %w, %q scales %d sums %s source %x outs %o {format = #aikernel.quant<q6_k>} : (tensor<21x210xi8>, tensor<3x1x256xi8>, tensor<3x1xf32>, tensor<3x1x16xi32>, tensor<3x256xf32>, tensor<3x21xf32>) -> tensor<3x21xf32>
  return %y : tensor<3x21xf32>
}

// Scales of groups are read as they are.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<20x2xf16>, %[[Z:[a-z0-9]*]]: tensor<20x2xi8>
// CHECK: %[[C:.*]] = aikernel.pack_lanes {{.*}} -> tensor<5x4x1x2x4xi32>
// CHECK-NEXT: aikernel.lane_product %[[C]] w_scales %[[V]] w_zeros %[[Z]],
func.func @groups(%w: tensor<20x32xi8>, %v: tensor<20x2xf16>, %z: tensor<20x2xi8>, %q: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %x: tensor<64xf32>, %o: tensor<20xf32>) -> tensor<20xf32> {
  %y = aikernel.block_gemv %w w_scales %v w_zeros %z, %q scales %d sums %s source %x outs %o {format = #aikernel.quant<i4, group = 32>} : (tensor<20x32xi8>, tensor<20x2xf16>, tensor<20x2xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<64xf32>, tensor<20xf32>) -> tensor<20xf32>
  return %y : tensor<20xf32>
}

// Groups that no power of two of lanes has, and more rows than registers have
// room for, stay.
// CHECK-LABEL: func.func @odd_groups(
// CHECK-NOT: lane
func.func @odd_groups(%w: tensor<20x48xi8>, %v: tensor<20x2xf16>, %q: tensor<2x48xi8>, %d: tensor<2xf32>, %s: tensor<2x3xi32>, %x: tensor<96xf32>, %o: tensor<20xf32>) -> tensor<20xf32> {
  %y = aikernel.block_gemv %w w_scales %v, %q scales %d sums %s source %x outs %o {format = #aikernel.quant<i4, group = 48>} : (tensor<20x48xi8>, tensor<20x2xf16>, tensor<2x48xi8>, tensor<2xf32>, tensor<2x3xi32>, tensor<96xf32>, tensor<20xf32>) -> tensor<20xf32>
  return %y : tensor<20xf32>
}
// CHECK-LABEL: func.func @many_rows(
// CHECK-NOT: lane
func.func @many_rows(%w: tensor<20x18xi8>, %q: tensor<9x1x32xi8>, %d: tensor<9x1xf32>, %s: tensor<9x1x1xi32>, %x: tensor<9x32xf32>, %o: tensor<9x20xf32>) -> tensor<9x20xf32> {
  %y = aikernel.block_matmul %w, %q scales %d sums %s source %x outs %o {format = #aikernel.quant<q4_0>} : (tensor<20x18xi8>, tensor<9x1x32xi8>, tensor<9x1xf32>, tensor<9x1x1xi32>, tensor<9x32xf32>, tensor<9x20xf32>) -> tensor<9x20xf32>
  return %y : tensor<9x20xf32>
}
