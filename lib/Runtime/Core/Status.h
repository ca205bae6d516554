//===- Status.h - Error numbers, sentences and the fault record -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a code and a sentence, where something fails. What comes out:
// -code for the caller, and this thread's record for aik_fault_read. The only
// state is per thread.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_STATUS_H
#define AIKERNEL_RUNTIME_CORE_STATUS_H

#include "AIKernel-c/Runtime.h"

namespace aik {

/// A fault as it travels between threads: the public record and the whole
/// sentence.
struct FaultRecord {
  aik_fault fault;
  char message[512];
};

/// What the runtime keeps per thread.
struct ThreadState {
  FaultRecord record;
  /// Counts failures, so that a caller can see whether compiled code that
  /// returned an error also described it.
  uint64_t failures;
  uint32_t callNumber; // AIK_SYS_* being served plus one, or 0
  bool insideParallelLoop;
};

ThreadState &threadState();

/// Records the sentence and returns -code.
__attribute__((cold, format(printf, 2, 3))) int32_t fail(int32_t code,
                                                         const char *format,
                                                         ...);

/// The same with what the OS or a kernel returned. `code` 0 takes the OS's
/// number where Entry.h lists it, and EIO where it does not.
__attribute__((cold, format(printf, 3, 4))) int32_t
failWith(int64_t backendCode, int32_t code, const char *format, ...);

/// Makes `record` this thread's and returns -code.
__attribute__((cold)) int32_t failAgain(const FaultRecord &record);

/// Turns a -errno into a positive AIK_E*.
int32_t errorFromSys(int64_t status);

/// True for a struct that the caller initialised with AIK_INIT.
template <typename T>
bool isVersioned(const T *value) {
  return value->size >= sizeof(T) && value->version == AIK_RUNTIME_VERSION;
}

/// Marks the calls made meanwhile as part of one numbered call.
class NumberedCall {
public:
  explicit NumberedCall(uint32_t number) : previous(threadState().callNumber) {
    threadState().callNumber = number + 1;
  }
  ~NumberedCall() { threadState().callNumber = previous; }
  NumberedCall(const NumberedCall &) = delete;
  NumberedCall &operator=(const NumberedCall &) = delete;

private:
  uint32_t previous;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_STATUS_H
