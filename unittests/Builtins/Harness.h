//===- Harness.h - Counting checks, for programs that run under qemu too --===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test program calls check() and ends with `return summary();`. It links
// nothing but the builtins under test, whose symbols carry the prefix aikb_ so
// that they do not meet the C library's.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_UNITTESTS_BUILTINS_HARNESS_H
#define AIKERNEL_UNITTESTS_BUILTINS_HARNESS_H

#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>

namespace harness {

inline int passed = 0, failed = 0;

/// Counts a check; the first failures are printed as printf would.
__attribute__((format(printf, 2, 3))) inline bool
check(bool ok, const char *format, ...) {
  ++(ok ? passed : failed);
  if (!ok && failed <= 20) {
    std::va_list arguments;
    va_start(arguments, format);
    std::printf("FAIL: ");
    std::vprintf(format, arguments);
    std::printf("\n");
    va_end(arguments);
  }
  return ok;
}

inline int summary() {
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}

/// A small counter-based generator: the same numbers everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t bits() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * (double)(bits() >> 11) * 0x1p-53;
  }
  int64_t below(int64_t limit) { return (int64_t)(bits() % (uint64_t)limit); }

private:
  uint64_t state;
};

template <typename To, typename From>
To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

inline uint64_t bitsOf(double x) { return bitCast<uint64_t>(x); }
inline uint32_t bitsOf(float x) { return bitCast<uint32_t>(x); }

/// Equal bits, or both NaN.
template <typename T>
bool same(T a, T b) {
  return bitsOf(a) == bitsOf(b) || (std::isnan(a) && std::isnan(b));
}

} // namespace harness

#endif // AIKERNEL_UNITTESTS_BUILTINS_HARNESS_H
