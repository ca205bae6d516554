// What a block does before its first load: nothing is divided by what is not a constant, also where
// the last group of tiles is lower than the others, and no fence but that of the barriers.
// RUN: aikc %s --target=nvidia:sm_90a --emit=ptx -o %t
// RUN: FileCheck %s --input-file=%t

// CHECK: .entry product_0(
// CHECK-NOT: {{div|rem}}.{{[us]}}
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK-NOT: {{div|rem}}.{{[us]}}
// CHECK: barrier.cluster.arrive.relaxed.aligned;
// CHECK-NOT: {{div|rem}}.{{[us]}}
// CHECK: ret;
func.func @product(%x: tensor<1400x1000xbf16>, %w: tensor<504x1000xbf16>) -> tensor<1400x504xbf16> {
  %y = aikernel.linear %x, %w {transpose_b} : (tensor<1400x1000xbf16>, tensor<504x1000xbf16>) -> tensor<1400x504xbf16>
  return %y : tensor<1400x504xbf16>
}
