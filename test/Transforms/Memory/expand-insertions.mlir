// A tensor that was computed with more dimensions than it is inserted with is
// inserted as it was computed; what that needs stands before it.
// RUN: aik-opt %s --aik-expand-insertions | FileCheck %s

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: func.func @turned(
// CHECK-SAME: %[[X:.*]]: tensor<4x2x64xf32>, %[[D:.*]]: tensor<?x128xf32>, %[[POS:.*]]: tensor<1xi32>
// CHECK: %[[AT32:.*]] = tensor.extract %[[POS]]
// CHECK: %[[AT:.*]] = arith.index_cast %[[AT32]]
// CHECK: %[[ROWS:.*]] = tensor.dim %[[D]], %{{.*}}
// CHECK: %[[G:.*]] = tensor.expand_shape %[[D]] {{\[\[}}0], [1, 2]] output_shape [%[[ROWS]], 2, 64] : tensor<?x128xf32> into tensor<?x2x64xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x2x64xf32>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%[[E]]
// CHECK: %[[I:.*]] = tensor.insert_slice %[[Y]] into %[[G]][%[[AT]], 0, 0] [4, 2, 64] [1, 1, 1]
// CHECK: %[[R:.*]] = tensor.collapse_shape %[[I]] {{\[\[}}0], [1, 2]] : tensor<?x2x64xf32> into tensor<?x128xf32>
// CHECK: return %[[R]]
func.func @turned(%x: tensor<4x2x64xf32>, %d: tensor<?x128xf32>, %pos: tensor<1xi32>) -> tensor<?x128xf32> {
  %zero = arith.constant 0 : index
  %e = tensor.empty() : tensor<4x2x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x2x64xf32>) outs(%e : tensor<4x2x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<4x2x64xf32>
  %c = tensor.collapse_shape %y [[0], [1, 2]] : tensor<4x2x64xf32> into tensor<4x128xf32>
  %p = tensor.extract %pos[%zero] : tensor<1xi32>
  %at = arith.index_cast %p : i32 to index
  %r = tensor.insert_slice %c into %d[%at, 0] [4, 128] [1, 1] : tensor<4x128xf32> into tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// A part of the collapsed dimensions has no place in the expanded tensor.
// CHECK-LABEL: func.func @part(
// CHECK-NOT: tensor.expand_shape
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 64] [4, 128] [1, 1]
func.func @part(%x: tensor<4x2x64xf32>, %d: tensor<8x256xf32>) -> tensor<8x256xf32> {
  %e = tensor.empty() : tensor<4x2x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<4x2x64xf32>) outs(%e : tensor<4x2x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<4x2x64xf32>
  %c = tensor.collapse_shape %y [[0], [1, 2]] : tensor<4x2x64xf32> into tensor<4x128xf32>
  %r = tensor.insert_slice %c into %d[0, 64] [4, 128] [1, 1] : tensor<4x128xf32> into tensor<8x256xf32>
  return %r : tensor<8x256xf32>
}

// What comes from an argument has been written already.
// CHECK-LABEL: func.func @given(
// CHECK-NOT: tensor.expand_shape
func.func @given(%x: tensor<4x2x64xf32>, %d: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %c = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x2x64xf32> into tensor<4x128xf32>
  %r = tensor.insert_slice %c into %d[0, 0] [4, 128] [1, 1] : tensor<4x128xf32> into tensor<8x128xf32>
  return %r : tensor<8x128xf32>
}
