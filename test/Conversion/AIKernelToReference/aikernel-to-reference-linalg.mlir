// An op that overwrites a tensor without reading it gets new memory; one that
// adds to what is there keeps it.
// RUN: aik-opt %s --convert-elementwise-to-linalg --aik-aikernel-to-reference | FileCheck %s

// CHECK-LABEL: @chain
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
func.func @chain(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
  // CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[X]], %{{.*}}) outs(%[[E]] : tensor<?xf32>)
  %0 = arith.mulf %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: @sum
// CHECK-SAME: %{{[^:]*}}: tensor<4x4xf32>, %[[S:[^:]*]]: tensor<4xf32>
func.func @sum(%x: tensor<4x4xf32>, %start: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.reduce {{.*}} outs(%[[S]] :
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x4xf32>) outs(%start : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}
