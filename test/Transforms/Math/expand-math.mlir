// RUN: aik-opt %s -aik-expand-math -split-input-file | FileCheck %s
// RUN: aik-opt %s -aik-expand-math=has-fma=false -split-input-file | FileCheck %s --check-prefix=NOFMA

// CHECK-LABEL: func @exp(
// CHECK-NOT: math.exp
// CHECK-COUNT-7: math.fma {{.*}} : vector<4xf32>
// CHECK: arith.shrsi {{.*}} : vector<4xi32>
// CHECK: return {{.*}} : vector<4xf32>
// NOFMA-LABEL: func @exp(
// NOFMA-NOT: math.
// NOFMA-NOT: f64
// NOFMA: return
func.func @exp(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.exp %x : vector<4xf32>
  return %y : vector<4xf32>
}

// -----

// Scalable vectors, and vectors of any rank.
// CHECK-LABEL: func @shapes(
// CHECK: arith.divf {{.*}} : vector<[4]xf32>
// CHECK: math.copysign {{.*}} : vector<[4]xf32>
// CHECK-NOT: math.erf
// CHECK: math.copysign {{.*}} : vector<2x8xf32>
func.func @shapes(%x: vector<[4]xf32>, %y: vector<2x8xf32>) -> (vector<[4]xf32>, vector<2x8xf32>) {
  %a = math.tanh %x : vector<[4]xf32>
  %b = math.erf %y : vector<2x8xf32>
  return %a, %b : vector<[4]xf32>, vector<2x8xf32>
}

// -----

// Half types are computed in f32 and rounded once.
// CHECK-LABEL: func @narrow(
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: math.sqrt %[[WIDE]] : f32
// CHECK: %[[RESULT:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK: return %[[RESULT]]
func.func @narrow(%x: bf16) -> bf16 {
  %y = math.rsqrt %x : bf16
  return %y : bf16
}

// -----

// Below zero one bound is enough, and one factor scales, exactly: it may be part
// of a sum.
// CHECK-LABEL: func @exp_at_most_zero(
// CHECK: arith.cmpf olt
// CHECK-NOT: arith.cmpf
// CHECK-COUNT-7: math.fma
// CHECK-NOT: arith.shrsi
// CHECK: arith.shli
// CHECK-NOT: arith.addi
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK: return
func.func @exp_at_most_zero(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.exp %x {aikernel.at_most_zero} : vector<4xf32>
  return %y : vector<4xf32>
}
// In range there is no bound.
// CHECK-LABEL: func @in_range(
// CHECK-NOT: arith.cmpf
// CHECK-COUNT-8: math.fma
// CHECK-NOT: arith.cmpf
// CHECK: return
func.func @in_range(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.exp %x {aikernel.in_range} : vector<4xf32>
  return %y : vector<4xf32>
}

// -----

// What is rounded to 16 bits later has shorter polynomials.
// CHECK-LABEL: func @rough(
// CHECK-COUNT-3: math.fma
// CHECK-NOT: math.fma
// CHECK: return
func.func @rough(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.exp2 %x fastmath<afn> {aikernel.in_range} : vector<4xf32>
  return %y : vector<4xf32>
}

// -----

// AArch64 has instructions that take the larger number and keep NaN.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func @bounds(
  // CHECK: arith.maximumf
  // CHECK: arith.minimumf
  // CHECK-NOT: arith.cmpf
  // CHECK: return
  func.func @bounds(%x: vector<4xf32>) -> vector<4xf32> {
    %y = math.exp %x : vector<4xf32>
    return %y : vector<4xf32>
  }
}

// -----

// f64 and tensors stay.
// CHECK-LABEL: func @untouched(
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.log %{{.*}} : tensor<4xf32>
// CHECK: math.sqrt %{{.*}} : f32
func.func @untouched(%x: f64, %t: tensor<4xf32>, %y: f32) -> (f64, tensor<4xf32>, f32) {
  %a = math.exp %x : f64
  %b = math.log %t : tensor<4xf32>
  %c = math.sqrt %y : f32
  return %a, %b, %c : f64, tensor<4xf32>, f32
}

// -----

// Without the instruction, a product that must not round goes through f64.
// CHECK-LABEL: func @fma(
// CHECK: math.fma
// NOFMA-LABEL: func @fma(
// NOFMA-NOT: math.fma
// NOFMA: arith.mulf %{{.*}}, %{{.*}} : f64
// NOFMA: arith.addf %{{.*}}, %{{.*}} : f64
// NOFMA: arith.truncf %{{.*}} : f64 to f32
func.func @fma(%x: f32, %y: f32, %z: f32) -> f32 {
  %r = math.fma %x, %y, %z : f32
  return %r : f32
}

// -----

