//===- Target.cpp - Which back end serves a target ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an #aikernel.target. Out: its back end.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Target/Target.h"
#include "AIKernel/Target/AMD/AMDBackend.h"
#include "AIKernel/Target/CPU/CPUBackend.h"
#include "AIKernel/Target/NVIDIA/NVIDIABackend.h"

using namespace aikernel;

const TargetBackend *aikernel::getBackend(TargetAttr target) {
  if (target.getName().starts_with("cpu"))
    return getCPUBackend();
  if (target.getName().starts_with("nvidia"))
    return getNVIDIABackend();
  if (target.getName().starts_with("amd"))
    return getAMDBackend();
  return nullptr;
}

bool aikernel::needsHost(TargetAttr target) {
  return getBackend(target) != getCPUBackend();
}

llvm::SmallVector<const TargetBackend *> aikernel::getBackends() {
  return {getCPUBackend(), getNVIDIABackend(), getAMDBackend()};
}
