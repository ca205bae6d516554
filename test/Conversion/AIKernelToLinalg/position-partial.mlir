// RUN: aik-opt %s -aik-aikernel-to-linalg | FileCheck %s

// Only the first 8 of 64 features turn; the rest pass.

// CHECK-LABEL: func @partial(
// CHECK-SAME: %[[X:.*]]: tensor<1x2x?x64xf16>
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [1, 2, %{{.*}}, 8] [1, 1, 1, 1]
// CHECK: tensor.expand_shape %[[PART]]
// CHECK: %[[TURNED:.*]] = tensor.collapse_shape
// CHECK: %[[Y:.*]] = tensor.insert_slice %[[TURNED]] into %[[X]][0, 0, 0, 0] [1, 2, %{{.*}}, 8] [1, 1, 1, 1]
// CHECK: return %[[Y]]
func.func @partial(%x: tensor<1x2x?x64xf16>, %pos: tensor<1x?xi32>) -> tensor<1x2x?x64xf16> {
  %y = aikernel.rope %x, %pos {base = 1.0e4 : f32, dim = 8 : i64} : (tensor<1x2x?x64xf16>, tensor<1x?xi32>) -> tensor<1x2x?x64xf16>
  return %y : tensor<1x2x?x64xf16>
}
