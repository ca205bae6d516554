// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @env
func.func @env() -> !llvm.ptr {
  // CHECK: aikernel.env : !llvm.ptr
  %env = aikernel.env : !llvm.ptr
  return %env : !llvm.ptr
}

// CHECK-LABEL: @propagate
func.func @propagate(%status: i32) {
  // CHECK: aikernel.propagate %{{.*}}
  aikernel.propagate %status
  return
}

// CHECK-LABEL: @online_attention
func.func @online_attention(%q: tensor<1x8x32x64xf32>, %k: tensor<1x8x128x64xf32>, %v: tensor<1x8x128x64xf32>, %s: f32, %c0: index, %c1: index, %acc: tensor<1x8x32x64xf32>, %max: tensor<1x8x32xf32>, %sum: tensor<1x8x32xf32>) -> tensor<1x8x32x64xf32> {
  // CHECK: aikernel.online_attention %{{.*}}, %{{.*}}, %{{.*}} scale %{{.*}} key_offset %{{.*}} head_offset %{{.*}} group %{{.*}} outs %{{.*}}, %{{.*}}, %{{.*}} :
  %r:3 = aikernel.online_attention %q, %k, %v scale %s key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum : (tensor<1x8x32x64xf32>, tensor<1x8x128x64xf32>, tensor<1x8x128x64xf32>, f32, index, index, index, tensor<1x8x32x64xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>) -> (tensor<1x8x32x64xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>)
  return %r#0 : tensor<1x8x32x64xf32>
}

// CHECK-LABEL: @pack_panels
func.func @pack_panels(%b: tensor<300x100xf32>, %d: tensor<2x9x150x12x1xf32>) -> tensor<2x9x150x12x1xf32> {
  // CHECK: aikernel.pack_panels %{{.*}} outs %{{.*}} {depth_dim = 0 : i64, panel_dim = 1 : i64} :
  %p = aikernel.pack_panels %b outs %d {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<300x100xf32>, tensor<2x9x150x12x1xf32>) -> tensor<2x9x150x12x1xf32>
  return %p : tensor<2x9x150x12x1xf32>
}

// CHECK-LABEL: @packed_product
func.func @packed_product(%a: tensor<2x16x150x8x1xf32>, %b: tensor<2x9x150x12x1xf32>, %k: index, %o: tensor<128x100xf32>) -> tensor<128x100xf32> {
  // CHECK: aikernel.packed_product %{{.*}}, %{{.*}} depth %{{.*}} outs %{{.*}} {instruction = "fmla.f32"
  %c = aikernel.packed_product %a, %b depth %k outs %o {instruction = "fmla.f32", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>, overwrite} : (tensor<2x16x150x8x1xf32>, tensor<2x9x150x12x1xf32>, index, tensor<128x100xf32>) -> tensor<128x100xf32>
  return %c : tensor<128x100xf32>
}

