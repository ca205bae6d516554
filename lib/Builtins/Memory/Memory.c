//===- Memory.c - memcpy, memmove, memset, memcmp -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of 64 bytes, then words of 8, then bytes. LLVM must not recognise the
// loops as what they are and call the function from itself: the whole library
// is compiled with -fno-builtin, and these functions keep that attribute in the
// shipped bitcode. Unaligned words are read and written through a packed type,
// which becomes one instruction on both architectures.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t value;
} __attribute__((packed, may_alias)) Word;

/// A block as vectors: four registers of 16 bytes on both baselines.
typedef uint64_t Vector __attribute__((vector_size(16), aligned(1), may_alias));
enum { VectorsPerBlock = 4, BlockSize = 64 };

/// Loads a whole block before it stores any of it, so that an overlapping
/// move may go through here as well.
static inline void copyBlock(unsigned char *to, const unsigned char *from) {
  const Vector *source = (const Vector *)from;
  Vector *target = (Vector *)to;
  Vector a = source[0], b = source[1], c = source[2], d = source[3];
  target[0] = a;
  target[1] = b;
  target[2] = c;
  target[3] = d;
}

static inline uint64_t load(const unsigned char *from) {
  return ((const Word *)from)->value;
}
static inline void store(unsigned char *to, uint64_t value) {
  ((Word *)to)->value = value;
}

static void copyForward(unsigned char *to, const unsigned char *from,
                        size_t count) {
  for (; count >= BlockSize; count -= BlockSize) {
    copyBlock(to, from);
    to += BlockSize;
    from += BlockSize;
  }
  for (; count >= 8; count -= 8) {
    store(to, load(from));
    to += 8;
    from += 8;
  }
  for (; count; --count)
    *to++ = *from++;
}

static void copyBackward(unsigned char *to, const unsigned char *from,
                         size_t count) {
  for (; count >= BlockSize; count -= BlockSize)
    copyBlock(to + count - BlockSize, from + count - BlockSize);
  for (; count >= 8; count -= 8)
    store(to + count - 8, load(from + count - 8));
  for (; count; --count)
    to[count - 1] = from[count - 1];
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  copyForward(to, from, count);
  return to;
}

void *memmove(void *to, const void *from, size_t count) {
  // Forward is right unless `to` starts inside the source.
  if ((uintptr_t)to - (uintptr_t)from >= count)
    copyForward(to, from, count);
  else
    copyBackward(to, from, count);
  return to;
}

void *memset(void *to, int byte, size_t count) {
  unsigned char *next = to;
  uint64_t word = (unsigned char)byte * UINT64_C(0x0101010101010101);
  Vector pattern = {word, word};
  for (; count >= BlockSize; count -= BlockSize) {
    for (int i = 0; i < VectorsPerBlock; ++i)
      ((Vector *)next)[i] = pattern;
    next += BlockSize;
  }
  for (; count >= 8; count -= 8) {
    store(next, word);
    next += 8;
  }
  for (; count; --count)
    *next++ = (unsigned char)byte;
  return to;
}

int memcmp(const void *left, const void *right, size_t count) {
  const unsigned char *a = left, *b = right;
  for (; count >= 8 && load(a) == load(b); count -= 8) {
    a += 8;
    b += 8;
  }
  for (; count; --count, ++a, ++b)
    if (*a != *b)
      return *a - *b;
  return 0;
}
