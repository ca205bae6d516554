// A public function is marked as the entry "run" and gets two companions; the
// module records its signature. Private functions are no entries.
// RUN: aik-opt %s --aik-build-entries | FileCheck %s

// CHECK: module attributes {aikernel.functions = [{
// CHECK-SAME: args = [{aikernel.name = "x"}, {aikernel.weight}]
// CHECK-SAME: name = "f"
// CHECK-SAME: type = (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>}]

// CHECK: func.func private @helper(%{{.*}}: f32) -> f32 {
func.func private @helper(%x: f32) -> f32 {
  return %x : f32
}

// CHECK-LABEL: func.func @f(
// CHECK-SAME: attributes {aikernel.entry = "run"}
// CHECK: aikernel.rms_norm

// CHECK-LABEL: func.func @f$cost(
// CHECK-SAME: -> (i64, i64) attributes {aikernel.entry = "cost"}

// CHECK-LABEL: func.func @f$shape(
// CHECK-SAME: -> (i64, i64) attributes {aikernel.entry = "shape"}
// CHECK-NOT: aikernel.rms_norm
// CHECK: %[[COLUMNS:.*]] = arith.constant 4 : i64
// CHECK: %[[ROWS:.*]] = tensor.dim
// CHECK: %[[ROWS64:.*]] = arith.index_cast %[[ROWS]] : index to i64
// CHECK: return %[[ROWS64]], %[[COLUMNS]] : i64, i64
func.func @f(%x: tensor<?x4xf32> {aikernel.name = "x"}, %g: tensor<4xf32> {aikernel.weight}) -> tensor<?x4xf32> {
  %y = aikernel.rms_norm %x, %g {eps = 1.0e-5 : f32} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
