// A long sum into few results is a sum of parts.
// RUN: aik-opt %s --aik-split-reductions | FileCheck %s

// CHECK-LABEL: func.func @all(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2048x4096xf32>, %[[START:[^:]*]]: tensor<f32>
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.*}} : tensor<2048xf32>)
// CHECK: %[[PARTS:.*]] = linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]} ins(%[[X]] : {{.*}}) outs(%[[ZEROS]]
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["reduction"]} ins(%[[PARTS]] : tensor<2048xf32>) outs(%[[START]] : tensor<f32>)
// CHECK-NOT: arith.mulf
// CHECK: arith.addf
func.func @all(%x: tensor<2048x4096xf32>, %s: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<2048x4096xf32>) outs(%s : tensor<f32>) {
  ^bb0(%v: f32, %acc: f32):
    %q = arith.mulf %v, %v : f32
    %a = arith.addf %acc, %q : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// One dimension is made two; a maximum starts from the least there is.
// CHECK-LABEL: func.func @one(
// CHECK: %[[PARTED:.*]] = tensor.expand_shape {{.*}} into tensor<4x1000x300xf32>
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[PARTED]] : {{.*}}) outs({{.*}} : tensor<1000x4xf32>)
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel"]} ins({{.*}} : tensor<1000x4xf32>)
// CHECK: arith.maximumf
func.func @one(%x: tensor<4x300000xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.reduce ins(%x : tensor<4x300000xf32>) outs(%s : tensor<4xf32>) dimensions = [1] (%v: f32, %acc: f32) {
    %m = arith.maximumf %v, %acc : f32
    linalg.yield %m : f32
  }
  return %r : tensor<4xf32>
}

// What has no order to change, no neutral element, no parts or no length stays.
// CHECK-LABEL: func.func @stay(
// CHECK-NOT: tensor.empty
// CHECK: return
func.func @stay(%x: tensor<1000000xf32>, %prime: tensor<1000003xf32>, %short: tensor<65536xf32>, %unknown: tensor<?xf32>, %many: tensor<64x100000xf32>,
                %s: tensor<f32>, %m: tensor<64xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<64xf32>) {
  %0 = linalg.reduce ins(%x : tensor<1000000xf32>) outs(%s : tensor<f32>) dimensions = [0] (%v: f32, %acc: f32) {
    %d = arith.subf %v, %acc : f32
    linalg.yield %d : f32
  }
  %1 = linalg.reduce { arith.addf } ins(%prime : tensor<1000003xf32>) outs(%s : tensor<f32>) dimensions = [0]
  %2 = linalg.reduce { arith.addf } ins(%short : tensor<65536xf32>) outs(%s : tensor<f32>) dimensions = [0]
  %3 = linalg.reduce { arith.addf } ins(%unknown : tensor<?xf32>) outs(%s : tensor<f32>) dimensions = [0]
  %4 = linalg.reduce { arith.addf } ins(%many : tensor<64x100000xf32>) outs(%m : tensor<64xf32>) dimensions = [1]
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<64xf32>
}

// So do sizes that only some operands know, and numbers without a least one.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: tensor.empty
// CHECK: return
func.func @others(%x: tensor<1000000xf32>, %y: tensor<?xf32>, %z: tensor<1000000xindex>, %s: tensor<f32>, %t: tensor<index>) -> (tensor<f32>, tensor<index>) {
  %0 = linalg.dot ins(%x, %y : tensor<1000000xf32>, tensor<?xf32>) outs(%s : tensor<f32>) -> tensor<f32>
  %1 = linalg.reduce { arith.maxsi } ins(%z : tensor<1000000xindex>) outs(%t : tensor<index>) dimensions = [0]
  return %0, %1 : tensor<f32>, tensor<index>
}