// CHECK-LABEL: @pack_blocks
func.func @pack_blocks(%w: tensor<100x36xi8>, %d: tensor<7x2x288xi8>) -> tensor<7x2x288xi8> {
  // CHECK: aikernel.pack_blocks %{{.*}} outs %{{.*}} {format = #aikernel.quant<q4_0>} :
  %p = aikernel.pack_blocks %w outs %d {format = #aikernel.quant<q4_0>} : (tensor<100x36xi8>, tensor<7x2x288xi8>) -> tensor<7x2x288xi8>
  return %p : tensor<7x2x288xi8>
}

// Weights as they are stored, and packed with the codes in whole bytes.
// CHECK-LABEL: @block_gemv
func.func @block_gemv(%w: tensor<100x48xi8>, %p: tensor<7x2x576xi8>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %o: tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>) {
  // CHECK: aikernel.block_gemv %{{.*}}, %{{.*}} scales %{{.*}} sums %{{.*}} scaled_sums %{{.*}} outs %{{.*}} {format = #aikernel.quant<q5_1>} :
  %y = aikernel.block_gemv %w, %x scales %d sums %s scaled_sums %d outs %o {format = #aikernel.quant<q5_1>} : (tensor<100x48xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<2xf32>, tensor<100xf32>) -> tensor<100xf32>
  // CHECK: {format = #aikernel.quant<q5_1>, whole_bytes}
  %z = aikernel.block_gemv %p, %x scales %d sums %s scaled_sums %d outs %o {format = #aikernel.quant<q5_1>, whole_bytes} : (tensor<7x2x576xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<2xf32>, tensor<100xf32>) -> tensor<100xf32>
  return %y, %z : tensor<100xf32>, tensor<100xf32>
}

// CHECK-LABEL: @block_gemv_of
func.func @block_gemv_of(%w: tensor<100x36xi8>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %f: tensor<64xbf16>, %o: tensor<100xf32>) -> tensor<100xf32> {
  // CHECK: aikernel.block_gemv %{{.*}} sums %{{.*}} source %{{.*}} outs
  %y = aikernel.block_gemv %w, %x scales %d sums %s source %f outs %o {format = #aikernel.quant<q4_0>} : (tensor<100x36xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<64xbf16>, tensor<100xf32>) -> tensor<100xf32>
  return %y : tensor<100xf32>
}

// CHECK-LABEL: @pack_lanes
func.func @pack_lanes(%w: tensor<101x210xi8>, %c: tensor<26x4x1x8x4xi32>, %h: tensor<26x2x8x4xi32>, %b: tensor<26x8x2xi32>, %d: tensor<26x1x2xi32>) {
  // CHECK: aikernel.pack_lanes %{{.*}} outs %{{.*}} {format = #aikernel.quant<q6_k>, section = #aikernel.lane_section<codes>} :
  %0 = aikernel.pack_lanes %w outs %c {format = #aikernel.quant<q6_k>, section = #aikernel.lane_section<codes>} : (tensor<101x210xi8>, tensor<26x4x1x8x4xi32>) -> tensor<26x4x1x8x4xi32>
  // CHECK: section = #aikernel.lane_section<high>
  %1 = aikernel.pack_lanes %w outs %h {format = #aikernel.quant<q6_k>, section = #aikernel.lane_section<high>} : (tensor<101x210xi8>, tensor<26x2x8x4xi32>) -> tensor<26x2x8x4xi32>
  // CHECK: section = #aikernel.lane_section<small>
  %2 = aikernel.pack_lanes %w outs %b {format = #aikernel.quant<q6_k>, section = #aikernel.lane_section<small>} : (tensor<101x210xi8>, tensor<26x8x2xi32>) -> tensor<26x8x2xi32>
  // CHECK: section = #aikernel.lane_section<scales>
  %3 = aikernel.pack_lanes %w outs %d {format = #aikernel.quant<q6_k>, section = #aikernel.lane_section<scales>} : (tensor<101x210xi8>, tensor<26x1x2xi32>) -> tensor<26x1x2xi32>
  return
}

// CHECK-LABEL: @lane_product
func.func @lane_product(%c: tensor<26x4x1x8x4xi32>, %h: tensor<26x2x8x4xi32>, %b: tensor<26x8x2xi32>, %d: tensor<26x1x2xi32>, %x: tensor<256xf32>, %o: tensor<101xf32>) -> tensor<101xf32> {
  // CHECK: aikernel.lane_product %{{.*}} high %{{.*}} small %{{.*}} scales %{{.*}}, %{{.*}} outs %{{.*}} {format = #aikernel.quant<q6_k>} :
  %y = aikernel.lane_product %c high %h small %b scales %d, %x outs %o {format = #aikernel.quant<q6_k>} : (tensor<26x4x1x8x4xi32>, tensor<26x2x8x4xi32>, tensor<26x8x2xi32>, tensor<26x1x2xi32>, tensor<256xf32>, tensor<101xf32>) -> tensor<101xf32>
  return %y : tensor<101xf32>
}

// CHECK-LABEL: @grouped_lane_product
func.func @grouped_lane_product(%c: tensor<25x4x2x4x4xi32>, %s: tensor<99x2xf16>, %z: tensor<99x2xi8>, %x: tensor<3x128xbf16>, %o: tensor<3x99xf32>) -> tensor<3x99xf32> {
  // CHECK: aikernel.lane_product %{{.*}} w_scales %{{.*}} w_zeros %{{.*}}, %{{.*}} outs %{{.*}} {format = #aikernel.quant<i8, group = 64>} :
  %y = aikernel.lane_product %c w_scales %s w_zeros %z, %x outs %o {format = #aikernel.quant<i8, group = 64>} : (tensor<25x4x2x4x4xi32>, tensor<99x2xf16>, tensor<99x2xi8>, tensor<3x128xbf16>, tensor<3x99xf32>) -> tensor<3x99xf32>
  return %y : tensor<3x99xf32>
}

// CHECK-LABEL: @grouped_block_gemv
func.func @grouped_block_gemv(%w: tensor<100x32xi8>, %v: tensor<100x2xf16>, %z: tensor<100x2xi8>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %o: tensor<100xf32>) -> tensor<100xf32> {
  // CHECK: aikernel.block_gemv %{{.*}} w_scales %{{.*}} w_zeros %{{.*}}, %{{.*}} scales %{{.*}} sums %{{.*}} outs %{{.*}} {format = #aikernel.quant<i4, group = 32>} :
  %y = aikernel.block_gemv %w w_scales %v w_zeros %z, %x scales %d sums %s outs %o {format = #aikernel.quant<i4, group = 32>} : (tensor<100x32xi8>, tensor<100x2xf16>, tensor<100x2xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<100xf32>) -> tensor<100xf32>
  return %y : tensor<100xf32>
}

// Rows of x as they are, and in panels of eight.
// CHECK-LABEL: @block_matmul
func.func @block_matmul(%w: tensor<100x36xi8>, %x: tensor<?x2x32xi8>, %d: tensor<?x2xf32>, %s: tensor<?x2x1xi32>, %o: tensor<?x100xf32>, %p: tensor<7x2x288xi8>, %q: tensor<1x?x8x8x8xi8>, %e: tensor<1x?x2x8x2xf32>, %t: tensor<1x?x2x8x2xi32>) -> (tensor<?x100xf32>, tensor<?x100xf32>) {
  // CHECK: aikernel.block_matmul %{{.*}}, %{{.*}} scales %{{.*}} sums %{{.*}} outs %{{.*}} {format = #aikernel.quant<q4_0>} :
  %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<100x36xi8>, tensor<?x2x32xi8>, tensor<?x2xf32>, tensor<?x2x1xi32>, tensor<?x100xf32>) -> tensor<?x100xf32>
  // CHECK: aikernel.block_matmul {{.*}} : (tensor<7x2x288xi8>, tensor<1x?x8x8x8xi8>
  %z = aikernel.block_matmul %p, %q scales %e sums %t outs %o {format = #aikernel.quant<q4_0>} : (tensor<7x2x288xi8>, tensor<1x?x8x8x8xi8>, tensor<1x?x2x8x2xf32>, tensor<1x?x2x8x2xi32>, tensor<?x100xf32>) -> tensor<?x100xf32>
  return %y, %z : tensor<?x100xf32>, tensor<?x100xf32>
}

// CHECK-LABEL: @packed_block_matmul
func.func @packed_block_matmul(%w: tensor<7x2x288xi8>, %x: tensor<1x2x8x8x8xi8>, %d: tensor<1x2x2x8x2xf32>, %s: tensor<1x2x2x8x2xi32>, %o: tensor<9x100xf32>) -> tensor<9x100xf32> {
  // CHECK: aikernel.block_matmul
  %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<7x2x288xi8>, tensor<1x2x8x8x8xi8>, tensor<1x2x2x8x2xf32>, tensor<1x2x2x8x2xi32>, tensor<9x100xf32>) -> tensor<9x100xf32>
  return %y : tensor<9x100xf32>
}

// CHECK-LABEL: @packed_block_gemv
func.func @packed_block_gemv(%w: tensor<7x2x288xi8>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %o: tensor<100xf32>) -> tensor<100xf32> {
  // CHECK: aikernel.block_gemv %{{.*}}, %{{.*}} scales %{{.*}} sums %{{.*}} outs %{{.*}} {format = #aikernel.quant<q4_0>} :
  %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<7x2x288xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<100xf32>) -> tensor<100xf32>
  return %y : tensor<100xf32>
}

// CHECK-LABEL: func @attention_part
// CHECK: aikernel.attention_part
func.func @attention_part(%q: memref<1x4x1x128xbf16>, %k: memref<1x1x4096x128xbf16>, %v: memref<1x1x4096x128xbf16>, %end: memref<1x1xi32>, %s: f32, %first: index, %past: index, %h: index, %p: index, %used: index, %accs: memref<8x16x4x128xf32>, %maxs: memref<8x16x4xf32>, %sums: memref<8x16x4xf32>, %acc: memref<1x4x1x128xf32>, %max: memref<1x4x1xf32>, %sum: memref<1x4x1xf32>) -> i1 {
  %done = aikernel.attention_part %q, %k, %v end %end scale %s keys %first to %past head %h part %p of %used parts %accs, %maxs, %sums outs %acc, %max, %sum : (memref<1x4x1x128xbf16>, memref<1x1x4096x128xbf16>, memref<1x1x4096x128xbf16>, memref<1x1xi32>, f32, index, index, index, index, index, memref<8x16x4x128xf32>, memref<8x16x4xf32>, memref<8x16x4xf32>, memref<1x4x1x128xf32>, memref<1x4x1xf32>, memref<1x4x1xf32>) -> i1
  return %done : i1
}

// CHECK-LABEL: func @lanes
// CHECK: aikernel.pack_lanes
// CHECK: aikernel.lane_product
func.func @lanes(%w: tensor<100x36xi8>, %d: tensor<25x4x1x2x4xi32>, %c: tensor<25x4x1x2x4xi32>, %s: tensor<25x2x2xi32>, %x: tensor<64xf32>, %o: tensor<100xf32>) -> (tensor<25x4x1x2x4xi32>, tensor<100xf32>) {
  %p = aikernel.pack_lanes %w outs %d {format = #aikernel.quant<q4_0>, section = #aikernel.lane_section<codes>} : (tensor<100x36xi8>, tensor<25x4x1x2x4xi32>) -> tensor<25x4x1x2x4xi32>
  %y = aikernel.lane_product %c scales %s, %x outs %o {format = #aikernel.quant<q4_0>} : (tensor<25x4x1x2x4xi32>, tensor<25x2x2xi32>, tensor<64xf32>, tensor<100xf32>) -> tensor<100xf32>
  return %p, %y : tensor<25x4x1x2x4xi32>, tensor<100xf32>
}
