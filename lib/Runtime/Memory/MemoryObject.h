//===- MemoryObject.h - What a memory handle stands for -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A range of addresses, the host's or a device's, that is freed through its
// handle and never while a queued packet names it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_MEMORY_MEMORYOBJECT_H
#define AIKERNEL_RUNTIME_MEMORY_MEMORYOBJECT_H

#include "Drivers/Driver.h"

namespace aik {

struct MemoryObject : Object {
  static constexpr ObjectKind kind = ObjectKind::Memory;
  static constexpr uint64_t maxBytes = uint64_t(1) << 46;

  explicit MemoryObject(Runtime &runtime) : runtime(runtime) {}

  /// The allocation that holds `address`, pinned, or null.
  static MemoryObject *find(Runtime &runtime, uint64_t address);

  virtual void describe(aik_memory_info &out) const;
  /// Copies from or to host memory; the caller has checked the range.
  virtual int32_t write(uint64_t offset, const void *source, uint64_t bytes);
  virtual int32_t read(uint64_t offset, void *destination, uint64_t bytes);
  /// Makes it visible to a device; -EEXIST when it is already.
  virtual int32_t mapTo(Device &device, uint64_t &mapped);

  /// The device that alone may touch it; null where the host may.
  virtual const Device *soleUser() const { return nullptr; }

  /// True when a packet of some queue that is not done yet names it.
  bool isInFlight() const;

  Runtime &runtime;
  /// Not the host's where it is a device's memory.
  uint8_t *address = nullptr;
  uint64_t byteCount = 0;
  uint32_t device = AIK_NO_DEVICE;
  /// Made by AIK_SYS_MEM_MMAP: only AIK_SYS_MEM_MUNMAP frees it.
  bool isMapping = false;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_MEMORY_MEMORYOBJECT_H
