// RUN: aik-opt %s -aik-aikernel-to-linalg -canonicalize -split-input-file | FileCheck %s
// RUN: aik-opt %s -aik-aikernel-to-linalg -one-shot-bufferize=bufferize-function-boundaries -split-input-file | FileCheck %s --check-prefix=BUFFER

// CHECK-LABEL: func @bhsd(
// CHECK-SAME: %[[CACHE:.*]]: tensor<2x8x1024x64xf16>, %[[NEW:.*]]: tensor<2x8x4x64xf16>, %[[POS:.*]]: tensor<2xi32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[LAST:.*]] = arith.constant 1020 : index
// CHECK: scf.for %[[B:[a-z0-9_]+]] = %[[C0]] to %{{.*}} iter_args(%[[CARRIED:.*]] = %[[CACHE]])
// CHECK: %[[P:.*]] = tensor.extract %[[POS]][%[[B]]]
// CHECK: %[[START:.*]] = arith.index_cast %[[P]] : i32 to index
// CHECK: %[[LOW:.*]] = arith.minsi %[[START]], %[[LAST]]
// CHECK: %[[ROW:.*]] = arith.maxsi %[[LOW]], %[[C0]]
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[NEW]][%[[B]], 0, 0, 0] [1, 8, 4, 64]
// CHECK: tensor.insert_slice %[[SLICE]] into %[[CARRIED]][%[[B]], 0, %[[ROW]], 0] [1, 8, 4, 64]

// In place when the cache may be written.
// BUFFER-LABEL: func @bhsd(
// BUFFER-NOT: memref.alloc
// BUFFER: memref.copy
// BUFFER-NOT: memref.copy
// BUFFER: return
func.func @bhsd(%cache: tensor<2x8x1024x64xf16>, %new: tensor<2x8x4x64xf16>, %pos: tensor<2xi32>) -> tensor<2x8x1024x64xf16> {
  %c = aikernel.kv_append %cache, %new, %pos : (tensor<2x8x1024x64xf16>, tensor<2x8x4x64xf16>, tensor<2xi32>) -> tensor<2x8x1024x64xf16>
  return %c : tensor<2x8x1024x64xf16>
}

// -----

// More new rows than the cache has would be refused before; still nothing is
// written outside.
// CHECK-LABEL: func @bshd(
// CHECK: %[[ROWS:.*]] = arith.minsi
// CHECK: tensor.extract_slice %{{.*}}[%[[B:.*]], 0, 0, 0] [1, %[[ROWS]], 8, 64]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[B]], %{{.*}}, 0, 0] [1, %[[ROWS]], 8, 64]
func.func @bshd(%cache: tensor<2x1024x8x64xf16>, %new: tensor<2x?x8x64xf16>, %pos: tensor<2xi32>) -> tensor<2x1024x8x64xf16> {
  %c = aikernel.kv_append %cache, %new, %pos {layout = #aikernel.layout_kind<bshd>} : (tensor<2x1024x8x64xf16>, tensor<2x?x8x64xf16>, tensor<2xi32>) -> tensor<2x1024x8x64xf16>
  return %c : tensor<2x1024x8x64xf16>
}
