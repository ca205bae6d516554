// A scalar result is stored into a memref of rank 0; so are the numbers of
// f$shape.
// RUN: aik-opt %s --aik-add-destinations | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[S:[^:]*]]: f32, %[[OUT:[^:]*]]: memref<f32> {aikernel.result = 0 : i64}
// CHECK: %[[E:.*]] = math.exp %[[S]]
// CHECK: memref.store %[[E]], %[[OUT]][]
// CHECK: return{{$}}
func.func @f(%s: f32) -> f32 attributes {aikernel.entry = "run"} {
  %e = math.exp %s : f32
  return %e : f32
}

// CHECK-LABEL: func.func @f$shape(
// CHECK-SAME: memref<?xf32>, %[[N:[^:]*]]: memref<i64> {aikernel.result = 0 : i64}, %[[M:[^:]*]]: memref<i64> {aikernel.result = 1 : i64}
// CHECK-DAG: memref.store %{{.*}}, %[[N]][]
// CHECK-DAG: memref.store %{{.*}}, %[[M]][]
func.func @f$shape(%x: tensor<?xf32>) -> (i64, i64) attributes {aikernel.entry = "shape"} {
  %c0 = arith.constant 0 : index
  %four = arith.constant 4 : i64
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %n64 = arith.index_cast %n : index to i64
  return %n64, %four : i64, i64
}
