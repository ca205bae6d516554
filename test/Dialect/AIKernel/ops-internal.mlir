// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: @env
func.func @env() -> !llvm.ptr {
  // CHECK: aikernel.env : !llvm.ptr
  %env = aikernel.env : !llvm.ptr
  return %env : !llvm.ptr
}

// CHECK-LABEL: @propagate
func.func @propagate(%status: i32) {
  // CHECK: aikernel.propagate %{{.*}}
  aikernel.propagate %status
  return
}

// CHECK-LABEL: @online_attention
func.func @online_attention(%q: tensor<1x8x32x64xf32>, %k: tensor<1x8x128x64xf32>, %v: tensor<1x8x128x64xf32>, %s: f32, %c0: index, %c1: index, %acc: tensor<1x8x32x64xf32>, %max: tensor<1x8x32xf32>, %sum: tensor<1x8x32xf32>) -> tensor<1x8x32x64xf32> {
  // CHECK: aikernel.online_attention %{{.*}}, %{{.*}}, %{{.*}} scale %{{.*}} key_offset %{{.*}} head_offset %{{.*}} group %{{.*}} outs %{{.*}}, %{{.*}}, %{{.*}} :
  %r:3 = aikernel.online_attention %q, %k, %v scale %s key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum : (tensor<1x8x32x64xf32>, tensor<1x8x128x64xf32>, tensor<1x8x128x64xf32>, f32, index, index, index, tensor<1x8x32x64xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>) -> (tensor<1x8x32x64xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>)
  return %r#0 : tensor<1x8x32x64xf32>
}
