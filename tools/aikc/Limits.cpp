//===- Limits.cpp - Bounds on memory and time -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the limits. Out: a resource limit of the process for memory, a thread
// that ends the process for time.
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "Emergency.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sys/resource.h>
#include <system_error>
#include <thread>

using namespace aikc;
using namespace aikernel;

#ifdef __GLIBC__
// MLIR creates operations with malloc and does not look at what it gives, so
// that a limit on memory would show as a crash. This malloc takes the place of
// the library's for the whole process; with a limit in force, it ends the
// process where the other would have given null.
static std::atomic<bool> memoryIsLimited{false};

extern "C" {
void *__libc_malloc(size_t size);
__attribute__((visibility("default"))) void *malloc(size_t size) {
  void *memory = __libc_malloc(size);
  if (!memory && memoryIsLimited)
    endForLackOfMemory();
  return memory;
}
}
#endif

/// RLIMIT_DATA counts what a process may write to: heaps, stacks of threads
/// and anonymous mappings. RLIMIT_AS would also count the code of LLVM and the
/// address space that allocators only reserve.
static ExitStatus limitMemory(uint64_t megabytes, Messages &messages) {
  rlimit limit = {};
  ::getrlimit(RLIMIT_DATA, &limit);
  rlim_t wanted = static_cast<rlim_t>(megabytes) << 20;
  if (limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max)
    limit.rlim_cur = limit.rlim_max = wanted;
  if (::setrlimit(RLIMIT_DATA, &limit) != 0)
    return messages.error(Code::BadValue,
                          std::string("--max-memory cannot be set: ") +
                              std::strerror(errno));
  prepareMemoryMessage(messages,
                       "--max-memory=" + std::to_string(megabytes) + " allows");
  return kExitOk;
}

#ifdef __GLIBC__
/// By us, or by whoever started us.
static bool isMemoryLimited() {
  for (auto resource : {RLIMIT_DATA, RLIMIT_AS}) {
    rlimit limit = {};
    if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      return true;
  }
  return false;
}
#endif

static ExitStatus limitTime(double seconds, Messages &messages) {
  std::string number;
  llvm::raw_string_ostream(number) << llvm::format("%g", seconds);
  std::string text =
      messages.render(Code::TimeLimit, "the compilation takes longer than " +
                                           number + " seconds");
  auto deadline = std::chrono::steady_clock::now() +
                  std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::duration<double>(seconds));
  try {
    std::thread([text = std::move(text), deadline] {
      std::this_thread::sleep_until(deadline);
      endProcess(text, kExitLimit);
    }).detach();
  } catch (const std::system_error &error) {
    return messages.error(Code::TimeLimit,
                          std::string("no thread can be started that would "
                                      "watch the time: ") +
                              error.what());
  }
  return kExitOk;
}

ExitStatus aikc::applyLimits(const Limits &limits, Messages &messages) {
  if (limits.seconds > 0)
    if (ExitStatus status = limitTime(limits.seconds, messages))
      return status;
  if (limits.memoryMegabytes)
    if (ExitStatus status = limitMemory(limits.memoryMegabytes, messages))
      return status;
#ifdef __GLIBC__
  memoryIsLimited = isMemoryLimited();
#endif
  return kExitOk;
}
