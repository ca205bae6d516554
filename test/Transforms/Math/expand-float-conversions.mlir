// RUN: aik-opt %s -aik-expand-float-conversions -split-input-file | FileCheck %s
// RUN: aik-opt %s -aik-expand-float-conversions=expand-f16 -split-input-file | FileCheck %s --check-prefix=F16

// CHECK-LABEL: func @bf16(
// CHECK-NOT: arith.extf
// CHECK: %[[RAW:.*]] = arith.bitcast %{{.*}} : vector<4xbf16> to vector<4xi16>
// CHECK: %[[WIDE:.*]] = arith.extui %[[RAW]] : vector<4xi16> to vector<4xi32>
// CHECK: %[[SHIFTED:.*]] = arith.shli %[[WIDE]]
// CHECK: arith.bitcast %[[SHIFTED]] : vector<4xi32> to vector<4xf32>
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci {{.*}} : vector<4xi32> to vector<4xi16>
func.func @bf16(%x: vector<4xbf16>) -> vector<4xbf16> {
  %y = arith.extf %x : vector<4xbf16> to vector<4xf32>
  %z = arith.mulf %y, %y : vector<4xf32>
  %r = arith.truncf %z : vector<4xf32> to vector<4xbf16>
  return %r : vector<4xbf16>
}

// -----

// Where an instruction rounds, it does.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64+bf16", arch = "aarch64", features = "+bf16", vector_bits = 128>} {
  // CHECK-LABEL: func @native(
  // CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
  // CHECK-NOT: arith.truncf {{.*}} f64 to bf16
  func.func @native(%x: vector<4xf32>, %w: f64) -> (vector<4xbf16>, bf16) {
    %r = arith.truncf %x : vector<4xf32> to vector<4xbf16>
    %s = arith.truncf %w : f64 to bf16
    return %r, %s : vector<4xbf16>, bf16
  }
}

// -----

// CHECK-LABEL: func @f8(
// CHECK-NOT: arith.extf
// CHECK: arith.bitcast %{{.*}} : f8E4M3FN to i8
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
func.func @f8(%x: f8E4M3FN) -> f8E5M2 {
  %y = arith.extf %x : f8E4M3FN to f32
  %z = arith.addf %y, %y : f32
  %r = arith.truncf %z : f32 to f8E5M2
  return %r : f8E5M2
}

// -----

// CHECK-LABEL: func @f16(
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// F16-LABEL: func @f16(
// F16-NOT: arith.extf
// F16-NOT: arith.truncf
// F16: return
func.func @f16(%x: f16) -> f16 {
  %y = arith.extf %x : f16 to f32
  %r = arith.truncf %y : f32 to f16
  return %r : f16
}

// -----

// From f64 the first step leaves a trace of what it cut off.
// CHECK-LABEL: func @f64(
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.cmpf one
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @f64(%x: f64) -> bf16 {
  %r = arith.truncf %x : f64 to bf16
  return %r : bf16
}

// -----

// Other conversions stay.
// CHECK-LABEL: func @untouched(
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @untouched(%x: f32) -> f32 {
  %y = arith.extf %x : f32 to f64
  %z = arith.mulf %y, %y : f64
  %r = arith.truncf %z : f64 to f32
  return %r : f32
}
