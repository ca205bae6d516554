// RUN: aik-opt %s --aik-lower-reference-calls --split-input-file | FileCheck %s

// CHECK: func.func private @aik_ref_linear(!llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: func.func @linear
// CHECK-SAME: %[[X:[^:]*]]: memref<?x8xf32, strided<[8, 1], offset: 16>>, %[[W:[^:]*]]: memref<8x16xbf16>, %[[Y:[^:]*]]: memref<?x16xf32>
func.func @linear(%x: memref<?x8xf32, strided<[8, 1], offset: 16>>, %w: memref<8x16xbf16>, %y: memref<?x16xf32>) {
  // CHECK-DAG: %[[PARAMS:.*]] = llvm.alloca %{{.*}} x f64
  // CHECK-DAG: %[[OPERANDS:.*]] = llvm.alloca %c3_i64{{.*}} x !llvm.struct<(ptr, i32, i32, array<8 x i64>, array<8 x i64>)>
  // CHECK-DAG: %[[RESULTS:.*]] = llvm.alloca %c2_i64{{.*}} x !llvm.struct<(ptr, i32, i32, array<8 x i64>, array<8 x i64>)>
  // Results before operands.
  // CHECK: memref.extract_strided_metadata %[[Y]]
  // One more that is absent, for a result that is optional.
  // CHECK: %[[NONE:.*]] = arith.constant 0 : i32
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[RESULTS]][1, 1]
  // CHECK: llvm.store %[[NONE]], %[[FIELD]]
  // CHECK: memref.extract_strided_metadata %[[X]]
  // CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index
  // CHECK: %[[OFFSET:.*]] = arith.muli %c16{{.*}}, %c4{{.*}} : i64
  // CHECK: %[[BASE:.*]] = arith.index_cast %[[ADDRESS]] : index to i64
  // CHECK: %[[AT:.*]] = arith.addi %[[BASE]], %[[OFFSET]] : i64
  // CHECK: %[[DATA:.*]] = llvm.inttoptr %[[AT]]
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[OPERANDS]][0, 0]
  // CHECK: llvm.store %[[DATA]], %[[FIELD]]
  // An element type of f32 is 1, of bf16 4, an absent bias 0.
  // CHECK: %[[F32:.*]] = arith.constant 1 : i32
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[OPERANDS]][0, 1]
  // CHECK: llvm.store %[[F32]], %[[FIELD]]
  // CHECK: %[[BF16:.*]] = arith.constant 4 : i32
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[OPERANDS]][1, 1]
  // CHECK: llvm.store %[[BF16]], %[[FIELD]]
  // CHECK: %[[RANK:.*]] = arith.constant 2 : i32
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[OPERANDS]][1, 2]
  // CHECK: llvm.store %[[RANK]], %[[FIELD]]
  // CHECK: llvm.getelementptr %[[OPERANDS]][1, 3, 0]
  // CHECK: llvm.getelementptr %[[OPERANDS]][1, 4, 0]
  // CHECK: llvm.getelementptr %[[OPERANDS]][1, 3, 1]
  // CHECK: llvm.getelementptr %[[OPERANDS]][1, 4, 1]
  // CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[OPERANDS]][2, 0]
  // CHECK: llvm.store %[[NULL]], %[[FIELD]]
  // CHECK: %[[NONE:.*]] = arith.constant 0 : i32
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[OPERANDS]][2, 1]
  // CHECK: llvm.store %[[NONE]], %[[FIELD]]
  // CHECK: %[[P0:.*]] = arith.constant 1.000000e+00 : f64
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[PARAMS]][0]
  // CHECK: llvm.store %[[P0]], %[[FIELD]]
  // CHECK: call @aik_ref_linear(%[[OPERANDS]], %[[RESULTS]], %[[PARAMS]]) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  aikernel.reference_call "linear" ins(%x, %w : memref<?x8xf32, strided<[8, 1], offset: 16>>, memref<8x16xbf16>) outs(%y : memref<?x16xf32>) {params = array<f64: 1.0, 0.0>, present = array<i1: true, true, false>}
  return
}

// -----

// A loop does not grow the stack, and one declaration serves two calls.
// CHECK-COUNT-1: func.func private @aik_ref_relu
// CHECK-LABEL: @in_loop
func.func @in_loop(%x: memref<4xf32>, %y: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-COUNT-6: llvm.alloca
  // CHECK: scf.for
  // CHECK-NOT: llvm.alloca
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: call @aik_ref_relu
    aikernel.reference_call "relu" ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {params = array<f64>}
    // CHECK: call @aik_ref_relu
    aikernel.reference_call "relu" ins(%y : memref<4xf32>) outs(%x : memref<4xf32>) {params = array<f64>}
  }
  return
}
