//===- Machine.cpp - The machine as the runtime sees it -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: what libaikrt reports. Out: the same as plain values.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace aikc;
using namespace aikernel;

std::vector<std::string> aikc::nameFeatures(uint32_t arch, uint64_t features) {
  std::vector<std::string> names;
  for (uint32_t bit = 0; bit < 64; ++bit) {
    if (!(features >> bit & 1))
      continue;
    const char *name = aik_feature_name(arch, bit);
    names.push_back(name ? std::string(name) : "bit" + std::to_string(bit));
  }
  return names;
}

ExitStatus aikc::describeMachine(Machine &machine, Messages &messages) {
  RuntimeHandle runtime;
  aik_runtime_info info = {};
  AIK_INIT(&info);
  if (runtime.open() < 0 || aik_runtime_describe(runtime.get(), &info) < 0)
    return messages.error(Code::Internal,
                          std::string("the runtime does not start: ") +
                              aik_fault_message(),
                          "run 'aikc doctor'");
  machine.arch = info.arch;
  machine.features = info.features;
  machine.archName = aik_arch_name(info.arch);
  machine.featureNames = nameFeatures(info.arch, info.features);
  return kExitOk;
}
