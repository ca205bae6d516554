// Products of integers that no kernel is there for: exact sums of each block,
// then their sum; the root stays the root.
// RUN: aik-opt %s --aik-decompose-block-products | FileCheck %s

// CHECK-LABEL: @gemv
// CHECK-NOT: aikernel.block_gemv
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]{{.*}} outs(%{{.*}} : tensor<7x2xi32>)
// CHECK: arith.muli
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]{{.*}} ins(%[[SUMS]], %{{.*}} : tensor<7x2xi32>, tensor<2xf32>)
// CHECK-SAME: aikernel.root = array<i64: 0>
func.func private @gemv(%w: tensor<7x36xi8>, %x: tensor<2x32xi8>, %d: tensor<2xf32>, %s: tensor<2x1xi32>, %o: tensor<7xf32>) -> tensor<7xf32> attributes {aikernel.kernel} {
  %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {aikernel.root = array<i64: 0>, format = #aikernel.quant<q4_0>} : (tensor<7x36xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<7xf32>) -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: @matmul
// CHECK-NOT: aikernel.block_matmul
// CHECK: linalg.generic {{.*}}outs(%{{.*}} : tensor<3x7x2xi32>)
// CHECK: linalg.generic {{.*}}outs(%{{.*}} : tensor<3x7xf32>)
func.func private @matmul(%w: tensor<7x36xi8>, %x: tensor<3x2x32xi8>, %d: tensor<3x2xf32>, %s: tensor<3x2x1xi32>, %o: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<7x36xi8>, tensor<3x2x32xi8>, tensor<3x2xf32>, tensor<3x2x1xi32>, tensor<3x7xf32>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}
