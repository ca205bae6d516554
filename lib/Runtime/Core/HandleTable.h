//===- HandleTable.h - Handles that go stale instead of dangling ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: an object; what comes out: a 64-bit handle made of its kind, a
// generation and a slot. Looking a handle up pins the object: it is destroyed
// only when it has been removed and the last pin is gone. Looking up and
// unpinning take no lock, so that they may be done in a signal handler.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_HANDLETABLE_H
#define AIKERNEL_RUNTIME_CORE_HANDLETABLE_H

#include "Core/Memory.h"
#include "Core/Status.h"

#include <atomic>

namespace aik {

enum class ObjectKind : uint8_t {
  Artifact = 1,
  Device,
  Module,
  Queue,
  Signal,
  Memory,
  File,
  Graph
};

const char *objectKindName(ObjectKind kind);

/// Anything that a handle may stand for.
struct Object {
  aik_handle handle = 0;
  /// Other objects that need this one, for EBUSY.
  std::atomic<uint32_t> users{0};

  /// Releases the object and its memory. Called once, unpinned.
  virtual void destroy();
};

class HandleTable {
public:
  explicit HandleTable(Sys &sys) : sys(sys) {}
  ~HandleTable();
  HandleTable(const HandleTable &) = delete;
  HandleTable &operator=(const HandleTable &) = delete;

  /// Gives `object` a handle. -EMFILE when there are too many, -ENOMEM.
  int32_t insert(ObjectKind kind, Object *object);

  /// The object, pinned, or null (nothing is recorded).
  Object *pin(ObjectKind kind, aik_handle handle);
  void unpin(aik_handle handle);

  /// Makes the handle stale. The caller holds one pin; with `mustBeIdle` it
  /// must be the only one and the object must have no users, else -EBUSY.
  int32_t remove(aik_handle handle, bool mustBeIdle);

  /// Calls `visit` with each live object of a kind, pinned, until it returns
  /// false.
  template <typename Visitor>
  void forEach(ObjectKind kind, Visitor visit) {
    for (uint32_t index = 0; index < slotCount.load(std::memory_order_acquire);
         ++index) {
      aik_handle handle = liveHandle(kind, index);
      Object *object = handle ? pin(kind, handle) : nullptr;
      if (!object)
        continue;
      bool goOn = visit(*object);
      unpin(handle);
      if (!goOn)
        return;
    }
  }

private:
  static constexpr uint32_t chunkSlots = 128;
  static constexpr uint32_t chunkCount = 512;
  static constexpr uint64_t liveBit = 1u << 31;
  static constexpr uint64_t pinMask = liveBit - 1;

  /// `state` is generation (32 bits), live (1 bit), pins (31 bits).
  struct Slot {
    std::atomic<uint64_t> state{uint64_t(1) << 32};
    std::atomic<uint8_t> kind{0};
    Object *object = nullptr;
    uint32_t nextFree = 0;
  };

  Slot *slotOf(uint32_t index);
  Slot *slotOf(ObjectKind kind, aik_handle handle, uint64_t &generation);
  aik_handle liveHandle(ObjectKind kind, uint32_t index);
  void recycle(Slot &slot, uint32_t index);

  Sys &sys;
  Mutex mutex;
  std::atomic<uint32_t> slotCount{0};
  uint32_t firstFree = 0; // index plus one
  std::atomic<Slot *> chunks[chunkCount] = {};
};

/// A pinned object with the lifetime of a scope. A handle that stands for no
/// such object leaves a sentence in the fault record.
template <typename T>
class Pin {
public:
  Pin(HandleTable &table, aik_handle handle)
      : table(table), handle(handle),
        object(static_cast<T *>(table.pin(T::kind, handle))) {
    if (!object)
      fail(AIK_ENOENT, "0x%llx is not the handle of an open %s",
           (unsigned long long)handle, objectKindName(T::kind));
  }
  ~Pin() {
    if (object)
      table.unpin(handle);
  }
  Pin(const Pin &) = delete;
  Pin &operator=(const Pin &) = delete;

  explicit operator bool() const { return object; }
  T *operator->() const { return object; }
  T &operator*() const { return *object; }

private:
  HandleTable &table;
  aik_handle handle;
  T *object;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_HANDLETABLE_H
