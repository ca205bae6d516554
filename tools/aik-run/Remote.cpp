//===- Remote.cpp - Tensors on a device with memory of its own ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tensor has a buffer of its own, so that what is written beyond one has
// a chance to be seen.
//
//===----------------------------------------------------------------------===//

#include "Remote.h"

namespace aikrun {
namespace {

uint64_t bytesOf(const aik_tensor &view) {
  uint64_t bytes = aik_dtype_size(view.dtype);
  for (uint32_t i = 0; i < view.rank; ++i)
    bytes *= static_cast<uint64_t>(view.dims[i]);
  return bytes;
}

} // namespace

Error RemoteMemory::prepare(const Module &module, const Function &function,
                            std::vector<aik_tensor> &args,
                            std::vector<aik_tensor> &results, bool &prepared) {
  std::vector<aik_tensor> onHost = args;
  argBuffers.resize(args.size());
  resultBuffers.resize(results.size());
  isDonated.assign(results.size(), false);
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].rank == 0)
      continue; // launchers read those here
    uint64_t bytes = bytesOf(args[i]);
    if (Error error = module.allocate(bytes, argBuffers[i]))
      return error;
    if (bytes)
      if (Error error = argBuffers[i].write(args[i].data, bytes))
        return error;
    args[i].data = argBuffers[i].address();
  }
  for (size_t i = 0; i < results.size(); ++i) {
    for (size_t j = 0; j < args.size() && results[i].data; ++j)
      if (onHost[j].data == results[i].data && onHost[j].rank) {
        resultBuffers[i] = std::move(argBuffers[j]);
        isDonated[i] = true;
      }
    if (!isDonated[i])
      if (Error error = module.allocate(bytesOf(results[i]), resultBuffers[i]))
        return error;
    results[i].data = resultBuffers[i].address();
  }
  uint64_t bytes = 0;
  std::vector<aik_tensor> packed;
  if (Error error = module.prepare(function, args, nullptr, 0, packed, bytes))
    return error;
  if (bytes == 0)
    return Error();
  if (Error error = module.allocate(bytes, weights))
    return error;
  if (Error error = module.prepare(function, args, weights.address(), bytes,
                                   packed, bytes))
    return error;
  prepared = true;
  args = packed;
  return Error();
}

Error RemoteMemory::poisonResults(const std::vector<Tensor> &results) const {
  for (size_t i = 0; i < results.size(); ++i)
    if (!isDonated[i] && results[i].buffer.size())
      if (Error error = resultBuffers[i].write(results[i].buffer.data(),
                                               results[i].buffer.size()))
        return error;
  return Error();
}

Error RemoteMemory::poisonWorkspace(const Module &module, uint64_t bytes) {
  if (bytes == 0)
    return Error();
  if (Error error = module.allocate(bytes, workspaceBuffer))
    return error;
  // All ones are NaN in every type of float, and no position or count.
  std::vector<uint8_t> ones(bytes, 0xff);
  return workspaceBuffer.write(ones.data(), bytes);
}

Error RemoteMemory::readBack(const Function &function,
                             const std::vector<Tensor> &args,
                             const std::vector<Tensor> &results) const {
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].buffer.size())
      if (Error error = resultBuffers[i].read(results[i].buffer.data(),
                                              results[i].buffer.size()))
        return error;
  for (size_t i = 0; i < args.size(); ++i)
    if (function.args[i].isMutable && argBuffers[i].address() &&
        args[i].buffer.size())
      if (Error error =
              argBuffers[i].read(args[i].buffer.data(), args[i].buffer.size()))
        return error;
  return Error();
}

} // namespace aikrun
