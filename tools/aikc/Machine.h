//===- Machine.h - The machine as the runtime sees it ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Out: a runtime that closes itself, and the architecture and features of this
// machine as plain values.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_MACHINE_H
#define AIKC_MACHINE_H

#include "AIKernel-c/Runtime.h"
#include "Messages.h"
#include <string>
#include <vector>

namespace aikc {

/// An open runtime.
class RuntimeHandle {
public:
  RuntimeHandle() = default;
  ~RuntimeHandle() {
    if (runtime)
      (void)aik_runtime_close(runtime);
  }
  RuntimeHandle(const RuntimeHandle &) = delete;
  RuntimeHandle &operator=(const RuntimeHandle &) = delete;

  /// With one thread: nothing here runs long.
  int32_t open() {
    aik_runtime_options options = {};
    AIK_INIT(&options);
    options.threads = 1;
    return aik_runtime_open(&options, &runtime);
  }
  aik_runtime *get() const { return runtime; }

private:
  aik_runtime *runtime = nullptr;
};

struct Machine {
  uint32_t arch = 0; // AIK_ARCH_*
  uint64_t features = 0;
  std::string archName;
  std::vector<std::string> featureNames;
};

/// The names of the feature bits, in the order of the bits.
std::vector<std::string> nameFeatures(uint32_t arch, uint64_t features);

ExitStatus describeMachine(Machine &machine, Messages &messages);

} // namespace aikc

#endif // AIKC_MACHINE_H
