//===- HandleTable.cpp - Handles that go stale instead of dangling --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle is kind << 56 | generation << 24 | slot index. Slots live in chunks
// that stay until the table goes, so a stale look-up reads valid memory.
//
//===----------------------------------------------------------------------===//

#include "Core/HandleTable.h"

using namespace aik;

namespace {
constexpr int kindShift = 56, generationShift = 24;
constexpr uint64_t indexMask = (1u << generationShift) - 1;

aik_handle makeHandle(ObjectKind kind, uint64_t generation, uint32_t index) {
  return uint64_t(kind) << kindShift | generation << generationShift | index;
}

uint32_t indexOf(aik_handle handle) { return uint32_t(handle & indexMask); }
} // namespace

const char *aik::objectKindName(ObjectKind kind) {
  constexpr const char *names[] = {"?",      "artifact", "device",
                                   "module", "queue",    "signal",
                                   "memory", "file",     "graph"};
  return names[size_t(kind)];
}

void Object::destroy() {}

HandleTable::~HandleTable() {
  for (std::atomic<Slot *> &entry : chunks)
    sys.release(entry.load(std::memory_order_relaxed));
}

HandleTable::Slot *HandleTable::slotOf(uint32_t index) {
  Slot *chunk = chunks[index / chunkSlots].load(std::memory_order_acquire);
  return chunk ? chunk + index % chunkSlots : nullptr;
}

HandleTable::Slot *HandleTable::slotOf(ObjectKind kind, aik_handle handle,
                                       uint64_t &generation) {
  generation = (handle >> generationShift) & 0xffffffffu;
  if (handle >> kindShift != uint64_t(kind) ||
      indexOf(handle) >= slotCount.load(std::memory_order_acquire))
    return nullptr;
  return slotOf(indexOf(handle));
}

int32_t HandleTable::insert(ObjectKind kind, Object *object) {
  ScopedLock lock(mutex);
  uint32_t index;
  Slot *slot;
  if (firstFree) {
    index = firstFree - 1;
    slot = slotOf(index);
    firstFree = slot->nextFree;
  } else {
    index = slotCount.load(std::memory_order_relaxed);
    if (index == chunkSlots * chunkCount)
      return fail(AIK_EMFILE, "more than %u objects are open",
                  chunkSlots * chunkCount);
    std::atomic<Slot *> &chunk = chunks[index / chunkSlots];
    if (!chunk.load(std::memory_order_relaxed)) {
      void *memory = sys.allocate(sizeof(Slot) * chunkSlots, alignof(Slot));
      if (!memory)
        return fail(AIK_ENOMEM, "no memory for the handle of a new %s",
                    objectKindName(kind));
      auto *slots = static_cast<Slot *>(memory);
      for (uint32_t i = 0; i < chunkSlots; ++i)
        new (slots + i) Slot();
      chunk.store(slots, std::memory_order_release);
    }
    slot = slotOf(index);
    slotCount.store(index + 1, std::memory_order_release);
  }
  uint64_t generation = slot->state.load(std::memory_order_relaxed) >> 32;
  object->handle = makeHandle(kind, generation, index);
  slot->object = object;
  slot->kind.store(uint8_t(kind), std::memory_order_relaxed);
  slot->state.store(generation << 32 | liveBit, std::memory_order_release);
  return 0;
}

Object *HandleTable::pin(ObjectKind kind, aik_handle handle) {
  uint64_t generation;
  Slot *slot = slotOf(kind, handle, generation);
  if (!slot)
    return nullptr;
  uint64_t state = slot->state.load(std::memory_order_acquire);
  do {
    if (state >> 32 != generation || !(state & liveBit) ||
        (state & pinMask) == pinMask)
      return nullptr;
  } while (!slot->state.compare_exchange_weak(state, state + 1,
                                              std::memory_order_acq_rel));
  // The kind in a live handle cannot be forged into another object's: it is
  // compared with what the slot holds.
  if (slot->kind.load(std::memory_order_relaxed) != uint8_t(kind)) {
    unpin(handle);
    return nullptr;
  }
  return slot->object;
}

void HandleTable::unpin(aik_handle handle) {
  uint32_t index = indexOf(handle);
  Slot *slot = slotOf(index);
  uint64_t before = slot->state.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & pinMask) == 1 && !(before & liveBit))
    recycle(*slot, index);
}

int32_t HandleTable::remove(aik_handle handle, bool mustBeIdle) {
  Slot *slot = slotOf(indexOf(handle));
  uint64_t state = slot->state.load(std::memory_order_acquire);
  do {
    if (!(state & liveBit))
      return fail(AIK_ENOENT, "0x%llx was closed by another thread",
                  (unsigned long long)handle);
    if (mustBeIdle && ((state & pinMask) != 1 ||
                       slot->object->users.load(std::memory_order_acquire)))
      return fail(AIK_EBUSY, "the %s 0x%llx is still in use",
                  objectKindName(
                      ObjectKind(slot->kind.load(std::memory_order_relaxed))),
                  (unsigned long long)handle);
  } while (!slot->state.compare_exchange_weak(state, state & ~liveBit,
                                              std::memory_order_acq_rel));
  return 0;
}

aik_handle HandleTable::liveHandle(ObjectKind kind, uint32_t index) {
  Slot *slot = slotOf(index);
  uint64_t state = slot->state.load(std::memory_order_acquire);
  if (!(state & liveBit) ||
      slot->kind.load(std::memory_order_relaxed) != uint8_t(kind))
    return 0;
  return makeHandle(kind, state >> 32, index);
}

void HandleTable::recycle(Slot &slot, uint32_t index) {
  Object *object = slot.object;
  slot.object = nullptr;
  object->destroy();
  ScopedLock lock(mutex);
  uint64_t generation = (slot.state.load(std::memory_order_relaxed) >> 32) + 1;
  // Generation 0 would let a handle be 0.
  if ((generation & 0xffffffffu) == 0)
    generation = 1;
  slot.state.store(generation << 32, std::memory_order_release);
  slot.nextFree = firstFree;
  firstFree = index + 1;
}
