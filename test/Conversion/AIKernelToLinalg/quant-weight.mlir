// An integer product with a matrix of known size stays one op: the target
// chooses the layout of the matrix.
// RUN: aik-opt %s --aik-aikernel-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @weight(
// CHECK-SAME: %[[X:.*]]: tensor<512xf32>, %[[W:.*]]: tensor<9x288xi8>
// CHECK: %[[Y:.*]] = aikernel.block_gemv %[[W]], %{{.*}} scales %{{.*}} sums %{{.*}} source %[[X]] outs %{{.*}} {format = #aikernel.quant<q4_k>} : (tensor<9x288xi8>, tensor<2x256xi8>, tensor<2xf32>, tensor<2x8xi32>, tensor<512xf32>, tensor<9xf32>) -> tensor<9xf32>
// CHECK: return %[[Y]]
func.func @weight(%x: tensor<512xf32>, %w: tensor<9x288xi8> {aikernel.weight}) -> tensor<9xf32> {
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_k>, activations = #aikernel.quant_activations<q8>} : (tensor<512xf32>, tensor<9x288xi8>) -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// Whether it is prepared or laid out in each call is another question.
// CHECK-LABEL: func.func @argument(
// CHECK: aikernel.block_gemv
func.func @argument(%x: tensor<64xf32>, %w: tensor<9x40xi8>) -> tensor<9xf32> {
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_1>, activations = #aikernel.quant_activations<q8>} : (tensor<64xf32>, tensor<9x40xi8>) -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// CHECK-LABEL: func.func @scaled_sums(
// CHECK: aikernel.block_gemv {{.*}} scaled_sums
func.func @scaled_sums(%x: tensor<64xf32>, %w: tensor<9x40xi8> {aikernel.weight}) -> tensor<9xf32> {
  %y = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_1>, activations = #aikernel.quant_activations<q8>} : (tensor<64xf32>, tensor<9x40xi8>) -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %[[S:[a-z0-9]*]]: tensor<9x2xf16>
// CHECK: aikernel.block_gemv {{.*}} w_scales %[[S]], {{.*}} {format = #aikernel.quant<i4, group = 32>}
func.func @groups(%x: tensor<64xf32>, %w: tensor<9x32xi8> {aikernel.weight}, %s: tensor<9x2xf16>) -> tensor<9xf32> {
  %y = aikernel.quant_gemv %x, %w scales %s {format = #aikernel.quant<i4, group = 32>, activations = #aikernel.quant_activations<q8>} : (tensor<64xf32>, tensor<9x32xi8>, tensor<9x2xf16>) -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK: aikernel.block_matmul {{.*}} : (tensor<9x288xi8>, tensor<?x2x256xi8>, tensor<?x2xf32>, tensor<?x2x8xi32>, tensor<?x9xf32>) -> tensor<?x9xf32>
func.func @rows(%x: tensor<?x512xf32>, %w: tensor<9x288xi8> {aikernel.weight}) -> tensor<?x9xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_k>, activations = #aikernel.quant_activations<q8>} : (tensor<?x512xf32>, tensor<9x288xi8>) -> tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

// One row is a vector.
// CHECK-LABEL: func.func @one_row(
// CHECK: tensor.collapse_shape
// CHECK: %[[Y:.*]] = aikernel.block_gemv
// CHECK: tensor.expand_shape %[[Y]] {{\[}}[0, 1]] output_shape [1, 9] : tensor<9xf32> into tensor<1x9xf32>
func.func @one_row(%x: tensor<1x64xf32>, %w: tensor<9x36xi8> {aikernel.weight}) -> tensor<1x9xf32> {
  %y = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_0>, activations = #aikernel.quant_activations<q8>} : (tensor<1x64xf32>, tensor<9x36xi8>) -> tensor<1x9xf32>
  return %y : tensor<1x9xf32>
}

// Too much to unpack at once.
// CHECK-LABEL: func.func @long_groups(
// CHECK-NOT: block_matmul
func.func @long_groups(%x: tensor<?x4096xf32>, %w: tensor<9x4096xi8> {aikernel.weight}, %s: tensor<9x1xf32>) -> tensor<?x9xf32> {
  %y = aikernel.quant_matmul %x, %w scales %s {format = #aikernel.quant<i8, group = 4096>, activations = #aikernel.quant_activations<q8>} : (tensor<?x4096xf32>, tensor<9x4096xi8>, tensor<9x1xf32>) -> tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

// What has no known size, sums in f64 or is not quantized is lowered as before.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: block_gemv
func.func @others(%x: tensor<64xf32>, %w: tensor<9x40xi8> {aikernel.weight}, %u: tensor<?x40xi8> {aikernel.weight}) -> (tensor<9xf64>, tensor<9xf32>, tensor<?xf32>) {
  %a = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_1>, activations = #aikernel.quant_activations<q8>} : (tensor<64xf32>, tensor<9x40xi8>) -> tensor<9xf64>
  %b = aikernel.quant_gemv %x, %w {format = #aikernel.quant<q4_1>} : (tensor<64xf32>, tensor<9x40xi8>) -> tensor<9xf32>
  %c = aikernel.quant_gemv %x, %u {format = #aikernel.quant<q4_1>, activations = #aikernel.quant_activations<q8>} : (tensor<64xf32>, tensor<?x40xi8>) -> tensor<?xf32>
  return %a, %b, %c : tensor<9xf64>, tensor<9xf32>, tensor<?xf32>
}
