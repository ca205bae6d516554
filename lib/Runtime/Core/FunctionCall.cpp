//===- FunctionCall.cpp - One call of a compiled function -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that could make compiled code read or write where it should not
// is checked here, before it is entered.
//
//===----------------------------------------------------------------------===//

#include "Core/FunctionCall.h"

#include <string.h>

using namespace aik;

/// Of a dense tensor.
static ByteRange rangeOf(const aik_tensor &tensor, int64_t bytes) {
  auto begin = reinterpret_cast<uint64_t>(tensor.data);
  return {begin, begin + uint64_t(bytes)};
}

FunctionCall::FunctionCall(Module &module, uint32_t function)
    : module(module), runtime(module.artifact.runtime), index(function),
      meta(module.artifact.function(function)), env(module.environment()),
      failuresBefore(threadState().failures) {}

FunctionCall::~FunctionCall() {
  while (blocks) {
    Block *next = blocks->next;
    runtime.sys.release(blocks);
    blocks = next;
  }
}

/// Memory until the end of the call, aligned for compiled code.
void *FunctionCall::temporary(uint64_t bytes) {
  constexpr uint64_t header = AIK_WORKSPACE_ALIGNMENT;
  static_assert(sizeof(Block) <= header, "");
  uint64_t total;
  if (__builtin_add_overflow(bytes, header, &total))
    return nullptr;
  auto *block = static_cast<Block *>(runtime.sys.allocate(total, header));
  if (!block)
    return nullptr;
  block->next = blocks;
  blocks = block;
  return reinterpret_cast<uint8_t *>(block) + header;
}

ValueName FunctionCall::nameOf(uint32_t value, bool isResult) const {
  const aik_meta_value &described = isResult ? result(value) : argument(value);
  return {name, module.artifact.view.string(described.name), value, isResult};
}

int32_t FunctionCall::begin() {
  if (!meta)
    return fail(AIK_ENOENT,
                "the artifact has %u functions, none with number "
                "%u",
                module.artifact.view.header->function_count, index);
  const ArtifactView &view = module.artifact.view;
  name = view.string(meta->name);
  values = view.values + meta->first_value;
  entry = module.entries[index];
  uint32_t count = meta->arg_count + meta->result_count;
  if (count > inlineValues) {
    args = static_cast<aik_tensor *>(temporary(count * sizeof(aik_tensor)));
    argRanges = static_cast<ByteRange *>(temporary(count * sizeof(ByteRange)));
    if (!args || !argRanges)
      return fail(AIK_ENOMEM, "no memory for the %u tensors of '%s'", count,
                  name);
  }
  results = args + meta->arg_count;
  resultRanges = argRanges + meta->arg_count;
  return 0;
}

