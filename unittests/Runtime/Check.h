//===- Check.h - The little that our unit tests need ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test is a function and a line in main: `run("name", test)`. CHECKs that
// fail are printed with file, line and values; `finish` prints the one summary
// line and gives the exit status.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_UNITTESTS_RUNTIME_CHECK_H
#define AIKERNEL_UNITTESTS_RUNTIME_CHECK_H

#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

namespace aiktest {

struct Counts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  bool currentFailed = false;
};

inline Counts &counts() {
  static Counts all;
  return all;
}

inline void report(const char *file, int line, const std::string &what) {
  const char *base = strrchr(file, '/');
  std::printf("  %s:%d: %s\n", base ? base + 1 : file, line, what.c_str());
  counts().currentFailed = true;
}

template <typename T>
std::string show(const T &value) {
  if constexpr (std::is_enum_v<T>)
    return std::to_string((long long)value);
  else if constexpr (std::is_arithmetic_v<T>)
    return std::to_string(value);
  else
    return std::string(value);
}

template <typename A, typename B>
void equal(const char *file, int line, const char *texts, const A &a,
           const B &b) {
  bool same;
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
    same = (long long)a == (long long)b;
  else if constexpr (std::is_arithmetic_v<A>)
    same = a == b;
  else
    same = std::string(a) == std::string(b);
  if (!same)
    report(file, line,
           std::string(texts) + ": " + show(a) + " is not " + show(b));
}

inline void run(const char *name, void (*test)()) {
  counts().currentFailed = false;
  test();
  bool failed = counts().currentFailed;
  ++(failed ? counts().failed : counts().passed);
  if (failed)
    std::printf("FAIL %s\n", name);
}

inline void skip(const char *name, const char *why) {
  ++counts().skipped;
  std::printf("SKIP %s: %s\n", name, why);
}

inline int finish() {
  std::printf("%d passed, %d failed", counts().passed, counts().failed);
  if (counts().skipped)
    std::printf(", %d skipped", counts().skipped);
  std::printf("\n");
  return counts().failed ? 1 : 0;
}

} // namespace aiktest

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ::aiktest::report(__FILE__, __LINE__, "not true: " #condition);          \
  } while (0)

#define CHECK_EQ(a, b) ::aiktest::equal(__FILE__, __LINE__, #a " == " #b, a, b)

/// The last sentence of this thread contains `part`.
#define CHECK_SAYS(part)                                                       \
  do {                                                                         \
    if (!strstr(aik_fault_message(), part))                                    \
      ::aiktest::report(__FILE__, __LINE__,                                    \
                        std::string("'") + aik_fault_message() +               \
                            "' does not say '" + (part) + "'");                \
  } while (0)

#endif // AIKERNEL_UNITTESTS_RUNTIME_CHECK_H
