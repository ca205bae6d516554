//===- CudaLaunch.cpp - Launches of a module's kernels --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a kernel's number, its blocks and its parameters, from compiled
// code. What comes out: one call of the CUDA driver, and a note of it for who
// waits and for who has to name the kernels of a fault.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaGraph.h"

using namespace aik;

namespace {
int32_t refuseBlocks(const aik_kernel &row, int64_t blocks) {
  if (blocks > INT32_MAX)
    return fail(AIK_EINVAL,
                "kernel '%s' would be launched with %lld blocks; a device "
                "takes at most %d",
                row.name, (long long)blocks, INT32_MAX);
  return fail(AIK_EINVAL,
              "kernel '%s' cannot be launched with %lld blocks in clusters of "
              "%u",
              row.name, (long long)blocks, row.cluster);
}
} // namespace

int32_t CudaModule::launchFromCode(const aik_env *env, uint32_t kernel,
                                   int64_t blocks, void *parameters) {
  auto &module = static_cast<CudaModule &>(
      *reinterpret_cast<const LauncherEnv *>(env)->module);
  if (kernel >= module.kernelCount)
    return fail(AIK_EINVAL,
                "image '%.120s' has %u kernels, none with number "
                "%u",
                module.imageTarget, module.kernelCount, kernel);
  if (module.commands.isKeeping())
    return module.commands.keep(kernel, blocks, parameters);
  return module.launch(
      module.kernels[kernel], blocks, parameters, module.device.target,
      module.device.runHasLaunched ? LaunchOrder::MayOverlap
                                   : LaunchOrder::AfterEverything);
}

int32_t CudaModule::launch(const CudaKernel &kernel, int64_t blocks,
                           void *parameters, cu::Stream stream,
                           LaunchOrder order) {
  if (blocks == 0)
    return 0;
  if (int32_t failed = enqueue(kernel, blocks, parameters, stream, order))
    return failed;
  noteEnqueued(kernel, stream);
  return 0;
}

int32_t CudaModule::enqueue(const CudaKernel &kernel, int64_t blockCount,
                            void *parameters, cu::Stream stream,
                            LaunchOrder order) {
  const aik_kernel &row = *kernel.row;
  const cu::Functions &call = device.cuda.call;
  if (blockCount <= 0 || blockCount > INT32_MAX ||
      blockCount % row.cluster != 0)
    return refuseBlocks(row, blockCount);
  auto *words = static_cast<uint64_t *>(parameters);
  if (row.flags & AIK_KERNEL_STATUS)
    words[0] = status;
  if (row.flags & AIK_KERNEL_RESIDENT) {
    if (blockCount > kernel.residentBlocks)
      blockCount = kernel.residentBlocks;
    words[row.parameters - 1] = uint64_t(blockCount);
  }
  for (uint32_t i = 0; i < kernel.mapCount; ++i)
    if (int32_t failed = maps.encode(device, kernel.maps[i],
                                     words + kernel.maps[i].parameter))
      return failed;
  size_t bytes = size_t(row.parameters) * 8;
  void *block[] = {cu::parameterBuffer, parameters, cu::parameterBytes, &bytes,
                   nullptr};
  void **extra = row.parameters ? block : nullptr;
  // Where maps are in a block, only the driver knows: it aligns them to 64
  // bytes in a memory of which the parameters begin elsewhere.
  void *pointers[KernelTable::maxParameters];
  void **each = nullptr;
  if (kernel.mapCount) {
    const aik_tensor_map *map = kernel.maps;
    const aik_tensor_map *end = map + kernel.mapCount;
    each = pointers;
    extra = nullptr;
    for (uint32_t word = 0, count = 0; word < row.parameters; ++count) {
      bool isMap = map != end && map->parameter == word;
      pointers[count] = words + word;
      word += isMap ? AIK_MAP_WORDS : 1;
      map += isMap;
    }
  }
  unsigned grid = unsigned(blockCount);
  bool isCaptured = stream && stream == device.captureStream;
  bool overlaps = (row.flags & AIK_KERNEL_OVERLAPS) &&
                  order == LaunchOrder::MayOverlap &&
                  (!isCaptured || device.cuda.overlapsInGraphs);
  cu::Result code;
  if (row.cluster == 1 && !overlaps) {
    code = call.LaunchKernel(kernel.function, grid, 1, 1, row.threads, 1, 1,
                             row.shared_bytes, stream, each, extra);
  } else {
    cu::LaunchAttribute attributes[2] = {};
    unsigned count = 0;
    if (row.cluster > 1)
      attributes[count++] = {cu::attributeCluster, 0, {row.cluster, 1, 1}};
    if (overlaps)
      attributes[count++] = {cu::attributeOverlap, 0, {1}};
    cu::LaunchConfig config = {
        grid,   1,          1,    row.threads, 1, 1, row.shared_bytes,
        stream, attributes, count};
    code = call.LaunchKernelEx(&config, kernel.function, each, extra);
  }
  return device.check(code, "a kernel cannot be launched", row.name);
}

void CudaModule::noteEnqueued(const CudaKernel &kernel, cu::Stream stream) {
  const aik_kernel &row = *kernel.row;
  device.runHasLaunched = true;
  if (device.recording && stream == device.target) {
    device.recording->keepName(row.name);
    return;
  }
  device.keepName(row.name);
  bool isOnCallersStream = stream != device.stream;
  if (isOnCallersStream) {
    device.noteCallersWork(stream);
    wasOnCallersStream = true;
  }
  if (row.flags & AIK_KERNEL_STATUS)
    expectChecks(isOnCallersStream);
}
