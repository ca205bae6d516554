//===- Memory.h - Objects and scratch from the Sys heap -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `new` and `delete` for a library without exceptions: creation may give null,
// and every byte comes from Sys, where tests count and fail it. Also the one
// mutex type in use.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_MEMORY_H
#define AIKERNEL_RUNTIME_CORE_MEMORY_H

#include "Sys.h"

#include <new>
#include <pthread.h>
#include <utility>

namespace aik {

template <typename T, typename... Arguments>
T *create(Sys &sys, Arguments &&...arguments) {
  void *memory = sys.allocate(sizeof(T), alignof(T));
  return memory ? new (memory) T(std::forward<Arguments>(arguments)...)
                : nullptr;
}

template <typename T>
void dispose(Sys &sys, T *object) {
  if (!object)
    return;
  object->T::~T(); // exactly T: `destroy` is called on the whole object
  sys.release(object);
}

/// Heap memory with the lifetime of a scope.
class ScopedMemory {
public:
  explicit ScopedMemory(Sys &sys) : sys(sys) {}
  ~ScopedMemory() { sys.release(memory); }
  ScopedMemory(const ScopedMemory &) = delete;
  ScopedMemory &operator=(const ScopedMemory &) = delete;

  /// Replaces what is held; null when there is no memory.
  void *allocate(size_t bytes, size_t alignment) {
    sys.release(memory);
    return memory = sys.allocate(bytes, alignment);
  }
  void *get() const { return memory; }
  void *take() {
    void *taken = memory;
    memory = nullptr;
    return taken;
  }

private:
  Sys &sys;
  void *memory = nullptr;
};

class Mutex {
public:
  void lock() { pthread_mutex_lock(&mutex); }
  bool tryLock() { return pthread_mutex_trylock(&mutex) == 0; }
  void unlock() { pthread_mutex_unlock(&mutex); }

private:
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

class ScopedLock {
public:
  explicit ScopedLock(Mutex &mutex) : mutex(mutex) { mutex.lock(); }
  ~ScopedLock() { mutex.unlock(); }
  ScopedLock(const ScopedLock &) = delete;
  ScopedLock &operator=(const ScopedLock &) = delete;

private:
  Mutex &mutex;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_MEMORY_H
