// A product with 4-bit weights: the weights are laid out once, in f$prepare, and the
// kernel reads them as they are; nothing is dequantized in memory.
// RUN: aikc %s --target=nvidia:sm_90a --strip-reference --compile-to=scheduled -o - | FileCheck %s

// CHECK-LABEL: gpu.func @few_0
// CHECK-DAG: aik_tile.tensor_map %{{.*}} : memref<40x384xbf16> -> <48x64xbf16>
// CHECK-DAG: aik_tile.tensor_map %{{.*}} : memref<384x128xi8> -> <32x128xi8>
// CHECK-DAG: aik_tile.tensor_map %{{.*}} : memref<24x32xf32> -> <2x32xf32>
// CHECK: aik_tile.program cluster 1
// CHECK: %[[WEIGHTS:.*]] = aik_tile.make_ring : <{{[0-9]+}}, <32x128xi8>, <2x32xf32>>
// CHECK: %[[ROWS:.*]] = aik_tile.make_ring : <{{[0-9]+}}, <48x64xbf16>, <48x64xbf16>>
// Weights of a step are unpacked while the products of the step before run.
// CHECK: aik_tile.role
// CHECK: aik_tile.role
// CHECK: %[[FIRST:.*]] = aik_tile.acquire %[[WEIGHTS]]
// CHECK: %[[A0:.*]] = aik_tile.unpack %[[FIRST]] tile 0 half 0
// CHECK: %[[A1:.*]] = aik_tile.unpack %[[FIRST]] tile 0 half 1
// CHECK: %[[R:.*]] = aik_tile.read_rows %[[FIRST]] tile 1
// CHECK: aik_tile.release %[[FIRST]]
// CHECK: scf.for {{.*}} iter_args(%[[SUMS:.*]] = %{{.*}}, %[[H0:.*]] = %[[A0]], %[[H1:.*]] = %[[A1]], %[[S:.*]] = %[[R]])
// CHECK: %[[X:.*]] = aik_tile.acquire %[[ROWS]]
// CHECK: %[[P0:.*]] = aik_tile.multiply %[[H0]], %{{.*}}, %{{.*}} :
// CHECK: %[[P1:.*]] = aik_tile.multiply %[[H1]], %{{.*}}, %[[P0]] :
// CHECK: %[[NEXT:.*]] = aik_tile.acquire %[[WEIGHTS]]
// CHECK: aik_tile.unpack %[[NEXT]] tile 0 half 0
// CHECK: aik_tile.unpack %[[NEXT]] tile 0 half 1
// CHECK: aik_tile.read_rows %[[NEXT]] tile 1
// CHECK: aik_tile.release %[[NEXT]]
// CHECK: %[[W:.*]] = aik_tile.wait %[[P1]]
// CHECK: aik_tile.release %[[X]]
// CHECK: aik_tile.add_scaled %[[SUMS]], %[[W]] by %[[S]]
// CHECK: scf.yield
// CHECK: aik_tile.write_transposed
// Many rows, their number unknown: two slabs, and blocks share rows of x.
// CHECK-LABEL: gpu.func @many_0
// CHECK: aik_tile.program cluster 2
// CHECK: <64x128xi8>, <4x32xf32>>
// CHECK: <128x64xf16>, <128x64xf16>>
// CHECK: aik_tile.load %{{.*}} tile 1 :
// CHECK: aik_tile.load %{{.*}} tile 0 shared
// CHECK: aik_tile.take_turn
// CHECK-NEXT: aik_tile.multiply
// CHECK-NEXT: aik_tile.multiply
// CHECK-NEXT: aik_tile.pass_turn
// Groups of 32 are dequantized.
// CHECK-LABEL: gpu.func @short_0
// CHECK-NOT: aik_tile.unpack
// Packing: two kernels of each function.
// CHECK: func.func @few$prepare
func.func @few(%x: tensor<40x384xbf16>, %w: tensor<256x192xi8> {aikernel.weight}, %s: tensor<256x3xf16> {aikernel.weight}) -> tensor<40x256xf32> {
  %y = aikernel.quant_matmul %x, %w scales %s {format = #aikernel.quant<i4, group = 128>} : (tensor<40x384xbf16>, tensor<256x192xi8>, tensor<256x3xf16>) -> tensor<40x256xf32>
  return %y : tensor<40x256xf32>
}
func.func @many(%x: tensor<?x256xf16>, %w: tensor<512x128xi8> {aikernel.weight}, %s: tensor<512x2xf32> {aikernel.weight}) -> tensor<?x512xf16> {
  %y = aikernel.quant_matmul %x, %w scales %s {format = #aikernel.quant<i4, group = 128>} : (tensor<?x256xf16>, tensor<512x128xi8>, tensor<512x2xf32>) -> tensor<?x512xf16>
  return %y : tensor<?x512xf16>
}
func.func @short(%x: tensor<40x256xbf16>, %w: tensor<128x128xi8> {aikernel.weight}, %s: tensor<128x8xf32> {aikernel.weight}) -> tensor<40x128xbf16> {
  %y = aikernel.quant_matmul %x, %w scales %s {format = #aikernel.quant<i4, group = 32>} : (tensor<40x256xbf16>, tensor<128x128xi8>, tensor<128x8xf32>) -> tensor<40x128xbf16>
  return %y : tensor<40x128xbf16>
}
