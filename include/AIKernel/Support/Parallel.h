//===- Parallel.h - Independent jobs at the same time ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code generation is most of a compilation, and each image is its own.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_SUPPORT_PARALLEL_H
#define AIKERNEL_SUPPORT_PARALLEL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>

namespace aikernel {

/// Calls `job(0)` to `job(count - 1)`, each once, on as many threads as this
/// process has processors. The caller is one of them, and does all of it where
/// no other thread can be had.
void runTogether(size_t count, llvm::function_ref<void(size_t)> job);

} // namespace aikernel

#endif // AIKERNEL_SUPPORT_PARALLEL_H
