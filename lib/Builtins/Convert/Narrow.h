//===- Narrow.h - f64 to and from every narrow float format ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One algorithm for all formats with a sign, exponent and fraction field: f16,
// bf16, f8E5M2, and f8E4M3FN, which has no infinity and one NaN. Every format
// here has numbers that f64 holds exactly, so widening is exact and narrowing
// from f64 rounds once.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_BUILTINS_CONVERT_NARROW_H
#define AIKERNEL_BUILTINS_CONVERT_NARROW_H

#include "../Math/Float.h"

typedef struct NarrowFormat {
  int exponentBits;
  int fractionBits;
  /// True for IEEE-like formats; else the largest exponent holds numbers, all
  /// ones is the NaN, and what is too large becomes NaN.
  int hasInfinity;
} NarrowFormat;

static const NarrowFormat halfFormat = {5, 10, 1};
static const NarrowFormat bfloatFormat = {8, 7, 1};
static const NarrowFormat f8E5M2Format = {5, 2, 1};
static const NarrowFormat f8E4M3FNFormat = {4, 3, 0};

/// The bits of x in the format, rounded to nearest even.
static inline uint32_t narrow(double x, NarrowFormat format) {
  int fractionBits = format.fractionBits;
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint32_t topExponent = (1u << format.exponentBits) - 1;
  uint32_t infinity = topExponent << fractionBits;
  uint32_t allOnes = infinity | ((1u << fractionBits) - 1);
  uint64_t bits = bitsOf(x);
  uint32_t sign = (uint32_t)(bits >> 63)
                  << (format.exponentBits + fractionBits);
  bits &= ~AIK_SIGN_BIT;
  if (bits > AIK_INFINITY_BITS) {
    uint32_t payload =
        (uint32_t)((bits & AIK_FRACTION_MASK) >> (52 - fractionBits));
    uint32_t quiet = 1u << (fractionBits - 1);
    return sign | (format.hasInfinity ? infinity | payload | quiet : allOnes);
  }
  uint32_t tooLarge = format.hasInfinity ? infinity : allOnes;
  int exponent = (int)(bits >> 52) - 1023 + bias;
  if (exponent > (int)topExponent)
    return sign | tooLarge;

  // Of the significand, `drop` bits do not fit; below the normal range one
  // more for each step of the exponent, and past 54 nothing is left at all.
  uint64_t significand = (bits & AIK_FRACTION_MASK) | (UINT64_C(1) << 52);
  int drop = 52 - fractionBits;
  if (exponent < 1) {
    drop += 1 - exponent;
    exponent = 1;
    if (drop > 54)
      return sign; // also every subnormal f64
  }
  uint64_t kept = significand >> drop;
  uint64_t rest = significand & ((UINT64_C(1) << drop) - 1);
  uint64_t half = UINT64_C(1) << (drop - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // The leading bit of a normal `kept` adds one to the exponent field, and so
  // does a carry out of the rounding.
  uint32_t result = ((uint32_t)(exponent - 1) << fractionBits) + (uint32_t)kept;
  return sign | (result < tooLarge ? result : tooLarge);
}

/// The number that the bits of the format stand for. All cases are computed
/// and one is chosen, so that a loop over elements becomes vector code.
static inline double widen(uint32_t bits, NarrowFormat format) {
  int fractionBits = format.fractionBits;
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint32_t signBit = 1u << (format.exponentBits + fractionBits);
  uint32_t size = bits & (signBit - 1);
  uint32_t leastNormal = 1u << fractionBits;
  uint32_t infinity = signBit - leastNormal;
  uint64_t sign = (uint64_t)(bits & signBit)
                  << (63 - format.exponentBits - fractionBits);
  uint64_t shifted = (uint64_t)size << (52 - fractionBits);
  uint64_t normal = shifted + ((uint64_t)(1023 - bias) << 52);
  uint64_t subnormal =
      bitsOf((double)(int32_t)size * powerOfTwo(1 - bias - fractionBits));
  uint64_t wide = size < leastNormal ? subnormal : normal;
  uint64_t quiet = UINT64_C(1) << 51;
  if (format.hasInfinity) {
    uint64_t special = shifted | AIK_INFINITY_BITS;
    wide = size > infinity    ? special | quiet
           : size == infinity ? special
                              : wide;
  } else {
    wide = size == signBit - 1 ? AIK_INFINITY_BITS | quiet : wide;
  }
  return fromBits(sign | wide);
}

#endif // AIKERNEL_BUILTINS_CONVERT_NARROW_H
