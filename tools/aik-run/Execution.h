//===- Execution.h - One call of one function -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a function and where its inputs come from to filled argument tensors,
// and from those to result tensors. Running, verifying, measuring and batches
// all go through here.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_EXECUTION_H
#define AIK_RUN_EXECUTION_H

#include "Inputs.h"
#include "Remote.h"

#include <optional>

namespace aikrun {

/// How calls are made, whichever function it is.
struct CallSettings {
  MemoryBudget &budget;
  bool guard = false;
  bool donate = false;
  uint64_t seed = 1;
  std::string label; // opens the sentences of guards: "case 3: "
};

/// Per argument, what the user said about it.
using InputList = std::vector<std::optional<InputSpec>>;

/// Allocates and fills one tensor per argument; asks `module` which shapes the
/// function takes where the user fixed none.
Error makeArguments(const Module &module, const Function &function,
                    const InputList &inputs, const CallSettings &settings,
                    std::vector<Tensor> &args);

/// Copies of `args`, for functions that write to their arguments.
Error copyArguments(const std::vector<Tensor> &args,
                    const CallSettings &settings, std::vector<Tensor> &copies);

std::vector<aik_tensor> viewsOf(const std::vector<Tensor> &tensors);

/// What a call needs besides its arguments; may serve many calls.
struct CallMemory {
  std::vector<Tensor> results;
  Buffer workspace, preparedStorage;
  bool prepared = false;
  std::vector<aik_tensor> argViews, resultViews;
  RemoteMemory remote;
  uint64_t remoteWorkspaceBytes = 0;
};

/// Allocates results, workspace and prepared weights. With settings.donate a
/// donated argument's memory becomes its result's and the argument is empty.
Error prepareCall(const Module &module, const Function &function,
                  std::vector<Tensor> &args, const CallSettings &settings,
                  CallMemory &memory);

/// prepareCall, results filled with `poison`, the call, and what --guard
/// checks.
Error call(const Module &module, const Function &function,
           std::vector<Tensor> &args, uint8_t poison,
           const CallSettings &settings, std::vector<Tensor> &results);

} // namespace aikrun

#endif // AIK_RUN_EXECUTION_H
