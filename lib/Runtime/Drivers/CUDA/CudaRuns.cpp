//===- CudaRuns.cpp - Runs and recordings on a GPU ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a module and where its launches are to go. What comes out: the
// device is that run's until it ends, or a graph of the runs that were
// recorded.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaGraph.h"

using namespace aik;

int32_t CudaDevice::loadKernels(const aik_meta_image &image,
                                const uint8_t *bytes, const char *imageTarget,
                                const KernelTable &table, RemoteModule **out,
                                bool &refused) {
  CudaModule *module =
      create<CudaModule>(runtime.sys, *this, image, bytes, imageTarget, table);
  if (!module)
    return fail(AIK_ENOMEM, "no memory for a module");
  int32_t status;
  {
    ScopedLock lock(mutex);
    CudaScope scope(*this);
    status = scope.enter();
    if (status == 0)
      status = module->load(refused);
    if (status == 0) {
      module->next = modules;
      modules = module;
    }
  }
  if (status != 0) {
    module->destroy();
    return status;
  }
  *out = module;
  return 0;
}

int32_t CudaDevice::beginRun(RemoteModule &remote, const RunMode &mode) {
  auto &module = static_cast<CudaModule &>(remote);
  mutex.lock();
  cu::Context before = nullptr;
  int32_t status = enter(before);
  if (status == 0 && recording) {
    if (mode.isAsync && !mode.isOnStream)
      status = recording->add(module);
    else
      status = fail(AIK_EBUSY, "a graph is being recorded: only runs with "
                               "AIK_RUN_ASYNC, and not on a stream of the "
                               "caller's, can be part of it");
  }
  if (status != 0) {
    giveBack(before);
    mutex.unlock();
    return status;
  }
  if (mode.isOnStream) {
    target = static_cast<cu::Stream>(mode.stream);
    isOnCallersStream = true;
    running = &module;
  }
  callersContext = before;
  runHasLaunched = false;
  module.commands.stop();
  runner = &threadState();
  return 0;
}

void CudaDevice::endRun() {
  runner = nullptr;
  if (isOnCallersStream) {
    running->passOnScratch();
    isOnCallersStream = false;
    running = nullptr;
    target = stream;
  }
  giveBack(callersContext);
  mutex.unlock();
}

cu::Result CudaDevice::needCaptureStream() {
  return captureStream
             ? cu::Result(cu::success)
             : cuda.call.StreamCreate(&captureStream, cu::streamNonBlocking);
}

int32_t CudaDevice::beginGraph() {
  const cu::Functions &call = cuda.call;
  ScopedLock lock(mutex);
  CudaScope scope(*this);
  if (int32_t status = scope.enter())
    return status;
  if (recording)
    return fail(AIK_EBUSY, "a graph is being recorded already");
  cu::Result code = needCaptureStream();
  if (code == cu::success)
    code = call.StreamBeginCapture(captureStream, cu::captureRelaxed);
  if (int32_t status = check(code, "no graph can be recorded"))
    return status;
  recording = create<CudaGraph>(runtime.sys, *this);
  if (!recording) {
    cu::Graph graph = nullptr;
    if (call.StreamEndCapture(captureStream, &graph) == cu::success && graph)
      call.GraphDestroy(graph);
    return fail(AIK_ENOMEM, "no memory for a graph");
  }
  target = captureStream;
  return 0;
}

int32_t CudaDevice::endGraph(RemoteGraph **out) {
  ScopedLock lock(mutex);
  CudaScope scope(*this);
  if (!recording)
    return fail(AIK_EINVAL, "no graph is being recorded");
  if (int32_t status = scope.enter()) {
    dropRecording();
    return status;
  }
  CudaGraph *graph = recording;
  recording = nullptr;
  target = stream;
  if (int32_t status = graph->finish(captureStream)) {
    graph->drop();
    return status;
  }
  *out = graph;
  return 0;
}

void CudaDevice::dropRecording() {
  CudaGraph *graph = recording;
  recording = nullptr;
  target = stream;
  cu::Graph captured = nullptr;
  CudaScope scope(*this);
  if (scope.attach() &&
      cuda.call.StreamEndCapture(captureStream, &captured) == cu::success &&
      captured)
    cuda.call.GraphDestroy(captured);
  graph->drop();
}
