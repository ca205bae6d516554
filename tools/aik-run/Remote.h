//===- Remote.h - Tensors on a device with memory of its own --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host's tensors of one call go in; views of their copies on the device,
// and what the call wrote there, come out.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_REMOTE_H
#define AIK_RUN_REMOTE_H

#include "Program.h"
#include "Tensor.h"

namespace aikrun {

class RemoteMemory {
public:
  /// Copies all arguments but scalars, makes room for the results and prepares
  /// weights; the views change to where everything is on the device. A result
  /// with the address of a donated argument gets that one's place.
  Error prepare(const Module &module, const Function &function,
                std::vector<aik_tensor> &args, std::vector<aik_tensor> &results,
                bool &prepared);
  /// Copies what `results` hold to those that no argument was donated to.
  Error poisonResults(const std::vector<Tensor> &results) const;
  /// A workspace that is full of NaN: what reads it before something is written
  /// there shows in the results.
  Error poisonWorkspace(const Module &module, uint64_t bytes);
  void *workspace() const { return workspaceBuffer.address(); }
  /// Copies results and the arguments that the function writes to.
  Error readBack(const Function &function, const std::vector<Tensor> &args,
                 const std::vector<Tensor> &results) const;

private:
  std::vector<DeviceBuffer> argBuffers, resultBuffers;
  std::vector<bool> isDonated; // per result
  DeviceBuffer weights, workspaceBuffer;
};

} // namespace aikrun

#endif // AIK_RUN_REMOTE_H
