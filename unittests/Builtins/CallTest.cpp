//===- CallTest.cpp - Calls that LLVM makes on its own arrive -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs AbiProbe.c, whose conversions, roundings and copies LLVM turns into
// calls of our functions where the processor has no instruction.
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "Harness.h"

#include <vector>

using namespace harness;

extern "C" {
_Float16 aikb_halfOfFloat(float);
_Float16 aikb_halfOfDouble(double);
float aikb_floatOfHalf(_Float16);
double aikb_doubleOfHalf(_Float16);
__bf16 aikb_bfloatOfFloat(float);
__bf16 aikb_bfloatOfDouble(double);
float aikb_floatOfBfloat(__bf16);
_Float16 aikb_halfSum(_Float16, _Float16);
__bf16 aikb_bfloatProduct(__bf16, __bf16);
double aikb_floorOf(double);
float aikb_roundOf(float);
float aikb_fusedSingle(float, float, float);
double aikb_fused(double, double, double);
float aikb_expOf(float);
double aikb_powOf(double, double);
double aikb_scaled(double, int);
void aikb_copyLarge(void *, const void *);
void aikb_clearLarge(void *);
}

namespace {

uint16_t bits(_Float16 x) { return bitCast<uint16_t>(x); }
uint16_t bits(__bf16 x) { return bitCast<uint16_t>(x); }
_Float16 half(uint16_t x) { return bitCast<_Float16>(x); }
__bf16 bfloat(uint16_t x) { return bitCast<__bf16>(x); }

void testConversions() {
  // 1 + 2^-11 + 2^-40 is above the middle between two halves only as long as
  // it is not rounded to float first; likewise for bf16.
  const double halfTie = 1 + 0x1p-11 + 0x1p-40,
               bfloatTie = 1 + 0x1p-8 + 0x1p-40;
  check(bits(aikb_halfOfDouble(halfTie)) == 0x3c01, "f64 to f16 rounds once");
  check(bits(aikb_bfloatOfDouble(bfloatTie)) == 0x3f81,
        "f64 to bf16 rounds once");
  check(bits(aikb_halfOfFloat((float)halfTie)) == 0x3c00, "f32 to f16");
  check(bits(aikb_bfloatOfFloat((float)bfloatTie)) == 0x3f80, "f32 to bf16");
  check(bits(aikb_halfOfFloat(-65520)) == 0xfc00, "f32 to f16 overflows");
  check(bits(aikb_halfOfFloat(0x1p-24f)) == 1, "f32 to subnormal f16");
  check(aikb_floatOfHalf(half(0x3555)) == 0x1.554p-2f, "f16 to f32");
  check(aikb_doubleOfHalf(half(0x8001)) == -0x1p-24, "f16 to f64");
  check(aikb_floatOfBfloat(bfloat(0xc049)) == -3.140625f, "bf16 to f32");
  check(bits(aikb_halfSum(half(0x3c00), half(0x4000))) == 0x4200, "f16 sum");
  check(bits(aikb_bfloatProduct(bfloat(0x4040), bfloat(0xc000))) == 0xc0c0,
        "bf16 product");
}

void testFunctions() {
  check(aikb_floorOf(-1.5) == -2, "floor");
  check(aikb_roundOf(2.5f) == 2, "roundevenf");
  check(aikb_fusedSingle(1 + 0x1p-12f, 1 + 0x1p-12f, -1) == 0x1p-11f + 0x1p-24f,
        "fmaf is fused");
  check(aikb_fused(1 + 0x1p-30, 1 + 0x1p-30, -1) == 0x1p-29 + 0x1p-60,
        "fma is fused");
  check(aikb_expOf(1) == 0x1.5bf0a8p1f, "expf");
  check(aikb_powOf(2, 0.5) == 0x1.6a09e667f3bcdp0, "pow");
  check(aikb_scaled(3, -1075) == 0x1p-1073, "ldexp");
}

void testMemory() {
  std::vector<unsigned char> from(4096), to(4096);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = (unsigned char)(i * 7);
  aikb_copyLarge(to.data(), from.data());
  check(from == to, "memcpy");
  aikb_clearLarge(to.data());
  check(to == std::vector<unsigned char>(4096), "memset");
}

} // namespace

int main() {
  testConversions();
  testFunctions();
  testMemory();
  return summary();
}
