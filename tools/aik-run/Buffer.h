//===- Buffer.h - Memory for inputs and outputs ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every tensor that aik-run hands to a function lives in a Buffer. A plain one
// is aligned heap memory. A guarded one ends exactly at an unmapped page and
// has canary bytes before it. All buffers of a run draw on one MemoryBudget,
// so that no size from a file or an option is allocated without a cap.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_BUFFER_H
#define AIK_RUN_BUFFER_H

#include "Error.h"

#include <cstdint>

namespace aikrun {

class MemoryBudget {
public:
  /// 0: three quarters of the machine's memory.
  explicit MemoryBudget(uint64_t limit);
  Error take(uint64_t bytes);
  void giveBack(uint64_t bytes) { used -= bytes; }
  uint64_t limit() const { return cap; }

private:
  uint64_t cap;
  uint64_t used = 0;
};

class Buffer {
public:
  Buffer() = default;
  Buffer(Buffer &&other) noexcept { swap(other); }
  Buffer &operator=(Buffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();

  /// Zeroed memory. The budget must outlive the buffer.
  static Error allocate(uint64_t bytes, bool guarded, MemoryBudget &budget,
                        Buffer &out);

  uint8_t *data() const { return start; }
  uint64_t size() const { return bytes; }

  /// True when the bytes before a guarded buffer are as they were; otherwise
  /// `distance` says how far before the buffer the damage begins.
  bool canaryIntact(uint64_t &distance) const;

  /// True when the bytes between a guarded buffer and the unmapped page are as
  /// they were; usually there are none.
  bool slackIntact() const;

  /// True when `address` lies in the unmapped pages around a guarded buffer.
  bool guards(const void *address) const;

private:
  void swap(Buffer &other);

  uint8_t *start = nullptr;
  uint64_t bytes = 0;
  uint8_t *mapping = nullptr; // null: heap memory
  uint64_t mappedBytes = 0;
  MemoryBudget *owner = nullptr;
};

} // namespace aikrun

#endif // AIK_RUN_BUFFER_H
