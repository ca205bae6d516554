//===- Fma.c - fma and fmaf, rounded once ---------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x86-64 before FMA3 has no instruction for these. fma works on integers: the
// exact product and the addend are aligned in 128 bits, where bits that fall
// off the end are remembered in the last one, and the sum is rounded once.
//
//===----------------------------------------------------------------------===//

#include "Math.h"

/// significand 2^exponent, with the leading bit of the significand at TopBit:
/// a sum of two of them leaves two bits free.
typedef struct Aligned {
  unsigned __int128 significand;
  int exponent;
} Aligned;
enum { TopBit = 124 };

static int leadingZeros(unsigned __int128 value) {
  uint64_t high = (uint64_t)(value >> 64);
  return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)value);
}

static Aligned align(unsigned __int128 significand, int exponent) {
  int shift = leadingZeros(significand) - (127 - TopBit);
  return (Aligned){significand << shift, exponent - shift};
}

/// A finite non-zero double as integer times a power of two.
static uint64_t decompose(double x, int *exponent) {
  uint64_t bits = bitsOf(x) & ~AIK_SIGN_BIT;
  uint64_t fraction = bits & AIK_FRACTION_MASK;
  int field = (int)(bits >> 52);
  *exponent = (field ? field : 1) - 1075;
  return field ? fraction | (UINT64_C(1) << 52) : fraction;
}

/// value >> shift, with the last bit set if any bit was lost.
static unsigned __int128 shiftSticky(unsigned __int128 value, int shift) {
  if (shift == 0)
    return value;
  if (shift > 127)
    return value != 0;
  return value >> shift | ((value << (128 - shift)) != 0);
}

/// significand 2^exponent rounded to nearest even, for a non-zero significand.
static double roundOnce(unsigned __int128 significand, int exponent) {
  const int leastExponent = -1074;
  int drop = 127 - leadingZeros(significand) - 52;
  if (drop < leastExponent - exponent)
    drop = leastExponent - exponent;
  uint64_t kept;
  if (drop <= 0) {
    kept = (uint64_t)significand << -drop;
  } else {
    // Keep two bits more than the result has: the half and the sticky bit.
    uint64_t tail = (uint64_t)shiftSticky(significand << 2, drop);
    kept = tail >> 2;
    unsigned rest = tail & 3;
    kept += rest > 2 || (rest == 2 && (kept & 1));
  }
  exponent += drop;
  if (kept < UINT64_C(1) << 52) // subnormal: the exponent is the least one
    return fromBits(kept);
  // The leading bit of `kept` adds one to the exponent field, and a carry to
  // 2^53 adds another.
  int field = exponent + 1075;
  if (field > 2046)
    return AIK_INFINITY;
  uint64_t bits = ((uint64_t)(field - 1) << 52) + kept;
  return bits >= AIK_INFINITY_BITS ? AIK_INFINITY : fromBits(bits);
}

double fma(double x, double y, double z) {
  if (!isFinite(x) || !isFinite(y) || x == 0 || y == 0)
    return x * y + z;
  if (!isFinite(z)) // x * y may overflow, but is finite
    return z + z;
  if (z == 0)
    return x * y;
  int xExponent, yExponent, zExponent;
  unsigned __int128 product = decompose(x, &xExponent);
  product *= decompose(y, &yExponent);
  uint64_t addend = decompose(z, &zExponent);
  Aligned larger = align(product, xExponent + yExponent);
  Aligned smaller = align(addend, zExponent);
  int largerNegative = signBit(x) ^ signBit(y);
  int smallerNegative = signBit(z);
  if (larger.exponent < smaller.exponent ||
      (larger.exponent == smaller.exponent &&
       larger.significand < smaller.significand)) {
    Aligned swap = larger;
    larger = smaller;
    smaller = swap;
    int negative = largerNegative;
    largerNegative = smallerNegative;
    smallerNegative = negative;
  }
  unsigned __int128 sum =
      shiftSticky(smaller.significand, larger.exponent - smaller.exponent);
  sum = largerNegative == smallerNegative ? larger.significand + sum
                                          : larger.significand - sum;
  if (sum == 0)
    return 0;
  double result = roundOnce(sum, larger.exponent);
  return largerNegative ? -result : result;
}

/// The product of two floats is exact as a double. Rounding the sum to odd
/// keeps enough to round it once more to float without a double rounding.
float fmaf(float x, float y, float z) {
  double product = (double)x * y;
  DoubleDouble sum = addExact(product, z);
  if (isFinite(sum.hi) && sum.lo != 0 && (bitsOf(sum.hi) & 1) == 0) {
    int away = (sum.lo > 0) == (sum.hi > 0);
    sum.hi = fromBits(away ? bitsOf(sum.hi) + 1 : bitsOf(sum.hi) - 1);
  }
  return (float)sum.hi;
}
