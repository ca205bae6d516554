//===- MemoryTest.cpp - memcpy, memmove, memset, memcmp at every edge -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers end at an unmapped page, so that touching one byte too many is a
// crash; bytes around the target must stay as they were.
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "Harness.h"

#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace harness;

namespace {

/// Memory whose end is followed by an unmapped page.
unsigned char *guarded(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t whole = (size + page - 1) / page * page;
  void *base = mmap(nullptr, whole + page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect((char *)base + whole, page, PROT_NONE);
  return (unsigned char *)base + whole - size;
}

constexpr size_t capacity = 1024;

void fill(unsigned char *bytes, Random &random) {
  for (size_t i = 0; i < capacity; ++i)
    bytes[i] = (unsigned char)random.bits();
}

/// Sizes around the word, the block and a few blocks.
const size_t sizes[] = {0,  1,  2,  3,  7,  8,   9,   15,  16,  17,  31, 33,
                        63, 64, 65, 71, 72, 127, 128, 129, 191, 200, 263};

void testCopy(unsigned char *source, unsigned char *target, Random &random) {
  for (size_t size : sizes)
    for (size_t shift = 0; shift < 17; ++shift) {
      fill(source, random);
      fill(target, random);
      std::vector<unsigned char> expected(target, target + capacity);
      // Both ends touch the unmapped page once (shift 0).
      size_t at = capacity - size - shift, from = capacity - size - shift / 2;
      for (size_t i = 0; i < size; ++i)
        expected[at + i] = source[from + i];
      void *result = aikb_memcpy(target + at, source + from, size);
      check(result == target + at &&
                std::memcmp(expected.data(), target, capacity) == 0,
            "memcpy of %zu bytes, shift %zu", size, shift);
    }
}

void testMove(unsigned char *buffer, Random &random) {
  for (size_t size : sizes)
    for (long distance = -80; distance <= 80; distance += 5) {
      fill(buffer, random);
      size_t from = capacity - 90 - size, to = from + (size_t)distance;
      std::vector<unsigned char> expected(buffer, buffer + capacity);
      std::memmove(expected.data() + to, expected.data() + from, size);
      void *result = aikb_memmove(buffer + to, buffer + from, size);
      check(result == buffer + to &&
                std::memcmp(expected.data(), buffer, capacity) == 0,
            "memmove of %zu bytes by %ld", size, distance);
    }
}

void testSet(unsigned char *buffer, Random &random) {
  for (size_t size : sizes)
    for (size_t shift = 0; shift < 17; ++shift) {
      fill(buffer, random);
      std::vector<unsigned char> expected(buffer, buffer + capacity);
      size_t at = capacity - size - shift;
      int byte = (int)random.below(1000) - 500; // only the low byte counts
      std::memset(expected.data() + at, byte, size);
      void *result = aikb_memset(buffer + at, byte, size);
      check(result == buffer + at &&
                std::memcmp(expected.data(), buffer, capacity) == 0,
            "memset of %zu bytes, shift %zu", size, shift);
    }
}

int sign(int x) { return (x > 0) - (x < 0); }

void testCompare(unsigned char *a, unsigned char *b, Random &random) {
  for (size_t size : sizes)
    for (int round = 0; round < 20; ++round) {
      fill(a, random);
      std::memcpy(b, a, capacity);
      size_t at = capacity - size;
      if (size && round)
        b[at + (size_t)random.below((int64_t)size)] ^= 1u << random.below(8);
      check(sign(aikb_memcmp(a + at, b + at, size)) ==
                sign(std::memcmp(a + at, b + at, size)),
            "memcmp of %zu bytes", size);
    }
}

} // namespace

int main() {
  Random random(1);
  unsigned char *a = guarded(capacity), *b = guarded(capacity);
  testCopy(a, b, random);
  testMove(a, random);
  testSet(a, random);
  testCompare(a, b, random);
  return summary();
}
