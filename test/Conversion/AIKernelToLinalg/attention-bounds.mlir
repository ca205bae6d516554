// RUN: aik-opt %s -aik-aikernel-to-linalg -canonicalize -split-input-file | FileCheck %s

// Causal: query i sees keys up to i + (len - Sq), so end = i + len - Sq + 1.

// CHECK-LABEL: func @causal(
// CHECK-DAG: %[[SHIFT:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[LENGTH:.*]] = arith.constant 6 : i32
// CHECK: %[[END:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x5xi32>)
// CHECK: %[[I:.*]] = linalg.index 1 : index
// CHECK: %[[QUERY:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: %[[PAST:.*]] = arith.addi %[[QUERY]], %[[SHIFT]] : i32
// CHECK: arith.minsi %[[PAST]], %[[LENGTH]] : i32
// CHECK-NOT: begin
// CHECK: aikernel.online_attention {{.*}} end %[[END]] scale
func.func @causal(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<1x2x6x8xf32>) -> tensor<1x2x5x8xf32> {
  %o = aikernel.attention %q, %k, %v {causal} : (tensor<1x2x5x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>) -> tensor<1x2x5x8xf32>
  return %o : tensor<1x2x5x8xf32>
}

// -----

// With a window w the first key is end - w.
// CHECK-LABEL: func @window(
// CHECK: %[[END:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<2xi32>) outs(%{{.*}} : tensor<2x5xi32>)
// CHECK: arith.minsi
// CHECK: %[[BEGIN:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<2xi32>) outs(%{{.*}} : tensor<2x5xi32>)
// CHECK-NOT: arith.minsi
// CHECK: aikernel.online_attention {{.*}} begin %[[BEGIN]] end %[[END]] kv_len %{{.*}} scale
func.func @window(%q: tensor<2x2x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x8xf32>, %n: tensor<2xi32>) -> tensor<2x2x5x8xf32> {
  %o = aikernel.attention %q, %k, %v kv_len %n {causal, window = 3 : i64} : (tensor<2x2x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32>, tensor<2xi32>) -> tensor<2x2x5x8xf32>
  return %o : tensor<2x2x5x8xf32>
}

// -----

// kv_len alone bounds every query alike; a mask goes along as it is.
// CHECK-LABEL: func @kv_len(
// CHECK-SAME: %[[MASK:[^:]*]]: tensor<5x6xf32>
// CHECK: linalg.generic
// CHECK: ^bb0(%[[N:.*]]: i32, %{{.*}}: i32):
// CHECK-NEXT: linalg.yield %[[N]] : i32
// CHECK: aikernel.online_attention {{.*}} mask %[[MASK]] end
func.func @kv_len(%q: tensor<2x2x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x8xf32>, %m: tensor<5x6xf32>, %n: tensor<2xi32>) -> tensor<2x2x5x8xf32> {
  %o = aikernel.attention %q, %k, %v mask %m kv_len %n : (tensor<2x2x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32>, tensor<5x6xf32>, tensor<2xi32>) -> tensor<2x2x5x8xf32>
  return %o : tensor<2x2x5x8xf32>
}
