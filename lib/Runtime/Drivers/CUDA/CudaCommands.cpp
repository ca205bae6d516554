//===- CudaCommands.cpp - Command buffers of compiled code ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: launches that are kept. Out: a graph of them, launched. What is kept are
// words on the host, which cost nothing to compare with those that the graph
// was made of: tensor maps and the driver come into play only where something
// differs.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaCommands.h"

#include "Drivers/CUDA/CudaModule.h"

#include <string.h>

using namespace aik;

namespace {
/// Of a launch, before its parameters: the kernel's number and the blocks.
constexpr size_t headWords = 2;
constexpr size_t leastCapacity = 64;
} // namespace

CudaCommands::Buffer *CudaCommands::find(uint32_t number) const {
  Buffer *buffer = buffers;
  while (buffer && buffer->number != number)
    buffer = buffer->next;
  return buffer;
}

bool CudaCommands::append(Words &to, const uint64_t *words, size_t count) {
  Sys &sys = module.device.runtime.sys;
  if (to.capacity - to.count < count) {
    size_t capacity = to.capacity ? to.capacity : leastCapacity;
    while (capacity - to.count < count)
      capacity *= 2;
    auto *larger = static_cast<uint64_t *>(
        sys.allocate(capacity * sizeof(uint64_t), alignof(uint64_t)));
    if (!larger)
      return false;
    if (to.count)
      memcpy(larger, to.data, to.count * sizeof(uint64_t));
    sys.release(to.data);
    to.data = larger;
    to.capacity = capacity;
  }
  if (count)
    memcpy(to.data + to.count, words, count * sizeof(uint64_t));
  to.count += count;
  return true;
}

int32_t CudaCommands::begin(uint32_t number) {
  current = find(number);
  if (!current) {
    current = create<Buffer>(module.device.runtime.sys,
                             Buffer{buffers, number, {}, {}, nullptr});
    if (!current)
      return fail(AIK_ENOMEM, "no memory for commands");
    buffers = current;
  }
  current->kept.count = 0;
  return 0;
}

int32_t CudaCommands::keep(uint32_t kernel, int64_t blocks,
                           const void *parameters) {
  if (blocks == 0)
    return 0;
  uint64_t head[headWords] = {kernel, uint64_t(blocks)};
  size_t before = current->kept.count;
  if (append(current->kept, head, headWords) &&
      append(current->kept, static_cast<const uint64_t *>(parameters),
             module.kernels[kernel].row->parameters))
    return 0;
  current->kept.count = before;
  return fail(AIK_ENOMEM, "no memory for a command");
}

/// each(kernel, blocks, parameters, order), which may change the parameters.
template <typename Function>
int32_t CudaCommands::forLaunches(const Words &words, Function each) {
  uint64_t parameters[KernelTable::maxParameters];
  LaunchOrder order = LaunchOrder::AfterEverything;
  for (size_t at = 0; at < words.count;) {
    const CudaKernel &kernel = module.kernels[words.data[at]];
    size_t count = kernel.row->parameters;
    if (count)
      memcpy(parameters, words.data + at + headWords, count * sizeof(uint64_t));
    if (int32_t failed =
            each(kernel, int64_t(words.data[at + 1]), parameters, order))
      return failed;
    order = LaunchOrder::MayOverlap;
    at += headWords + count;
  }
  return 0;
}

int32_t CudaCommands::capture(const Words &words, cu::Graph &graph) {
  CudaDevice &device = module.device;
  const cu::Functions &call = device.cuda.call;
  cu::Result code = device.needCaptureStream();
  if (code == cu::success)
    code = call.StreamBeginCapture(device.captureStream, cu::captureRelaxed);
  if (int32_t failed = device.check(code, "commands cannot be recorded"))
    return failed;
  int32_t failed =
      forLaunches(words, [&](const CudaKernel &kernel, int64_t blocks,
                             void *parameters, LaunchOrder order) {
        return module.enqueue(kernel, blocks, parameters, device.captureStream,
                              order);
      });
  code = call.StreamEndCapture(device.captureStream, &graph);
  return failed ? failed : device.check(code, "commands cannot be recorded");
}

/// Makes the graph of what is kept, or of the one that is there.
int32_t CudaCommands::build(Buffer &buffer) {
  CudaDevice &device = module.device;
  const cu::Functions &call = device.cuda.call;
  buffer.built.count = 0; // until it is done
  cu::Graph graph = nullptr;
  int32_t failed = capture(buffer.kept, graph);
  if (failed == 0) {
    cu::GraphUpdate why = {};
    cu::Result code = cu::success;
    if (buffer.exec)
      code = call.GraphExecUpdate(buffer.exec, graph, &why);
    if (code != cu::success && !CudaDevice::isSticky(code)) {
      // Other kernels, or more of them. Where the old one still runs, the
      // driver keeps what it needs until it ends.
      call.GraphExecDestroy(buffer.exec);
      buffer.exec = nullptr;
      code = cu::success;
    }
    if (code == cu::success && !buffer.exec)
      code = call.GraphInstantiateWithFlags(&buffer.exec, graph, 0);
    if (code != cu::success)
      buffer.exec = nullptr;
    failed = device.check(code, "commands cannot be made a graph");
  }
  if (graph)
    call.GraphDestroy(graph);
  if (failed == 0 && !append(buffer.built, buffer.kept.data, buffer.kept.count))
    failed = fail(AIK_ENOMEM, "no memory for commands");
  return failed;
}

int32_t CudaCommands::submit(uint32_t number) {
  CudaDevice &device = module.device;
  Buffer *buffer = find(number);
  if (!buffer || buffer == current)
    return fail(AIK_EINVAL, "commands %u were not recorded", number);
  const Words &kept = buffer->kept, &built = buffer->built;
  if (kept.count == 0)
    return 0;
  cu::Stream stream = device.target;
  bool isCaptured = false;
  if (int32_t failed = device.isTargetCaptured(isCaptured))
    return failed;
  // A graph within a graph gains nothing.
  if (isCaptured) {
    device.orderNextLaunch();
    return forLaunches(kept, [&](const CudaKernel &kernel, int64_t blocks,
                                 void *parameters, LaunchOrder order) {
      return module.launch(kernel, blocks, parameters, stream, order);
    });
  }
  bool isBuilt =
      buffer->exec && kept.count == built.count &&
      memcmp(kept.data, built.data, kept.count * sizeof(uint64_t)) == 0;
  if (!isBuilt)
    if (int32_t failed = build(*buffer))
      return failed;
  if (int32_t failed =
          device.check(device.cuda.call.GraphLaunch(buffer->exec, stream),
                       "commands cannot be launched"))
    return failed;
  forLaunches(kept,
              [&](const CudaKernel &kernel, int64_t, void *, LaunchOrder) {
                module.noteEnqueued(kernel, stream);
                return 0;
              });
  // What comes after a graph waits for all of it.
  device.orderNextLaunch();
  return 0;
}

void CudaCommands::release() {
  for (Buffer *buffer = buffers; buffer; buffer = buffer->next)
    if (buffer->exec)
      module.device.cuda.call.GraphExecDestroy(buffer->exec);
  forget();
}

void CudaCommands::forget() {
  for (Buffer *buffer = buffers; buffer; buffer = buffer->next)
    buffer->exec = nullptr;
  current = nullptr;
}

void CudaCommands::drop() {
  Sys &sys = module.device.runtime.sys;
  while (buffers) {
    Buffer *buffer = buffers;
    buffers = buffer->next;
    sys.release(buffer->kept.data);
    sys.release(buffer->built.data);
    dispose(sys, buffer);
  }
}
