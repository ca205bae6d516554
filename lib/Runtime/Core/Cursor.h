//===- Cursor.h - Bounds-checked reading of untrusted bytes ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a span of bytes from a file. What comes out: pieces of it that
// are certainly inside, or null.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_CURSOR_H
#define AIKERNEL_RUNTIME_CORE_CURSOR_H

#include <stdint.h>

namespace aik {

class Cursor {
public:
  Cursor() = default;
  Cursor(const uint8_t *bytes, uint64_t byteCount)
      : bytes(bytes), byteCount(byteCount) {}

  uint64_t position() const { return offset; }
  uint64_t remaining() const { return byteCount - offset; }

  /// The next `count` bytes, or null when fewer remain.
  const uint8_t *take(uint64_t count) {
    if (count > remaining())
      return nullptr;
    const uint8_t *piece = bytes + offset;
    offset += count;
    return piece;
  }

  /// The next `count` records; the product is checked, the bytes must be
  /// aligned for T.
  template <typename T>
  const T *takeArray(uint64_t count) {
    uint64_t wanted = 0;
    if (__builtin_mul_overflow(count, uint64_t(sizeof(T)), &wanted))
      return nullptr;
    const uint8_t *piece = take(wanted);
    if (!piece || reinterpret_cast<uintptr_t>(piece) % alignof(T) != 0)
      return nullptr;
    return reinterpret_cast<const T *>(piece);
  }

  template <typename T>
  const T *takeOne() {
    return takeArray<T>(1);
  }

  /// Skips to the next multiple of `alignment`; false when bytes are missing
  /// or one of those skipped is not zero.
  bool skipZerosTo(uint64_t alignment) {
    uint64_t gap = (alignment - offset % alignment) % alignment;
    const uint8_t *skipped = take(gap);
    if (!skipped)
      return false;
    for (uint64_t i = 0; i < gap; ++i)
      if (skipped[i] != 0)
        return false;
    return true;
  }

private:
  const uint8_t *bytes = nullptr;
  uint64_t byteCount = 0;
  uint64_t offset = 0;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_CURSOR_H
