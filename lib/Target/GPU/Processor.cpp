//===- Processor.cpp - What schedules have to know about a GPU
//-------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a target. Out: its row of the table, or that of no GPU in particular.
//
//===----------------------------------------------------------------------===//

#include "Processor.h"

#include "llvm/ADT/STLExtras.h"

using namespace aikernel;

static const Processor kProcessors[] = {
    {"nvidia:sm_80", 108, false}, // A100
    {"nvidia:sm_89", 108, false}, // between an L4 and an RTX 4090
    {"nvidia:sm_90a", 132, true}, // H100, H200
    {"amd:gfx942", 304, false},   // MI300X
    {"amd:gfx1100", 96, false},   // RX 7900 XTX
};
static const Processor kUnknown = {"", 132, false};

const Processor &aikernel::getProcessor(TargetAttr target) {
  for (const Processor &processor : kProcessors)
    if (target && processor.target == target.getName())
      return processor;
  return kUnknown;
}
