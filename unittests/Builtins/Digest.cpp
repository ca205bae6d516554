//===- Digest.cpp - One number that stands for many results ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mixes the bits of every math function's results over the same inputs into
// one number and prints it. same_bits_test.py compares the architectures.
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "Harness.h"

using namespace harness;

int main() {
  Random random(9);
  uint64_t digest = 0;
  auto mix = [&](double y) {
    uint64_t bits = std::isnan(y) ? 1 : bitsOf(y); // NaN's sign is free
    digest = digest * 0x9e3779b97f4a7c15u + bits;
    digest ^= digest >> 29;
  };
  for (int i = 0; i < 20000; ++i) {
    double x = i & 1 ? random.uniform(-30, 30) : bitCast<double>(random.bits());
    double y = random.uniform(-3, 3);
#define MIX(name)                                                              \
  mix(aikb_##name(x));                                                         \
  mix(aikb_##name##f((float)x));
    UNARY_FUNCTIONS(MIX)
    EXACT_FUNCTIONS(MIX)
#undef MIX
#define MIX(name)                                                              \
  mix(aikb_##name(std::fabs(x), y));                                           \
  mix(aikb_##name##f((float)std::fabs(x), (float)y));
    BINARY_FUNCTIONS(MIX)
    mix(aikb_fma(x, y, 0.1));
  }
  std::printf("%016" PRIx64 "\n", digest);
  return 0;
}
