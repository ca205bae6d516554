// RUN: aik-opt %s --aik-decompose-foreign --split-input-file | FileCheck %s

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<?x8xf32>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK-NOT: linalg.softmax
  // CHECK-COUNT-4: linalg.generic
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: @concat
func.func @concat(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: aikernel.check %{{.*}}, 22, "tensor.concat: dimension 1 of operand 1 differs from that of operand 0"
  // CHECK-NOT: = tensor.concat
  // CHECK-COUNT-2: tensor.insert_slice
  %r = tensor.concat dim(0) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<1000000xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK-DAG: %[[SMALL:.*]] = arith.constant dense<3.000000e+00> : tensor<4xf32>
  // CHECK: %[[LARGE:.*]] = linalg.fill ins(%[[TWO]] : f32)
  // CHECK: return %[[LARGE]], %[[SMALL]]
  %large = arith.constant dense<2.0> : tensor<1000000xf32>
  %small = arith.constant dense<3.0> : tensor<4xf32>
  return %large, %small : tensor<1000000xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @memory
func.func @memory(%m: memref<?xf32>, %n: index) {
  // CHECK-NOT: memref.alloca
  // CHECK: memref.alloc(%{{.*}}) : memref<?xf32>
  // CHECK-NOT: memref.dealloc
  // CHECK: return
  %a = memref.alloca(%n) : memref<?xf32>
  memref.copy %m, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return
}
