//===- CudaGraph.cpp - Recorded runs --------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recording happens on a stream of its own, so that copies and packets go on
// meanwhile.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaGraph.h"

using namespace aik;

int32_t CudaGraph::addPart(CudaModule *module, CudaBlock block) {
  Part *part = create<Part>(device.runtime.sys, Part{parts, module, block});
  if (!part)
    return fail(AIK_ENOMEM, "no memory for a part of a graph");
  parts = part;
  return 0;
}

bool CudaGraph::uses(const CudaModule &module) const {
  for (const Part *part = parts; part; part = part->next)
    if (part->module == &module)
      return true;
  return false;
}

int32_t CudaGraph::add(CudaModule &module) {
  if (uses(module))
    return 0;
  if (int32_t failed = addPart(&module, {}))
    return failed;
  module.users->fetch_add(1, std::memory_order_acq_rel);
  return 0;
}

int32_t CudaGraph::scratch(Scratch which, uint64_t bytes,
                           cu::Pointer &address) {
  CudaBlock &block = current[uint32_t(which)];
  if (block.bytes < bytes) {
    // What was recorded before goes on using the block that it was given.
    CudaBlock larger;
    if (int32_t failed = device.grow(larger, bytes))
      return failed;
    if (int32_t failed = addPart(nullptr, larger)) {
      device.discard(larger);
      return failed;
    }
    block = larger;
  }
  address = block.address;
  return 0;
}

int32_t CudaGraph::finish(cu::Stream captured) {
  const cu::Functions &call = device.cuda.call;
  cu::Graph graph = nullptr;
  cu::Result code = call.StreamEndCapture(captured, &graph);
  if (code == cu::success)
    code = call.GraphInstantiateWithFlags(&exec, graph, 0);
  if (graph)
    call.GraphDestroy(graph);
  if (code != cu::success)
    exec = nullptr;
  return device.check(code, "the graph cannot be made");
}

void CudaGraph::drop() {
  CudaScope scope(device);
  bool alive = scope.attach() && madeIn == device.memoryEpoch();
  if (alive && exec) {
    device.finishEverything(wasOnCallersStream);
    device.cuda.call.GraphExecDestroy(exec);
  }
  while (parts) {
    Part *part = parts;
    parts = part->next;
    if (part->module)
      part->module->users->fetch_sub(1, std::memory_order_acq_rel);
    else if (alive)
      device.discard(part->block);
    dispose(device.runtime.sys, part);
  }
  dispose(device.runtime.sys, this);
}

void CudaGraph::destroy() {
  ScopedLock lock(device.mutex);
  drop();
}

int32_t CudaGraph::launch(const RunMode &mode) {
  ScopedLock lock(device.mutex);
  CudaScope scope(device);
  if (int32_t failed = scope.enter())
    return failed;
  if (madeIn != device.memoryEpoch())
    return fail(AIK_ENOENT, "the graph was lost when the device was reset; "
                            "close it and record it again");
  cu::Stream stream =
      mode.isOnStream ? static_cast<cu::Stream>(mode.stream) : device.stream;
  if (int32_t failed = device.check(device.cuda.call.GraphLaunch(exec, stream),
                                    "the graph cannot be launched"))
    return failed;
  if (mode.isOnStream) {
    device.noteCallersWork(stream);
    wasOnCallersStream = true;
  }
  uint64_t first = recorded < CudaDevice::historyLength
                       ? 0
                       : recorded - CudaDevice::historyLength;
  for (uint64_t i = first; i < recorded; ++i)
    device.keepName(names[i % CudaDevice::historyLength]);
  for (Part *part = parts; part; part = part->next)
    if (part->module)
      part->module->expectChecks(mode.isOnStream);
  return 0;
}