// The angle is reduced in integers.
// CHECK-LABEL: func @trig(
// CHECK-NOT: math.sin
// CHECK-NOT: math.cos
// CHECK: arith.muli {{.*}} : i64
// CHECK: return
func.func @trig(%x: f32) -> (f32, f32) {
  %s = math.sin %x : f32
  %c = math.cos %x : f32
  return %s, %c : f32, f32
}

// -----

// CHECK-LABEL: func @narrow_exp(
// CHECK-COUNT-6: math.fma
// CHECK-NOT: math.fma
// CHECK: return
func.func @narrow_exp(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.exp %x {aikernel.at_most_zero, aikernel.narrow} : vector<4xf32>
  return %y : vector<4xf32>
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx2,+fma,+avx512f", vector_bits = 512>} {
  // A quotient that may be rough is a product with what the machine takes for
  // the reciprocal, 16 numbers at a time; others are divided.
  // CHECK-LABEL: func @quotient(
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.rcp14.ps.512"
  // CHECK: arith.divf {{.*}} : vector<32xf32>
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK: arith.divf {{.*}} : f32
  // CHECK: arith.divf {{.*}} : vector<8xf32>
  func.func @quotient(%x: vector<32xf32>, %y: vector<32xf32>, %a: f32, %b: vector<8xf32>) -> (vector<32xf32>, vector<32xf32>, f32, vector<8xf32>) {
    %p = arith.divf %x, %y fastmath<afn> : vector<32xf32>
    %q = arith.divf %x, %y : vector<32xf32>
    %r = arith.divf %a, %a fastmath<afn> : f32
    %s = arith.divf %b, %b fastmath<afn> : vector<8xf32>
    return %p, %q, %r, %s : vector<32xf32>, vector<32xf32>, f32, vector<8xf32>
  }
  // The maximum of x86 gives its second operand where one is NaN.
  // CHECK-LABEL: func @maximum(
  // CHECK-SAME: %[[ACC:[^:]*]]: vector<16xf32>, %[[X:[^:]*]]: vector<16xf32>
  // CHECK: %[[LARGER:.*]] = arith.cmpf ogt, %[[X]], %[[ACC]]
  // CHECK: arith.select %[[LARGER]], %[[X]], %[[ACC]]
  // CHECK: arith.maximumf
  func.func @maximum(%acc: vector<16xf32>, %x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
    %p = arith.maximumf %acc, %x {aikernel.may_drop_nan} : vector<16xf32>
    %q = arith.maximumf %acc, %x : vector<16xf32>
    return %p, %q : vector<16xf32>, vector<16xf32>
  }
}

// -----

module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // The reciprocal of NEON takes a step of Newton, four numbers at a time.
  // CHECK-LABEL: func @neon(
  // CHECK-SAME: %{{[^:]*}}: vector<16xf32>, %[[Y:[^:]*]]: vector<16xf32>
  // CHECK: %[[PART:.*]] = vector.extract_strided_slice %[[Y]] {offsets = [0], sizes = [4]
  // CHECK: %[[FIRST:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.frecpe.v4f32"(%[[PART]])
  // CHECK: %[[STEP:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.frecps.v4f32"(%[[PART]], %[[FIRST]])
  // CHECK: arith.mulf %[[FIRST]], %[[STEP]]
  // CHECK-COUNT-3: llvm.call_intrinsic "llvm.aarch64.neon.frecps.v4f32"
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK: arith.divf {{.*}} : vector<16xf32>
  // CHECK: arith.divf {{.*}} : vector<6xf32>
  // CHECK: arith.maximumf
  func.func @neon(%x: vector<16xf32>, %y: vector<16xf32>, %a: vector<6xf32>) -> (vector<16xf32>, vector<16xf32>, vector<6xf32>, vector<16xf32>) {
    %p = arith.divf %x, %y fastmath<afn> : vector<16xf32>
    %q = arith.divf %x, %y : vector<16xf32>
    %r = arith.divf %a, %a fastmath<afn> : vector<6xf32>
    %s = arith.maximumf %x, %y {aikernel.may_drop_nan} : vector<16xf32>
    return %p, %q, %r, %s : vector<16xf32>, vector<16xf32>, vector<6xf32>, vector<16xf32>
  }
  // Polynomials go term after term: 1 + r (1 + r (...)).
  // CHECK-LABEL: func @neon_in_range(
  // CHECK-COUNT-9: math.fma
  // CHECK-NOT: math.fma
  // CHECK-COUNT-1: arith.mulf
  // CHECK-NOT: arith.mulf
  // CHECK: return
  func.func @neon_in_range(%x: vector<4xf32>) -> vector<4xf32> {
    %y = math.exp %x {aikernel.in_range} : vector<4xf32>
    return %y : vector<4xf32>
  }
}
