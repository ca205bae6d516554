//===- DeviceMemory.h - Buffers of devices with memory of their own -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: bytes. What comes out: an address that the host must not
// touch, and copies from and to it. A reset that loses the device's memory
// makes the buffer's calls give -ENOENT.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_MEMORY_DEVICEMEMORY_H
#define AIKERNEL_RUNTIME_MEMORY_DEVICEMEMORY_H

#include "Memory/MemoryObject.h"

namespace aik {

struct DeviceMemory final : MemoryObject {
  explicit DeviceMemory(Device &owner)
      : MemoryObject(owner.runtime), owner(owner) {}

  static int32_t open(Device &owner, uint64_t byteCount, uint32_t flags,
                      DeviceMemory **out);

  void describe(aik_memory_info &out) const override;
  int32_t write(uint64_t offset, const void *source, uint64_t bytes) override;
  int32_t read(uint64_t offset, void *destination, uint64_t bytes) override;
  int32_t mapTo(Device &device, uint64_t &mapped) override;
  const Device *soleUser() const override { return &owner; }
  void destroy() override;

private:
  int32_t checkAlive() const;

  Device &owner;
  uint32_t madeIn = 0;
  std::atomic<bool> isMapped{false};
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_MEMORY_DEVICEMEMORY_H