/// Makes sure that a failure of compiled code has a sentence.
int64_t FunctionCall::finish(const char *part, int64_t status) {
  if (status < 0 && threadState().failures == failuresBefore)
    failWith(status, errorFromSys(status), "'%s$%s' returned %lld (%s)", name,
             part, (long long)status, aik_error_name(int32_t(status)));
  return status;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Checks the arguments and puts dense ones into `args`. A call that reads no
/// data gets the dims alone.
int32_t FunctionCall::takeArguments(const aik_tensor *given, uint32_t argCount,
                                    Data needed, bool prepared) {
  if (int32_t status = begin())
    return status;
  if (argCount != meta->arg_count)
    return fail(AIK_EINVAL, "'%s' wants %u arguments, found %u", name,
                meta->arg_count, argCount);
  if (argCount && !given)
    return fail(AIK_EFAULT, "the arguments of '%s' are a null pointer", name);
  for (uint32_t i = 0; i < argCount; ++i) {
    // Packed weights are in a layout of the compiler's own.
    bool isPacked = prepared && isWeight(i);
    args[i] = given[i];
    int64_t bytes = isPacked ? 0
                             : plainBytes(argument(i), argument(i).dims,
                                          given[i], alignmentOf(given[i].rank));
    if (bytes > 0) {
      argRanges[i] = rangeOf(given[i], bytes);
      continue;
    }
    bool needsData = given[i].rank == 0 || needed == Data::All ||
                     (needed == Data::Weights && isWeight(i));
    ValueName value = nameOf(i, false);
    if (int32_t status = checkTensor(value, given[i], needsData))
      return status;
    argRanges[i] = byteRange(given[i]);
    if (isPacked)
      continue;
    if (int32_t status =
            checkAgainst(value, argument(i), argument(i).dims, given[i]))
      return status;
    setDenseStrides(args[i]);
    if (!needsData || fits(given[i]))
      continue;
    if (module.remote && given[i].rank > 0)
      return refuseStrides(value);
    if (int32_t status = densify(given[i], args[i], true))
      return status;
  }
  return 0;
}

/// A device loads vectors; scalars are the host's.
uint32_t FunctionCall::alignmentOf(uint32_t rank) const {
  return module.remote && rank > 0 ? AIK_DEVICE_ALIGNMENT : 1;
}

/// Can compiled code use the tensor where it is?
bool FunctionCall::fits(const aik_tensor &tensor) const {
  return isUsable(tensor) &&
         reinterpret_cast<uintptr_t>(tensor.data) % alignmentOf(tensor.rank) ==
             0;
}

/// Memory of a remote device cannot be rearranged here.
int32_t FunctionCall::refuseStrides(const ValueName &value) {
  return fail(AIK_EOPNOTSUPP,
              "%s is not dense, row-major and aligned to %u bytes, which this "
              "device needs",
              ValueText(value).text, AIK_DEVICE_ALIGNMENT);
}

/// Gives `dense` memory of its own, with the contents of `tensor` if asked.
int32_t FunctionCall::densify(const aik_tensor &tensor, aik_tensor &dense,
                              bool copyIn) {
  int64_t bytes = denseBytes(tensor);
  dense = tensor;
  setDenseStrides(dense);
  dense.data = temporary(uint64_t(bytes));
  if (!dense.data)
    return fail(AIK_ENOMEM,
                "no memory for a dense copy of %lld bytes for "
                "'%s'",
                (long long)bytes, name);
  if (copyIn)
    copyToDense(tensor, dense.data);
  runtime.trace.count(Counter::DenseCopies);
  return 0;
}

//===----------------------------------------------------------------------===//
// Shape, workspace, cost
//===----------------------------------------------------------------------===//

/// Fills `results` but for strides from f$shape, and checks what it says.
int32_t FunctionCall::computeShapes() {
  memset(static_cast<void *>(results), 0,
         meta->result_count * sizeof(aik_tensor));
  int32_t status = int32_t(finish("shape", entry.shape(env, args, results)));
  if (status < 0)
    return status;
  for (uint32_t i = 0; i < meta->result_count; ++i) {
    if (isAsWanted(result(i), results[i]))
      continue;
    ValueName value = nameOf(i, true);
    if (int32_t bad = checkTensor(value, results[i], false))
      return bad;
    if (int32_t bad =
            checkAgainst(value, result(i), result(i).dims, results[i]))
      return bad;
  }
  return 0;
}

int32_t FunctionCall::shape(const aik_tensor *given, uint32_t argCount,
                            aik_tensor *out, uint32_t resultCount) {
  if (int32_t status = takeArguments(given, argCount, Data::Scalars, false))
    return status;
  if (resultCount != meta->result_count)
    return fail(AIK_EINVAL, "'%s' has %u results, %u were asked for", name,
                meta->result_count, resultCount);
  if (resultCount && !out)
    return fail(AIK_EFAULT, "the results of '%s' are a null pointer", name);
  if (int32_t status = computeShapes())
    return status;
  for (uint32_t i = 0; i < resultCount; ++i) {
    void *data = out[i].data;
    out[i] = results[i];
    setDenseStrides(out[i]);
    out[i].data = data;
  }
  return 0;
}

int64_t FunctionCall::workspace(const aik_tensor *given, uint32_t argCount) {
  if (int32_t status = takeArguments(given, argCount, Data::Scalars, false))
    return status;
  return finish("workspace", entry.workspace(env, args));
}

int32_t FunctionCall::cost(const aik_tensor *given, uint32_t argCount,
                           aik_cost &out) {
  if (int32_t status = takeArguments(given, argCount, Data::Scalars, false))
    return status;
  out = {};
  return int32_t(finish("cost", entry.cost(env, args, &out)));
}

//===----------------------------------------------------------------------===//
// Prepare
//===----------------------------------------------------------------------===//

/// Storage is what f$prepare wants, followed by dense copies of those weights
/// that the caller gave in another layout: the prepared arguments may point to
/// them.
int64_t FunctionCall::prepare(const aik_tensor *given, uint32_t argCount,
                              aik_tensor *prepared, void *storage,
                              uint64_t storageBytes) {
  constexpr int64_t alignment = AIK_WORKSPACE_ALIGNMENT;
  if (int32_t status = takeArguments(given, argCount, Data::Scalars, false))
    return status;
  aik_tensor *scratch = static_cast<aik_tensor *>(
      temporary((argCount ? argCount : 1) * sizeof(aik_tensor)));
  if (!scratch)
    return fail(AIK_ENOMEM, "no memory to prepare '%s'", name);
  memcpy(static_cast<void *>(scratch), args, argCount * sizeof(aik_tensor));
  int64_t packed =
      finish("prepare", entry.prepare(env, args, scratch, nullptr));
  if (packed < 0)
    return packed;
  int64_t total = (packed + alignment - 1) / alignment * alignment;
  int64_t denseAt = total;
  for (uint32_t i = 0; i < argCount; ++i)
    if (isWeight(i) && given[i].data && !isUsable(given[i])) {
      if (module.remote)
        return refuseStrides(nameOf(i, false));
      total += (denseBytes(given[i]) + alignment - 1) / alignment * alignment;
    }
  if (!storage)
    return total;

  if (argCount && !prepared)
    return fail(AIK_EFAULT, "the prepared arguments of '%s' are a null pointer",
                name);
  if (uint64_t(total) > storageBytes)
    return fail(AIK_EINVAL, "'%s' wants %lld bytes for its weights, found %llu",
                name, (long long)total, (unsigned long long)storageBytes);
  if (reinterpret_cast<uintptr_t>(storage) % alignment != 0)
    return fail(AIK_EINVAL,
                "the storage for the weights of '%s' is not "
                "aligned to %lld",
                name, (long long)alignment);
  auto *dense = static_cast<uint8_t *>(storage) + denseAt;
  for (uint32_t i = 0; i < argCount; ++i) {
    if (!isWeight(i))
      continue;
    if (int32_t status = checkTensor(nameOf(i, false), given[i], true))
      return status;
    if (isUsable(given[i]))
      continue;
    copyToDense(given[i], dense);
    args[i].data = dense;
    dense += (denseBytes(given[i]) + alignment - 1) / alignment * alignment;
    runtime.trace.count(Counter::DenseCopies);
  }
  memcpy(static_cast<void *>(scratch), args, argCount * sizeof(aik_tensor));
  if (packed > 0) {
    if (module.remote)
      if (int32_t status = module.device.beginRun(*module.remote, {}))
        return status;
    int64_t status =
        finish("prepare", entry.prepare(env, args, scratch, storage));
    if (module.remote) {
      module.device.endRun();
      int32_t done = finishRun({}, status < 0 ? int32_t(status) : 0);
      status = done < 0 ? done : status;
    }
    if (status < 0)
      return status;
  }
  for (uint32_t i = 0; i < argCount; ++i)
    prepared[i] = isWeight(i) ? scratch[i] : given[i];
  return total;
}

/// For a run without prepared weights: packs them for this one call.
int32_t FunctionCall::packWeights() {
  bool any = false;
  for (uint32_t i = 0; i < meta->arg_count; ++i)
    any |= isWeight(i);
  if (!any)
    return 0;
  auto *packed = static_cast<aik_tensor *>(
      temporary(meta->arg_count * sizeof(aik_tensor)));
  if (!packed)
    return fail(AIK_ENOMEM, "no memory for the weights of '%s'", name);
  memcpy(static_cast<void *>(packed), args,
         meta->arg_count * sizeof(aik_tensor));
  int64_t bytes = finish("prepare", entry.prepare(env, args, packed, nullptr));
  if (bytes <= 0)
    return int32_t(bytes);
  void *storage = nullptr;
  if (module.remote) {
    if (int32_t status =
            takeScratch(Scratch::Weights, uint64_t(bytes), storage))
      return status;
  } else if (!(storage = temporary(uint64_t(bytes)))) {
    return fail(AIK_ENOMEM,
                "no memory for %lld bytes of packed weights of "
                "'%s'",
                (long long)bytes, name);
  }
  int64_t status = finish("prepare", entry.prepare(env, args, packed, storage));
  if (status < 0)
    return int32_t(status);
  for (uint32_t i = 0; i < meta->arg_count; ++i)
    if (isWeight(i))
      args[i] = packed[i];
  return 0;
}

//===----------------------------------------------------------------------===//
// Run
//===----------------------------------------------------------------------===//

/// The caller's results must have the computed shapes; dense ones are written
/// in place.
int32_t FunctionCall::takeResults(aik_tensor *given, uint32_t resultCount) {
  if (resultCount != meta->result_count)
    return fail(AIK_EINVAL, "'%s' has %u results, found %u", name,
                meta->result_count, resultCount);
  if (resultCount && !given)
    return fail(AIK_EFAULT, "the results of '%s' are a null pointer", name);
  for (uint32_t i = 0; i < resultCount; ++i) {
    if (int64_t bytes = plainBytes(result(i), results[i].dims, given[i],
                                   alignmentOf(given[i].rank))) {
      results[i] = given[i];
      resultRanges[i] = rangeOf(given[i], bytes);
      continue;
    }
    ValueName value = nameOf(i, true);
    if (int32_t status = checkTensor(value, given[i], true))
      return status;
    if (int32_t status =
            checkAgainst(value, result(i), results[i].dims, given[i]))
      return status;
    setDenseStrides(results[i]);
    resultRanges[i] = byteRange(given[i]);
    if (!isWritable(given[i]))
      return fail(AIK_EINVAL, "%s has strides by which it overlaps itself",
                  ValueText(value).text);
    results[i].data = given[i].data;
    if (module.remote && !fits(given[i]))
      return refuseStrides(value);
    if (!isUsable(given[i]))
      if (int32_t status = densify(given[i], results[i], false))
        return status;
  }
  return 0;
}

int32_t FunctionCall::checkOverlaps(const aik_tensor *givenArgs,
                                    const aik_tensor *givenResults) {
  for (uint32_t r = 0; r < meta->result_count; ++r) {
    for (uint32_t i = 0; i < r; ++i)
      if (resultRanges[r].overlaps(resultRanges[i]))
        return fail(AIK_EINVAL, "%s overlaps %s",
                    ValueText(nameOf(r, true)).text,
                    ValueText(nameOf(i, true)).text);
    for (uint32_t i = 0; i < meta->arg_count; ++i) {
      if (!resultRanges[r].overlaps(argRanges[i]))
        continue;
      bool donated = (argument(i).flags & AIK_VALUE_DONATED) &&
                     argument(i).donates == r &&
                     givenArgs[i].data == givenResults[r].data;
      if (donated)
        continue;
      return fail(AIK_EINVAL, "%s overlaps %s, which is not donated to it",
                  ValueText(nameOf(r, true)).text,
                  ValueText(nameOf(i, false)).text);
    }
  }
  for (uint32_t i = 0; i < meta->arg_count; ++i)
    if ((argument(i).flags & AIK_VALUE_MUTABLE) && !isWritable(givenArgs[i]))
      return fail(AIK_EINVAL, "%s has strides by which it overlaps itself",
                  ValueText(nameOf(i, false)).text);
  return 0;
}

/// Memory of a remote device. That there is none is said with what it is for.
int32_t FunctionCall::takeScratch(Scratch which, uint64_t bytes,
                                  void *&memory) {
  int32_t status = module.remote->scratch(which, bytes, memory);
  if (status != -AIK_ENOMEM)
    return status;
  FaultRecord said = threadState().record;
  return failWith(
      said.fault.backend_code, AIK_ENOMEM, "%.300s (%s of '%s')", said.message,
      which == Scratch::Weights ? "packed weights" : "workspace", name);
}

int32_t FunctionCall::takeWorkspace(const aik_run_options &options,
                                    void *&memory) {
  int64_t bytes = finish("workspace", entry.workspace(env, args));
  if (bytes < 0)
    return int32_t(bytes);
  memory = options.workspace;
  if (!memory && module.remote)
    return bytes ? takeScratch(Scratch::Workspace, uint64_t(bytes), memory) : 0;
  if (!memory) {
    if (bytes > 0 && !(memory = temporary(uint64_t(bytes))))
      return fail(AIK_ENOMEM, "no memory for %lld bytes of workspace of '%s'",
                  (long long)bytes, name);
    return 0;
  }
  if (options.workspace_bytes < uint64_t(bytes))
    return fail(AIK_EINVAL, "'%s' wants %lld bytes of workspace, found %llu",
                name, (long long)bytes,
                (unsigned long long)options.workspace_bytes);
  if (reinterpret_cast<uintptr_t>(memory) % AIK_WORKSPACE_ALIGNMENT != 0)
    return fail(AIK_EINVAL, "the workspace of '%s' is not aligned to %d", name,
                AIK_WORKSPACE_ALIGNMENT);
  return 0;
}

/// What was computed in dense copies goes to the caller's tensors.
void FunctionCall::copyBack(const aik_tensor *givenArgs,
                            const aik_tensor *givenResults) {
  for (uint32_t i = 0; i < meta->arg_count; ++i)
    if ((argument(i).flags & AIK_VALUE_MUTABLE) &&
        args[i].data != givenArgs[i].data)
      copyFromDense(args[i].data, givenArgs[i]);
  for (uint32_t i = 0; i < meta->result_count; ++i)
    if (results[i].data != givenResults[i].data)
      copyFromDense(results[i].data, givenResults[i]);
}

int32_t FunctionCall::compute(const aik_run_options &options) {
  if (!(options.flags & AIK_RUN_PREPARED))
    if (int32_t status = packWeights())
      return status;
  // Kernels of the run may ask for weights before those that pack them end.
  module.device.orderNextLaunch();
  void *workspace = nullptr;
  if (int32_t status = takeWorkspace(options, workspace))
    return status;
  runtime.trace.count(Counter::Runs);
  runtime.trace.event(AIK_TRACE_RUN, module.handle, index);
  return int32_t(finish("run", entry.run(env, args, results, workspace)));
}

int32_t FunctionCall::takeMode(const aik_run_options &options, RunMode &mode) {
  constexpr uint32_t known =
      AIK_RUN_PREPARED | AIK_RUN_ASYNC | AIK_RUN_ON_STREAM;
  if (options.flags & ~known)
    return fail(AIK_EINVAL, "unknown run flags 0x%x", options.flags);
  mode.isAsync = options.flags & AIK_RUN_ASYNC;
  mode.isOnStream = options.flags & AIK_RUN_ON_STREAM;
  mode.stream = options.stream;
  if (mode.stream && !mode.isOnStream)
    return fail(AIK_EINVAL,
                "a stream is given without the flag AIK_RUN_ON_STREAM");
  if (mode.isOnStream && !module.remote)
    return fail(AIK_EOPNOTSUPP,
                "the module is not on a device that takes streams");
  return 0;
}

/// Waits for a run, also for what one that failed has launched before: nothing
/// is written to the caller's tensors after the call. The first error stays.
int32_t FunctionCall::finishRun(const RunMode &mode, int32_t status) {
  Device &device = module.device;
  auto wait = [&] {
    int32_t done = mode.isOnStream ? device.waitForStream(mode.stream) : 0;
    return done < 0 ? done : device.wait(-1, WaitFor::OwnRuns);
  };
  if (status >= 0)
    return wait();
  FaultRecord first = threadState().record;
  wait();
  threadState().record = first;
  return status;
}

int32_t FunctionCall::run(const aik_tensor *givenArgs, uint32_t argCount,
                          aik_tensor *givenResults, uint32_t resultCount,
                          const aik_run_options &options) {
  RunMode mode;
  if (int32_t status = takeMode(options, mode))
    return status;
  bool prepared = options.flags & AIK_RUN_PREPARED;
  if (int32_t status = takeArguments(givenArgs, argCount, Data::All, prepared))
    return status;
  if (int32_t status = computeShapes())
    return status;
  if (int32_t status = takeResults(givenResults, resultCount))
    return status;
  if (int32_t status = checkOverlaps(givenArgs, givenResults))
    return status;
  Device &device = module.device;
  if (!device.executes())
    return 0;
  if (!module.remote) {
    int32_t status = compute(options);
    if (status < 0)
      return status;
    copyBack(givenArgs, givenResults);
    return 0;
  }
  if (int32_t status = device.beginRun(*module.remote, mode))
    return status;
  int32_t status = compute(options);
  device.endRun();
  if (mode.isAsync)
    return status < 0 ? status : 0;
  return finishRun(mode, status);
}
