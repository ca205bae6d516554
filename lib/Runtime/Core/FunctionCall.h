//===- FunctionCall.h - One call of a compiled function -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a module, a function and the caller's tensors. What comes out:
// the call of the entry point with checked, dense tensors, and everything
// temporary released again. Calls with few, dense tensors allocate nothing
// but the workspace, and on a remote device not even that.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_FUNCTIONCALL_H
#define AIKERNEL_RUNTIME_CORE_FUNCTIONCALL_H

#include "Core/Artifact.h"
#include "Core/Tensors.h"

namespace aik {

class FunctionCall {
public:
  FunctionCall(Module &module, uint32_t function);
  ~FunctionCall();
  FunctionCall(const FunctionCall &) = delete;
  FunctionCall &operator=(const FunctionCall &) = delete;

  int32_t shape(const aik_tensor *args, uint32_t argCount, aik_tensor *results,
                uint32_t resultCount);
  int64_t workspace(const aik_tensor *args, uint32_t argCount);
  int64_t prepare(const aik_tensor *args, uint32_t argCount,
                  aik_tensor *prepared, void *storage, uint64_t storageBytes);
  int32_t cost(const aik_tensor *args, uint32_t argCount, aik_cost &out);
  int32_t run(const aik_tensor *args, uint32_t argCount, aik_tensor *results,
              uint32_t resultCount, const aik_run_options &options);

private:
  /// How much `data` a call reads.
  enum class Data { Scalars, Weights, All };

  ValueName nameOf(uint32_t index, bool isResult) const;
  const aik_meta_value &argument(uint32_t index) const { return values[index]; }
  const aik_meta_value &result(uint32_t index) const {
    return values[meta->arg_count + index];
  }
  bool isWeight(uint32_t index) const {
    return argument(index).flags & AIK_VALUE_WEIGHT;
  }

  int32_t begin();
  int32_t takeArguments(const aik_tensor *args, uint32_t argCount, Data needed,
                        bool prepared);
  int32_t densify(const aik_tensor &tensor, aik_tensor &dense, bool copyIn);
  int32_t computeShapes();
  int32_t takeResults(aik_tensor *results, uint32_t resultCount);
  int32_t checkOverlaps(const aik_tensor *args, const aik_tensor *results);
  int32_t compute(const aik_run_options &options);
  int32_t packWeights();
  /// Of the data of a tensor of that rank, beside that of its element.
  uint32_t alignmentOf(uint32_t rank) const;
  bool fits(const aik_tensor &tensor) const;
  int32_t refuseStrides(const ValueName &value);
  int32_t takeMode(const aik_run_options &options, RunMode &mode);
  int32_t takeScratch(Scratch which, uint64_t bytes, void *&memory);
  int32_t finishRun(const RunMode &mode, int32_t status);
  int32_t takeWorkspace(const aik_run_options &options, void *&memory);
  void copyBack(const aik_tensor *args, const aik_tensor *results);
  void *temporary(uint64_t bytes);
  int64_t finish(const char *part, int64_t status);

  static constexpr uint32_t inlineValues = 48;
  struct Block {
    Block *next;
  };

  Module &module;
  Runtime &runtime;
  const uint32_t index;
  const aik_meta_function *meta;
  const aik_meta_value *values = nullptr;
  const char *name = "";
  FunctionEntry entry = {};
  const aik_env *env;
  uint64_t failuresBefore;

  /// Dense tensors for the entry point: arguments, then results.
  aik_tensor inlineTensors[inlineValues];
  aik_tensor *args = inlineTensors;
  aik_tensor *results = inlineTensors;
  /// The bytes of the caller's tensors, in the same order.
  ByteRange inlineRanges[inlineValues];
  ByteRange *argRanges = inlineRanges;
  ByteRange *resultRanges = inlineRanges;
  Block *blocks = nullptr;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_FUNCTIONCALL_H
