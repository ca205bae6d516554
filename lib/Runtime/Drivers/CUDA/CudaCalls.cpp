//===- CudaCalls.cpp - Numbered calls of code that runs on a GPU ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: the calls that a launcher makes while its function runs. What
// comes out: commands of the device, memory that it can use, and for all others
// what the runtime does anywhere.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaModule.h"

#include <string.h>

using namespace aik;

int32_t CudaModule::openCommands(const char *name) {
  auto info = aik_device_info();
  device.describe(info);
  if (!name || strcmp(name, "self") == 0 || strcmp(name, info.name) == 0)
    return 0;
  return fail(AIK_ENODEV,
              "a queue of '%.60s' cannot take commands of a function that runs "
              "on %s",
              name, info.name);
}

/// Memory of the host that kernels find at the same address.
int64_t CudaModule::allocatePinned(int64_t bytes, int64_t alignment,
                                   int64_t flags, aik_memory_info *out) {
  bool isCaptured = false;
  if (int32_t failed = device.isTargetCaptured(isCaptured))
    return failed;
  if (isCaptured)
    return fail(AIK_EBUSY, "memory that a function allocates cannot be part of "
                           "a graph");
  aik_runtime *runtime = &device.runtime;
  int64_t status =
      aik_syscall(runtime, AIK_SYS_MEM_ALLOC_PINNED, bytes, alignment, flags,
                  reinterpret_cast<int64_t>(out), 0, 0);
  if (status < 0)
    return status;
  uint64_t seenAt = 0;
  status = aik_syscall(runtime, AIK_SYS_MEM_MAP_DEVICE, int64_t(out->handle),
                       int64_t(device.handle), AIK_PROT_READ | AIK_PROT_WRITE,
                       reinterpret_cast<int64_t>(&seenAt), 0, 0);
  if (status >= 0 && seenAt != reinterpret_cast<uint64_t>(out->address))
    status = fail(AIK_EOPNOTSUPP,
                  "nvidia:%u sees the host's memory at other "
                  "addresses than the host",
                  device.ordinal);
  if (status < 0)
    aik_memory_free(runtime, out->handle);
  return status;
}

int64_t CudaModule::syscallFromCode(const aik_env *env, int64_t number,
                                    int64_t a0, int64_t a1, int64_t a2,
                                    int64_t a3, int64_t a4, int64_t a5) {
  auto &module = static_cast<CudaModule &>(
      *reinterpret_cast<const LauncherEnv *>(env)->module);
  CudaCommands &commands = module.commands;
  switch (number) {
  case AIK_SYS_MEM_ALLOC_PINNED:
    return module.allocatePinned(a0, a1, a2,
                                 reinterpret_cast<aik_memory_info *>(a3));
  case AIK_SYS_COMMANDS_OPEN:
    return module.openCommands(reinterpret_cast<const char *>(a0));
  case AIK_SYS_COMMANDS_BEGIN:
    return commands.begin(uint32_t(a0));
  case AIK_SYS_COMMANDS_END:
    commands.stop();
    return 0;
  case AIK_SYS_COMMANDS_SUBMIT:
    return commands.submit(uint32_t(a0));
  case AIK_SYS_COMMANDS_WAIT:
    return module.device.finishRun(a0);
  default:
    return aik_syscall(&module.device.runtime, number, a0, a1, a2, a3, a4, a5);
  }
}
