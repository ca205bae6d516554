// RUN: aik-opt %s -aik-decompose-attention -split-input-file | FileCheck %s

// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// CHECK-DAG: #[[S:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[V:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
// CHECK-LABEL: func @step(
// CHECK-SAME: %[[QUERY:[^:]*]]: tensor<1x2x4x16xf32>, %[[KEY:[^:]*]]: tensor<1x2x8x16xf32>, %[[VALUE:[^:]*]]: tensor<1x2x8x32xf32>
// CHECK-SAME: %[[ACC:[^:]*]]: tensor<1x2x4x32xf32>, %[[MAX:[^:]*]]: tensor<1x2x4xf32>, %[[SUM:[^:]*]]: tensor<1x2x4xf32>
// CHECK-NOT: aikernel.online_attention
// CHECK: %[[PRODUCTS:.*]] = linalg.generic {indexing_maps = [#[[Q]], #[[K]], #[[S]]]{{.*}}"reduction"]} ins(%[[QUERY]], %[[KEY]] :
// CHECK: %[[SCORES:.*]] = linalg.generic {{.*}} outs(%[[PRODUCTS]] : tensor<1x2x4x8xf32>)
// CHECK: arith.mulf
// CHECK: %[[HIGHEST:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[SCORES]]
// CHECK: arith.maximumf
// The old maximum is read before its buffer takes the new one.
// CHECK: %[[SHRINK:.*]] = linalg.generic {{.*}} ins(%[[MAX]], %[[HIGHEST]] :
// CHECK: math.exp
// CHECK: %[[NEWMAX:.*]] = linalg.generic {{.*}} ins(%[[HIGHEST]] : {{.*}}) outs(%[[MAX]] :
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[NEWMAX]] : {{.*}}) outs(%[[SCORES]] :
// CHECK: arith.cmpf oeq
// CHECK: arith.select
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: %[[LESSSUM:.*]] = linalg.generic {{.*}} ins(%[[SHRINK]] : {{.*}}) outs(%[[SUM]] :
// CHECK: %[[NEWSUM:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[P]] : {{.*}}) outs(%[[LESSSUM]] :
// CHECK: %[[LESSACC:.*]] = linalg.generic {{.*}} ins(%[[SHRINK]] : {{.*}}) outs(%[[ACC]] :
// CHECK: %[[NEWACC:.*]] = linalg.generic {indexing_maps = [#[[Q]], #[[V]], #[[S]]]{{.*}}"reduction"]} ins(%[[P]], %[[VALUE]] : {{.*}}) outs(%[[LESSACC]] :
// CHECK: return %[[NEWACC]], %[[NEWMAX]], %[[NEWSUM]]
func.func @step(%q: tensor<1x2x4x16xf32>, %k: tensor<1x2x8x16xf32>, %v: tensor<1x2x8x32xf32>, %acc: tensor<1x2x4x32xf32>, %max: tensor<1x2x4xf32>, %sum: tensor<1x2x4xf32>) -> (tensor<1x2x4x32xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %scale = arith.constant 0.25 : f32
  %r:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum : (tensor<1x2x4x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x32xf32>, f32, index, index, index, tensor<1x2x4x32xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> (tensor<1x2x4x32xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<1x2x4x32xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

// -----

// Soft cap, then mask, then visibility by absolute key numbers; the values of
// keys that nobody sees are replaced by zeros.
// CHECK-LABEL: func @masked(
// CHECK-SAME: %[[VALUE:[^:]*]]: tensor<1x8x1x16xbf16>, %[[MASK:[^:]*]]: tensor<1x1x4x8xf32>
// CHECK-SAME: %[[N:[^:]*]]: tensor<1xi32>, %[[OFFSET:[^:]*]]: index
// CHECK: %[[KEY0:.*]] = arith.index_cast %[[OFFSET]] : index to i32
// CHECK: linalg.generic {{.*}} ins(%[[MASK]], %{{.*}}, %{{.*}} :
// CHECK: ^bb0(%[[M:.*]]: f32, %[[BEGIN:.*]]: i32, %[[END:.*]]: i32, %{{.*}}: f32):
// CHECK: %[[TANH:.*]] = math.tanh
// CHECK: %[[CAPPED:.*]] = arith.mulf %[[TANH]]
// CHECK: arith.addf %[[CAPPED]], %[[M]] : f32
// CHECK: %[[J:.*]] = linalg.index 3
// CHECK: %[[J32:.*]] = arith.index_cast %[[J]]
// CHECK: %[[NUMBER:.*]] = arith.addi %[[J32]], %[[KEY0]] : i32
// CHECK: arith.cmpi sge, %[[NUMBER]], %[[BEGIN]] : i32
// CHECK: arith.cmpi slt, %[[NUMBER]], %[[END]] : i32
// CHECK: %[[VALID:.*]] = linalg.generic {{.*}} ins(%[[VALUE]], %[[N]] :
// CHECK: linalg.index 1
// CHECK: arith.cmpi slt
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[VALID]] :
func.func @masked(%q: tensor<1x4x1x16xbf16>, %k: tensor<1x8x1x16xbf16>, %v: tensor<1x8x1x16xbf16>, %m: tensor<1x1x4x8xf32>, %begin: tensor<1x4xi32>, %end: tensor<1x4xi32>, %n: tensor<1xi32>, %offset: index, %acc: tensor<1x1x4x16xf32>, %max: tensor<1x1x4xf32>, %sum: tensor<1x1x4xf32>) -> (tensor<1x1x4x16xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %scale = arith.constant 0.25 : f32
  %r:3 = aikernel.online_attention %q, %k, %v mask %m begin %begin end %end kv_len %n scale %scale key_offset %offset head_offset %c0 group %c4 outs %acc, %max, %sum {layout = #aikernel.layout_kind<bshd>, softcap = 2.0 : f64} : (tensor<1x4x1x16xbf16>, tensor<1x8x1x16xbf16>, tensor<1x8x1x16xbf16>, tensor<1x1x4x8xf32>, tensor<1x4xi32>, tensor<1x4xi32>, tensor<1xi32>, f32, index, index, index, tensor<1x1x4x16xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> (tensor<1x1x4x16xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<1x1x4x16xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>
}

// -----

// Groups of query heads on one key head: a loop over query heads.
// CHECK-LABEL: func @grouped(
// CHECK-DAG: %[[GROUP:.*]] = arith.constant 2 : index
// CHECK: scf.for %[[H:[a-z0-9_]+]] =
// CHECK: %[[KEYHEAD:.*]] = arith.divui %{{.*}}, %[[GROUP]] : index
// CHECK: tensor.extract_slice %{{.*}}[0, %[[KEYHEAD]], 0, 0] [1, 1, 8, 16]
// CHECK-NOT: aikernel.online_attention
// CHECK: linalg.generic
func.func @grouped(%q: tensor<1x4x4x16xf32>, %k: tensor<1x2x8x16xf32>, %v: tensor<1x2x8x16xf32>, %acc: tensor<1x4x4x16xf32>, %max: tensor<1x4x4xf32>, %sum: tensor<1x4x4xf32>) -> tensor<1x4x4x16xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.25 : f32
  %r:3 = aikernel.online_attention %q, %k, %v scale %scale key_offset %c0 head_offset %c0 group %c2 outs %acc, %max, %sum : (tensor<1x4x4x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, f32, index, index, index, tensor<1x4x4x16xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> (tensor<1x4x4x16xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>)
  return %r#0 : tensor<1x4x4x16xf32>
}

// -----

// An instruction was found for it: aik-lower-attention takes it.
// CHECK-LABEL: func @packed(
// CHECK: aikernel.online_attention
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @packed(%q: tensor<1x2x4x16xf32>, %scale: f32, %max: tensor<1x2x4xf32>) -> tensor<1x2x4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = aikernel.online_attention %q, %q, %q scale %scale key_offset %c0 head_offset %c0 group %c1 outs %q, %max, %max {instruction = "fmla.f32"} : (tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>, f32, index, index, index, tensor<1x2x4x16xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> (tensor<1x2x4x16xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0 : tensor<1x2x4x16xf32>
}
