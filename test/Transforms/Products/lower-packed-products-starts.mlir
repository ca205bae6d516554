// A signed left operand is packed 128 too large for instructions that take an
// unsigned one. What its sums begin with is summed up once for a panel of
// columns: four sums of each vector, which do not wait for each other, then the
// steps that are no whole round.
// RUN: aik-opt %s --aik-lower-packed-products | FileCheck %s

// CHECK-LABEL: func.func private @aik$tiles
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<-128> : vector<64xi8>
// CHECK: %[[ALL:.*]]:12 = scf.for {{.*}} step %c4{{[_0-9]*}} iter_args(
// CHECK-COUNT-12: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %[[ONES]], %{{.*}})
// CHECK: scf.yield
// CHECK: %[[A:.*]] = arith.addi %[[ALL]]#0, %[[ALL]]#3
// CHECK: %[[B:.*]] = arith.addi %[[ALL]]#1, %[[ALL]]#4
// CHECK: %[[C:.*]] = arith.addi %[[ALL]]#2, %[[ALL]]#5
// CHECK: %[[A2:.*]] = arith.addi %[[A]], %[[ALL]]#6
// CHECK: %[[SUMS:.*]]:3 = scf.for {{.*}} step %c1{{[_0-9]*}} iter_args(
// CHECK: %[[START:.*]] = arith.subi %{{.*}}, %[[SUMS]]#0
// CHECK: vector.store %[[START]]
#none = affine_map<(m, n) -> ()>
#id = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f,+avx512vnni", vector_bits = 512>} {
  func.func @starts(%p: memref<1x2x64x8x4xi8>, %q: memref<1x2x64x48x4xi8>, %c: memref<16x96xi32>) {
    %k = arith.constant 256 : index
    aikernel.packed_product %p, %q depth %k outs %c {instruction = "vpdpbusd.512", lhs_map = #none, rhs_map = #none, out_map = #id, overwrite} : (memref<1x2x64x8x4xi8>, memref<1x2x64x48x4xi8>, index, memref<16x96xi32>) -> ()
    return
  }
}
