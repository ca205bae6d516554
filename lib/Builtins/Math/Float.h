//===- Float.h - Bits of floating-point numbers ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every file of this library needs from a C library and does not have:
// bit casts, classification, and the sign and magnitude of a number.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_BUILTINS_MATH_FLOAT_H
#define AIKERNEL_BUILTINS_MATH_FLOAT_H

#include <stdint.h>

#define AIK_INFINITY __builtin_inf()
#define AIK_NAN __builtin_nan("")

#define AIK_SIGN_BIT (UINT64_C(1) << 63)
#define AIK_INFINITY_BITS (UINT64_C(0x7ff) << 52)
#define AIK_FRACTION_MASK ((UINT64_C(1) << 52) - 1)

static inline uint64_t bitsOf(double x) {
  return __builtin_bit_cast(uint64_t, x);
}
static inline double fromBits(uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}
static inline uint32_t bitsOfSingle(float x) {
  return __builtin_bit_cast(uint32_t, x);
}
static inline float singleFromBits(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

static inline double magnitude(double x) {
  return fromBits(bitsOf(x) & ~AIK_SIGN_BIT);
}
static inline double withSignOf(double x, double sign) {
  return fromBits((bitsOf(x) & ~AIK_SIGN_BIT) | (bitsOf(sign) & AIK_SIGN_BIT));
}
static inline int isNaN(double x) { return x != x; }
static inline int isFinite(double x) {
  return (bitsOf(x) & AIK_INFINITY_BITS) != AIK_INFINITY_BITS;
}
static inline int signBit(double x) { return (int)(bitsOf(x) >> 63); }

/// The exponent field less its bias: floor(log2 |x|) for a normal x.
static inline int exponentOf(double x) {
  return (int)((bitsOf(x) >> 52) & 0x7ff) - 1023;
}

/// 2^k for a k in the range of normal numbers, -1022 ... 1023.
static inline double powerOfTwo(int k) {
  return fromBits((uint64_t)(k + 1023) << 52);
}

/// y 2^k for y of moderate size (2^-60 ... 2^60) and any k in [-1200, 1200],
/// rounded once.
static inline double scaleByPowerOfTwo(double y, int k) {
  if (k > 900)
    return y * powerOfTwo(900) * powerOfTwo(k - 900);
  if (k < -900)
    return y * powerOfTwo(-900) * powerOfTwo(k + 900);
  return y * powerOfTwo(k);
}

/// The integer nearest to x, ties to even, for |x| < 2^51.
static inline double nearestInteger(double x) {
  const double shift = 0x1.8p52;
  return (x + shift) - shift;
}

#endif // AIKERNEL_BUILTINS_MATH_FLOAT_H
