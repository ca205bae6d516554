//===- Mutator.cpp - Damages bytes in a repeatable way --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bit flips, boundary values of four and eight bytes, copies from elsewhere in
// the file, and pieces cut out or put in.
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

#include <algorithm>
#include <cstring>

namespace aikfuzz {
namespace {

const uint64_t boundaries[] = {0,
                               1,
                               2,
                               7,
                               8,
                               9,
                               0x7f,
                               0x80,
                               0xff,
                               0x100,
                               0x7fff,
                               0x8000,
                               0xffff,
                               0x10000,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               0x100000000,
                               0x7fffffffffffffff,
                               0x8000000000000000,
                               0xffffffffffffffff,
                               0xfffffffffffffff8,
                               uint64_t(1) << 48,
                               uint64_t(1) << 61};

/// Writes `size` bytes of `value` at `at`, as far as there is room.
void put(Bytes &bytes, uint64_t at, uint64_t value, uint64_t size) {
  for (uint64_t i = 0; i < size && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

void changeInPlace(Random &random, Bytes &bytes, uint64_t begin, uint64_t end) {
  uint64_t at = begin + random.below(end - begin);
  uint64_t size = random.oneIn(2) ? 4 : 8;
  switch (random.below(6)) {
  case 0:
    bytes[at] ^= static_cast<uint8_t>(1u << random.below(8));
    break;
  case 1:
    bytes[at] = static_cast<uint8_t>(random.next());
    break;
  case 2: // fields are aligned
  case 3:
    at = at / 4 * 4;
    if (at >= begin && at + size <= end)
      put(bytes, at,
          boundaries[random.below(sizeof boundaries / sizeof *boundaries)],
          size);
    break;
  case 4: { // a small step up or down of a field
    at = at / 4 * 4;
    if (at < begin || at + 4 > end)
      break;
    uint32_t field;
    std::memcpy(&field, &bytes[at], 4);
    put(bytes, at, field + random.below(9) - 4, 4);
    break;
  }
  case 5: { // one place copied over another
    uint64_t count = std::min<uint64_t>(1 + random.below(64), end - at);
    uint64_t from = begin + random.below(end - begin - count + 1);
    std::memmove(&bytes[at], &bytes[from], count);
    break;
  }
  }
}

} // namespace

uint64_t Random::next() {
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void mutate(Random &random, Bytes &bytes, uint64_t begin, uint64_t end,
            bool keepSize) {
  uint64_t changes = 1 + random.below(random.oneIn(3) ? 8 : 2);
  for (uint64_t i = 0; i < changes && begin < end; ++i) {
    if (keepSize || !random.oneIn(4)) {
      changeInPlace(random, bytes, begin, end);
      continue;
    }
    uint64_t at = begin + random.below(end - begin);
    uint64_t count = 1 + random.below(random.oneIn(2) ? 16 : end - begin);
    auto where = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random.below(3)) {
    case 0: // cut the rest off
      bytes.resize(at);
      end = at;
      break;
    case 1: // cut a piece out
      count = std::min(count, end - at);
      bytes.erase(where, where + static_cast<std::ptrdiff_t>(count));
      end -= count;
      break;
    case 2: // put a piece in
      count = std::min<uint64_t>(count, 4096);
      bytes.insert(where, count, static_cast<uint8_t>(random.next()));
      end += count;
      break;
    }
  }
}

void mutateText(Random &random, Bytes &bytes,
                const std::vector<const char *> &words) {
  uint64_t changes = 1 + random.below(4);
  for (uint64_t i = 0; i < changes; ++i) {
    const char *word = words[random.below(words.size())];
    uint64_t length = std::strlen(word), at = random.below(bytes.size() + 1);
    if (random.oneIn(2))
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), word,
                   word + length);
    else
      for (uint64_t j = 0; j < length && at + j < bytes.size(); ++j)
        bytes[at + j] = static_cast<uint8_t>(word[j]);
  }
}

} // namespace aikfuzz
