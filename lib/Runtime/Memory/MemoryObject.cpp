//===- MemoryObject.cpp - What a memory handle stands for -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about any memory: which it is, and whether a queue still uses it.
//
//===----------------------------------------------------------------------===//

#include "Memory/MemoryObject.h"

#include "Queue/CommandQueue.h"

using namespace aik;

void MemoryObject::describe(aik_memory_info &) const {}
int32_t MemoryObject::write(uint64_t, const void *, uint64_t) { return 0; }
int32_t MemoryObject::read(uint64_t, void *, uint64_t) { return 0; }
int32_t MemoryObject::mapTo(Device &, uint64_t &) { return 0; }

MemoryObject *MemoryObject::find(Runtime &runtime, uint64_t wanted) {
  MemoryObject *found = nullptr;
  runtime.handles.forEach(kind, [&](Object &object) {
    auto &memory = static_cast<MemoryObject &>(object);
    uint64_t begin = reinterpret_cast<uint64_t>(memory.address);
    if (wanted < begin || wanted - begin >= memory.byteCount)
      return true;
    found =
        static_cast<MemoryObject *>(runtime.handles.pin(kind, memory.handle));
    return false;
  });
  return found;
}

bool MemoryObject::isInFlight() const {
  uint64_t begin = reinterpret_cast<uint64_t>(address);
  bool busy = false;
  runtime.handles.forEach(ObjectKind::Queue, [&](Object &object) {
    busy = static_cast<CommandQueue &>(object).anyPending(
        [&](const aik_packet &packet) {
          return namesMemory(packet, begin, begin + byteCount);
        });
    return !busy;
  });
  return busy;
}
