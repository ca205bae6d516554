// A product of rows with what another kernel makes of 4-bit weights becomes one that
// reads the weights, in an order that is made of them once. One whose weights are not
// marked stays, and so does one whose dequantized weights somebody else reads too.
// RUN: aik-opt %s --aik-form-fragment-products | FileCheck %s

#both = affine_map<(i, j) -> (i, j)>
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK: func.func private @floats(
  func.func private @floats(%s: tensor<256x3xf16>, %w: tensor<256x192xi8>, %d: tensor<256x384xf32>) -> tensor<256x384xf32> attributes {aikernel.kernel} {
    %0 = linalg.generic {indexing_maps = [#both], iterator_types = ["parallel", "parallel"]} outs(%d : tensor<256x384xf32>) attrs = {aikernel.dequantizes = #aikernel.quant<i4, group = 128>, aikernel.root = array<i64: 0, 1>} {
    ^bb0(%o: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c128 = arith.constant 128 : index
      %c2 = arith.constant 2 : index
      %group = arith.divui %j, %c128 : index
      %byte = arith.divui %j, %c2 : index
      %scale = tensor.extract %s[%i, %group] : tensor<256x3xf16>
      %code = tensor.extract %w[%i, %byte] : tensor<256x192xi8>
      %f = arith.sitofp %code : i8 to f32
      %e = arith.extf %scale : f16 to f32
      %p = arith.mulf %f, %e : f32
      linalg.yield %p : f32
    } -> tensor<256x384xf32>
    return %0 : tensor<256x384xf32>
  }
  func.func private @product(%x: tensor<40x384xbf16>, %w: tensor<256x384xf32>, %d: tensor<40x256xf32>) -> tensor<40x256xf32> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %0 = linalg.fill ins(%zero : f32) outs(%d : tensor<40x256xf32>) -> tensor<40x256xf32>
    %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<40x384xbf16>, tensor<256x384xf32>) outs(%0 : tensor<40x256xf32>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%l: bf16, %r: f32, %o: f32):
      %e = arith.extf %l : bf16 to f32
      %p = arith.mulf %e, %r : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<40x256xf32>
    return %1 : tensor<40x256xf32>
  }
  // CHECK: func.func private @product$packed(%[[KX:.*]]: tensor<40x384xbf16>, %[[KC:.*]]: tensor<384x128xi8>, %[[KS:.*]]: tensor<24x32xf32>, %[[KD:.*]]: tensor<40x256xf32>) -> tensor<40x256xf32> attributes {aikernel.kernel}
  // CHECK: aik_tile.product %[[KX]], %[[KC]] extras(%[[KS]] : tensor<24x32xf32>) outs %[[KD]]
  // CHECK-SAME: packed
  // CHECK-LABEL: func.func @marked
  // CHECK-SAME: %[[X:.*]]: tensor<40x384xbf16>, %[[W:.*]]: tensor<256x192xi8> {aikernel.weight}, %[[S:.*]]: tensor<256x3xf16> {aikernel.weight}
  // CHECK-NOT: call @floats
  // CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[W]], %[[W]] : {{.*}}) outs(%{{.*}} : tensor<384x128xi8>) attrs = {aikernel.packs}
  // CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[S]] : {{.*}}) outs(%{{.*}} : tensor<24x32xf32>) attrs = {aikernel.packs}
  // CHECK: arith.extf
  // CHECK: call @product$packed(%[[X]], %[[C]], %[[T]], %{{.*}})
  func.func @marked(%x: tensor<40x384xbf16>, %w: tensor<256x192xi8> {aikernel.weight}, %s: tensor<256x3xf16> {aikernel.weight}) -> tensor<40x256xf32> {
    %e = tensor.empty() : tensor<256x384xf32>
    %f = call @floats(%s, %w, %e) : (tensor<256x3xf16>, tensor<256x192xi8>, tensor<256x384xf32>) -> tensor<256x384xf32>
    %d = tensor.empty() : tensor<40x256xf32>
    %y = call @product(%x, %f, %d) : (tensor<40x384xbf16>, tensor<256x384xf32>, tensor<40x256xf32>) -> tensor<40x256xf32>
    return %y : tensor<40x256xf32>
  }
  // CHECK-LABEL: func.func @unmarked
  // CHECK: call @floats
  // CHECK: call @product(
  func.func @unmarked(%x: tensor<40x384xbf16>, %w: tensor<256x192xi8>, %s: tensor<256x3xf16> {aikernel.weight}) -> tensor<40x256xf32> {
    %e = tensor.empty() : tensor<256x384xf32>
    %f = call @floats(%s, %w, %e) : (tensor<256x3xf16>, tensor<256x192xi8>, tensor<256x384xf32>) -> tensor<256x384xf32>
    %d = tensor.empty() : tensor<40x256xf32>
    %y = call @product(%x, %f, %d) : (tensor<40x384xbf16>, tensor<256x384xf32>, tensor<40x256xf32>) -> tensor<40x256xf32>
    return %y : tensor<40x256xf32>
  }
  // CHECK-LABEL: func.func @shared
  // CHECK: call @floats
  // CHECK: call @product(
  func.func @shared(%x: tensor<40x384xbf16>, %w: tensor<256x192xi8> {aikernel.weight}, %s: tensor<256x3xf16> {aikernel.weight}) -> (tensor<40x256xf32>, tensor<256x384xf32>) {
    %e = tensor.empty() : tensor<256x384xf32>
    %f = call @floats(%s, %w, %e) : (tensor<256x3xf16>, tensor<256x192xi8>, tensor<256x384xf32>) -> tensor<256x384xf32>
    %d = tensor.empty() : tensor<40x256xf32>
    %y = call @product(%x, %f, %d) : (tensor<40x384xbf16>, tensor<256x384xf32>, tensor<40x256xf32>) -> tensor<40x256xf32>
    return %y, %f : tensor<40x256xf32>, tensor<256x384xf32>
  }
}
