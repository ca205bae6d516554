//===- Limits.h - Bounds on memory and time -------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: --max-memory and --max-time. Out: a process that ends with AIK-E0300 or
// AIK-E0301 and exit status 5 when it reaches them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_LIMITS_H
#define AIKC_LIMITS_H

#include "Messages.h"
#include <cstdint>

namespace aikc {

/// Zero stands for no limit.
struct Limits {
  uint64_t memoryMegabytes = 0;
  double seconds = 0;
};

/// Call once, before the work starts. Needs the handlers of Emergency.h, which
/// are what runs when an allocation fails.
ExitStatus applyLimits(const Limits &limits, Messages &messages);

} // namespace aikc

#endif // AIKC_LIMITS_H
