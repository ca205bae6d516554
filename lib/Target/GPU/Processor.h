//===- Processor.h - What schedules have to know about a GPU
//---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a target. Out: facts about the largest GPU of that name. They choose
// between schedules that are all right on any other.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_PROCESSOR_H
#define AIKERNEL_LIB_TARGET_GPU_PROCESSOR_H

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"

namespace aikernel {

struct Processor {
  llvm::StringRef target;
  /// What has shared memory and schedulers of its own.
  int64_t multiprocessors;
  /// Warpgroups that multiply from shared memory, tensor maps, clusters, and
  /// launches that begin before the one before them ends.
  bool hasWarpgroups;
};

/// Of no target, or one that nobody has looked at: a large GPU that has nothing
/// special.
const Processor &getProcessor(TargetAttr target);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_PROCESSOR_H
