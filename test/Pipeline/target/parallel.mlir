// A kernel of many tiles goes to the runtime's parallel_for.
// RUN: aikc %s --emit=target --target=cpu:aarch64 -o - | FileCheck %s

// CHECK: module @target0
// CHECK: llvm.mlir.addressof @f$parallel0
// CHECK: llvm.getelementptr %{{.*}}[0, 3] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i32, i32, ptr, ptr, ptr, ptr, ptr, i32, i32)>
// CHECK: llvm.func @f$parallel0(%{{.*}}: !llvm.ptr{{.*}}, %{{.*}}: i64{{.*}}, %{{.*}}: i64{{.*}}) -> i32
func.func @f(%x: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %y = aikernel.relu %x : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  return %y : tensor<1000x1000xf32>
}
