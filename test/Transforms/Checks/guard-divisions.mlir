// RUN: aik-opt %s --aik-guard-divisions | FileCheck %s

// CHECK-LABEL: @unsigned
// CHECK-SAME: %[[X:[^:]*]]: i32, %[[D:[^:]*]]: i32
func.func @unsigned(%x: i32, %d: i32) -> (i32, i32) {
  // CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[D]], %c0_i32
  // CHECK: %[[SAFE:.*]] = arith.select %[[NONE]], %c1_i32{{.*}}, %[[D]]
  // CHECK: %[[Q0:.*]] = arith.divui %[[X]], %[[SAFE]]
  // CHECK: %[[Q:.*]] = arith.select %[[NONE]], %c0_i32{{.*}}, %[[Q0]]
  %q = arith.divui %x, %d : i32
  // CHECK: %[[R0:.*]] = arith.remui
  // CHECK: %[[R:.*]] = arith.select %{{.*}}, %[[X]], %[[R0]]
  %r = arith.remui %x, %d : i32
  // CHECK: return %[[Q]], %[[R]]
  return %q, %r : i32, i32
}

// CHECK-LABEL: @signed
// CHECK-SAME: %[[X:[^:]*]]: vector<4xi32>, %[[D:[^:]*]]: vector<4xi32>
func.func @signed(%x: vector<4xi32>, %d: vector<4xi32>) -> vector<4xi32> {
  // CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[D]], %{{.*}}
  // CHECK: %[[MINUS:.*]] = arith.cmpi eq, %[[D]], %{{.*}}
  // CHECK: %[[BAD:.*]] = arith.ori %[[ZERO]], %[[MINUS]]
  // CHECK: %[[SAFE:.*]] = arith.select %[[BAD]], %{{.*}}, %[[D]]
  // CHECK: %[[Q0:.*]] = arith.divsi %[[X]], %[[SAFE]]
  // CHECK: %[[NEGATIVE:.*]] = arith.subi %{{.*}}, %[[X]]
  // CHECK: %[[Q1:.*]] = arith.select %[[MINUS]], %[[NEGATIVE]], %[[Q0]]
  // CHECK: %[[Q:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[Q1]]
  // CHECK: return %[[Q]]
  %q = arith.divsi %x, %d : vector<4xi32>
  return %q : vector<4xi32>
}

// CHECK-LABEL: @shift
// CHECK-SAME: %[[X:[^:]*]]: i64, %[[N:[^:]*]]: i64
func.func @shift(%x: i64, %n: i64) -> (i64, i64) {
  // CHECK: %[[IN:.*]] = arith.cmpi ult, %[[N]], %c64_i64
  // CHECK: %[[BY:.*]] = arith.select %[[IN]], %[[N]], %c63_i64
  // CHECK: %[[L0:.*]] = arith.shli %[[X]], %[[BY]]
  // CHECK: %[[L:.*]] = arith.select %[[IN]], %[[L0]], %c0_i64
  %l = arith.shli %x, %n : i64
  // CHECK: %[[R:.*]] = arith.shrsi %[[X]], %{{.*}}
  %r = arith.shrsi %x, %n : i64
  // CHECK: return %[[L]], %[[R]]
  return %l, %r : i64, i64
}

// What cannot go wrong stays as it is.
// CHECK-LABEL: @known
func.func @known(%x: i32) -> (i32, i32) {
  // CHECK-NOT: arith.select
  %c3 = arith.constant 3 : i32
  %q = arith.divsi %x, %c3 : i32
  %s = arith.shli %x, %c3 : i32
  return %q, %s : i32, i32
}

// CHECK-LABEL: @convert
func.func @convert(%x: f32, %y: f16) -> (i64, i32) {
  // CHECK: %[[A:.*]] = llvm.call_intrinsic "llvm.fptosi.sat"(%{{.*}}) : (f32) -> i64
  %a = arith.fptosi %x : f32 to i64
  // CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
  // CHECK: %[[B:.*]] = llvm.call_intrinsic "llvm.fptoui.sat"(%[[WIDE]]) : (f32) -> i32
  %b = arith.fptoui %y : f16 to i32
  // CHECK: return %[[A]], %[[B]]
  return %a, %b : i64, i32
}
