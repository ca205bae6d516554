// From ops to tile products: 8-bit floats and integers whose sums run along both
// rows, and f32 where the program permits it. Scales of rows, of columns and of the
// whole are extras.
// RUN: aikc %s --target=nvidia:sm_90a --strip-reference --compile-to=scheduled -o - | FileCheck %s

// CHECK-LABEL: gpu.func @bytes_0
// CHECK: aik_tile.multiply {{.*}} : (!aik_tile.shared<64x128xf8E4M3FN>, !aik_tile.shared<{{[0-9]+}}x128xf8E5M2>, !aik_tile.frag<64x{{[0-9]+}}xf32>)
// CHECK: aik_tile.add
// CHECK-LABEL: gpu.func @exact_0
// CHECK-NOT: aik_tile.multiply
// CHECK-LABEL: gpu.func @integers_0
// CHECK: aik_tile.multiply {{.*}} : (!aik_tile.shared<64x128xi8>, !aik_tile.shared<{{[0-9]+}}x128xi8>, !aik_tile.frag<64x{{[0-9]+}}xi32>)
// CHECK: %[[ROWS:.*]] = aik_tile.read {{.*}} : memref<128xf32> -> <64x64xf32>
// CHECK: %[[ALL:.*]] = aik_tile.read {{.*}} : memref<1xf32> -> <64x64xf32>
// CHECK: aik_tile.map %{{.*}} extras(%[[ROWS]], %[[ALL]] : !aik_tile.frag<64x64xf32>, !aik_tile.frag<64x64xf32>)
// CHECK-LABEL: gpu.func @quick_0
// CHECK: aik_tile.multiply
// CHECK-NOT: aik_tile.add
// CHECK-LABEL: gpu.func @turned_0
// CHECK-NOT: aik_tile.multiply
// CHECK-LABEL: gpu.func @upperbits_0
// CHECK: aik_tile.multiply {{.*}} : (!aik_tile.shared<64x32xf32>, !aik_tile.shared<64x32xf32>, !aik_tile.frag<64x64xf32>)
func.func @bytes(%a: tensor<128x256xf8E4M3FN>, %b: tensor<256x256xf8E5M2>) -> tensor<128x256xbf16> {
  %c = aikernel.matmul %a, %b {transpose_b} : (tensor<128x256xf8E4M3FN>, tensor<256x256xf8E5M2>) -> tensor<128x256xbf16>
  return %c : tensor<128x256xbf16>
}
func.func @exact(%a: tensor<128x256xf32>, %b: tensor<256x256xf32>) -> tensor<128x256xf32> {
  %c = aikernel.matmul %a, %b {transpose_b} : (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>
  return %c : tensor<128x256xf32>
}
func.func @integers(%a: tensor<128x256xi8>, %b: tensor<256x256xi8>, %s: tensor<128xf32>, %t: tensor<1xf32>) -> tensor<128x256xbf16> {
  %c = aikernel.int8_matmul %a, %b, %s, %t {transpose_b} : (tensor<128x256xi8>, tensor<256x256xi8>, tensor<128xf32>, tensor<1xf32>) -> tensor<128x256xbf16>
  return %c : tensor<128x256xbf16>
}
func.func @quick(%a: tensor<128x256xf8E4M3FN>, %b: tensor<256x256xf8E4M3FN>) -> tensor<128x256xbf16> {
  %c = aikernel.linear %a, %b {fast, transpose_b} : (tensor<128x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>) -> tensor<128x256xbf16>
  return %c : tensor<128x256xbf16>
}
func.func @turned(%a: tensor<128x256xf8E4M3FN>, %b: tensor<256x256xf8E4M3FN>) -> tensor<128x256xbf16> {
  %c = aikernel.matmul %a, %b : (tensor<128x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>) -> tensor<128x256xbf16>
  return %c : tensor<128x256xbf16>
}
func.func @upperbits(%a: tensor<128x256xf32>, %b: tensor<256x256xf32>) -> tensor<128x256xf32> {
  %c = aikernel.matmul %a, %b {fast, transpose_b} : (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>
  return %c : tensor<128x256xf32>
}
