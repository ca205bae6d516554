//===- CudaModule.cpp - The kernels of one image on a GPU -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kernel of the table is found when the image is loaded, so that a
// launch is one look into an array and one call of the CUDA driver.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaModule.h"

#include "Core/ElfCheck.h"
#include "Drivers/CUDA/CudaGraph.h"

#include <string.h>

using namespace aik;

namespace {
/// More dynamic shared memory than this must be asked for beforehand.
constexpr uint32_t freeSharedBytes = 48 << 10;
constexpr uint32_t portableCluster = 8;

/// The driver does not take the image, whatever the state of the machine.
bool isRefusal(cu::Result code) {
  switch (code) {
  case cu::invalidImage:
  case cu::noBinaryForGpu:
  case cu::invalidPtx:
  case cu::jitCompilerNotFound:
  case cu::unsupportedPtxVersion:
  case cu::jitCompilationDisabled:
  case cu::invalidSource:
    return true;
  default:
    return false;
  }
}

/// cuModuleLoadDataEx takes no size and finds out by itself what it is given.
const char *whyUnsafe(const aik_meta_image &image, const uint8_t *bytes) {
  if (image.kind != AIK_IMAGE_PTX)
    return elf::whyNoCubin(bytes, image.size);
  bool isText = image.size && memchr("/. \t\r\n", bytes[0], 6) &&
                !memchr(bytes, 0, image.size);
  return isText ? nullptr : "it is not PTX";
}
} // namespace

CudaModule::CudaModule(CudaDevice &device, const aik_meta_image &image,
                       const uint8_t *bytes, const char *imageTarget,
                       const KernelTable &table)
    : device(device), kernelCount(table.kernelCount), commands(*this),
      image(image), imageBytes(bytes), imageTarget(imageTarget), table(table) {
  launcher = {device.env, this};
  launcher.env.launch = launchFromCode;
  launcher.env.syscall = syscallFromCode;
  for (uint32_t i = 0; i < kernelCount; ++i)
    hasStatus |= (table.kernels[i].flags & AIK_KERNEL_STATUS) != 0;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

int32_t CudaModule::load(bool &refused) {
  refused = false;
  if (int32_t failed = loadImage(refused))
    return failed;
  if (int32_t failed = resolve()) {
    unload();
    return failed;
  }
  return 0;
}

int32_t CudaModule::loadImage(bool &refused) {
  const cu::Functions &call = device.cuda.call;
  if (const char *why = whyUnsafe(image, imageBytes))
    return fail(AIK_ENOEXEC, "%s image '%.100s' cannot be loaded: %s",
                aik_image_kind_name(image.kind), imageTarget, why);
  ScopedMemory text(device.runtime.sys);
  const void *data = imageBytes;
  if (image.kind == AIK_IMAGE_PTX) {
    auto *copy = static_cast<char *>(text.allocate(image.size + 1, 1));
    if (!copy)
      return fail(AIK_ENOMEM, "no memory for %llu bytes of PTX",
                  (unsigned long long)image.size);
    memcpy(copy, imageBytes, image.size);
    copy[image.size] = 0;
    data = copy;
  }
  char log[2048] = "";
  int options[] = {cu::jitErrorLogBuffer, cu::jitErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  cu::Result code = call.ModuleLoadDataEx(&module, data, 2, options, values);
  if (code == cu::success)
    return 0;
  module = nullptr;
  if (!isRefusal(code))
    return device.check(code, "the image cannot be loaded", imageTarget);
  refused = true;
  log[strcspn(log, "\n")] = 0;
  return failWith(code, AIK_ENOEXEC,
                  "the CUDA driver refuses %s image '%.100s': %s (%d)%s%.200s",
                  aik_image_kind_name(image.kind), imageTarget,
                  device.cuda.nameOf(code), code, *log ? ": " : "", log);
}

/// How many blocks the device holds at the same time.
cu::Result CudaModule::countResident(CudaKernel &kernel) {
  const cu::Functions &call = device.cuda.call;
  const aik_kernel &row = *kernel.row;
  int count = 0;
  cu::Result code;
  if (row.cluster == 1) {
    code = call.OccupancyMaxActiveBlocksPerMultiprocessor(
        &count, kernel.function, int(row.threads), row.shared_bytes);
    count *= int(device.multiprocessors);
  } else {
    // Clusters need neighbours: there may be fewer than the blocks add up to.
    cu::LaunchAttribute attribute = {
        cu::attributeCluster, 0, {row.cluster, 1, 1}};
    cu::LaunchConfig config = {
        row.cluster,   1,          1, row.threads, 1, 1, row.shared_bytes,
        device.stream, &attribute, 1};
    code = call.OccupancyMaxActiveClusters(&count, kernel.function, &config);
    count *= int(row.cluster);
  }
  kernel.residentBlocks = count > 0 ? uint32_t(count) : row.cluster;
  return code;
}

int32_t CudaModule::resolveKernel(CudaKernel &kernel) {
  const cu::Functions &call = device.cuda.call;
  const aik_kernel &row = *kernel.row;
  bool isResident = row.flags & AIK_KERNEL_RESIDENT;
  const char *missing = nullptr;
  if (!call.LaunchKernelEx &&
      (row.cluster > 1 || (row.flags & AIK_KERNEL_OVERLAPS)))
    missing = "cuLaunchKernelEx";
  else if (!call.OccupancyMaxActiveClusters && row.cluster > 1 && isResident)
    missing = "cuOccupancyMaxActiveClusters";
  else if (!call.TensorMapEncodeTiled && (row.flags & AIK_KERNEL_TENSOR_MAPS))
    missing = "cuTensorMapEncodeTiled";
  if (missing)
    return fail(AIK_EOPNOTSUPP, "kernel '%s' needs a CUDA driver with %s",
                row.name, missing);
  cu::Result code = call.ModuleGetFunction(&kernel.function, module, row.name);
  if (code == cu::notFound)
    return failWith(code, AIK_ENOEXEC, "image '%.120s' has no kernel '%s'",
                    imageTarget, row.name);
  if (code == cu::success && row.shared_bytes > freeSharedBytes)
    code = call.FuncSetAttribute(kernel.function, cu::maxDynamicSharedBytes,
                                 int(row.shared_bytes));
  if (code == cu::success && row.cluster > portableCluster)
    code = call.FuncSetAttribute(kernel.function, cu::nonPortableCluster, 1);
  // Else it is loaded by its first launch, which cannot be recorded then.
  if (code == cu::success && call.FuncLoad)
    code = call.FuncLoad(kernel.function);
  if (code == cu::success && isResident)
    code = countResident(kernel);
  if (int32_t failed = device.check(code, "a kernel cannot be had", row.name))
    return failed;
  if (!(row.flags & AIK_KERNEL_TENSOR_MAPS))
    return 0;
  for (uint32_t i = 0; i < table.mapCount; ++i)
    if (table.kernelOf(table.maps[i]) == &row) {
      kernel.maps = kernel.maps ? kernel.maps : &table.maps[i];
      ++kernel.mapCount;
    }
  return maps.start(device.runtime.sys);
}

int32_t CudaModule::resolve() {
  const cu::Functions &call = device.cuda.call;
  Sys &sys = device.runtime.sys;
  if (!kernels)
    kernels = static_cast<CudaKernel *>(
        sys.allocate(sizeof(CudaKernel) * kernelCount, alignof(CudaKernel)));
  if (!kernels)
    return fail(AIK_ENOMEM, "no memory for %u kernels", kernelCount);
  for (uint32_t i = 0; i < kernelCount; ++i) {
    kernels[i] = {nullptr, &table.kernels[i], nullptr, 0, 0};
    if (int32_t failed = resolveKernel(kernels[i]))
      return failed;
  }
  if (!hasStatus)
    return 0;
  cu::Result code = call.MemAlloc(&status, sizeof(aik_device_status));
  if (code == cu::success)
    code = clearStatus();
  void *host = nullptr;
  if (code == cu::success)
    code = call.MemHostAlloc(&host, sizeof(aik_device_status), 0);
  fetched = static_cast<uint32_t *>(host);
  if (fetched)
    *fetched = 0;
  return device.check(code, "no memory for the status of an image",
                      imageTarget);
}

void CudaModule::unload() {
  const cu::Functions &call = device.cuda.call;
  call.StreamSynchronize(device.stream);
  if (scratchIsFree) {
    call.EventSynchronize(scratchIsFree);
    call.EventDestroy(scratchIsFree);
  }
  commands.release();
  for (CudaBlock &block : blocks)
    device.discard(block);
  if (status)
    call.MemFree(status);
  if (fetched)
    call.MemFreeHost(fetched);
  if (module)
    call.ModuleUnload(module);
  forget();
}

void CudaModule::forget() {
  module = nullptr;
  status = 0;
  fetched = nullptr;
  statusIsStale = false;
  checks.forget();
  commands.forget();
  scratchIsFree = nullptr;
  scratchIsCallers = false;
  for (CudaBlock &block : blocks)
    block = {};
}

void CudaModule::destroy() {
  Sys &sys = device.runtime.sys;
  {
    ScopedLock lock(device.mutex);
    if (device.recording && device.recording->uses(*this))
      device.dropRecording();
    for (CudaModule **link = &device.modules; *link; link = &(*link)->next)
      if (*link == this) {
        *link = next;
        break;
      }
    if (device.attach())
      unload();
  }
  maps.stop(sys);
  commands.drop();
  sys.release(kernels);
  dispose(sys, this);
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

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

int32_t CudaModule::openCommands(const char *name) {
  auto info = aik_device_info();
  device.describe(info);
  if (!name || strcmp(name, "self") == 0 || strcmp(name, info.name) == 0)
    return 0;
  return fail(AIK_ENODEV,
              "a queue of '%.60s' cannot take commands of a function that runs "
              "on %s",
              name, info.name);
}

/// Memory of the host that kernels find at the same address.
int64_t CudaModule::allocatePinned(int64_t bytes, int64_t alignment,
                                   int64_t flags, aik_memory_info *out) {
  bool isCaptured = false;
  if (int32_t failed = device.isTargetCaptured(isCaptured))
    return failed;
  if (isCaptured)
    return fail(AIK_EBUSY, "memory that a function allocates cannot be part of "
                           "a graph");
  aik_runtime *runtime = &device.runtime;
  int64_t status =
      aik_syscall(runtime, AIK_SYS_MEM_ALLOC_PINNED, bytes, alignment, flags,
                  reinterpret_cast<int64_t>(out), 0, 0);
  if (status < 0)
    return status;
  uint64_t seenAt = 0;
  status = aik_syscall(runtime, AIK_SYS_MEM_MAP_DEVICE, int64_t(out->handle),
                       int64_t(device.handle), AIK_PROT_READ | AIK_PROT_WRITE,
                       reinterpret_cast<int64_t>(&seenAt), 0, 0);
  if (status >= 0 && seenAt != reinterpret_cast<uint64_t>(out->address))
    status = fail(AIK_EOPNOTSUPP,
                  "nvidia:%u sees the host's memory at other "
                  "addresses than the host",
                  device.ordinal);
  if (status < 0)
    aik_memory_free(runtime, out->handle);
  return status;
}

int64_t CudaModule::syscallFromCode(const aik_env *env, int64_t number,
                                    int64_t a0, int64_t a1, int64_t a2,
                                    int64_t a3, int64_t a4, int64_t a5) {
  auto &module = static_cast<CudaModule &>(
      *reinterpret_cast<const LauncherEnv *>(env)->module);
  CudaCommands &commands = module.commands;
  switch (number) {
  case AIK_SYS_MEM_ALLOC_PINNED:
    return module.allocatePinned(a0, a1, a2,
                                 reinterpret_cast<aik_memory_info *>(a3));
  case AIK_SYS_COMMANDS_OPEN:
    return module.openCommands(reinterpret_cast<const char *>(a0));
  case AIK_SYS_COMMANDS_BEGIN:
    return commands.begin(uint32_t(a0));
  case AIK_SYS_COMMANDS_END:
    commands.stop();
    return 0;
  case AIK_SYS_COMMANDS_SUBMIT:
    return commands.submit(uint32_t(a0));
  case AIK_SYS_COMMANDS_WAIT:
    return module.device.finishRun(a0);
  default:
    return aik_syscall(&module.device.runtime, number, a0, a1, a2, a3, a4, a5);
  }
}

int32_t CudaModule::launch(const CudaKernel &kernel, int64_t blocks,
                           void *parameters, cu::Stream stream,
                           LaunchOrder order) {
  if (blocks == 0)
    return 0;
  if (int32_t failed = enqueue(kernel, blocks, parameters, stream, order))
    return failed;
  noteLaunchOf(kernel, stream);
  return 0;
}

int32_t CudaModule::enqueue(const CudaKernel &kernel, int64_t blockCount,
                            void *parameters, cu::Stream stream,
                            LaunchOrder order) {
  const aik_kernel &row = *kernel.row;
  const cu::Functions &call = device.cuda.call;
  if (blockCount <= 0 || blockCount > INT32_MAX ||
      blockCount % row.cluster != 0)
    return fail(AIK_EINVAL,
                "kernel '%s' cannot be launched with %lld blocks in clusters "
                "of %u",
                row.name, (long long)blockCount, row.cluster);
  auto *words = static_cast<uint64_t *>(parameters);
  if (row.flags & AIK_KERNEL_STATUS) {
    words[0] = status;
  }
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

void CudaModule::noteLaunchOf(const CudaKernel &kernel, cu::Stream stream) {
  const aik_kernel &row = *kernel.row;
  device.runHasLaunched = true;
  if (device.recording && stream == device.target) {
    device.recording->noteLaunch(row.name);
    return;
  }
  device.noteLaunch(row.name);
  if (stream != device.stream)
    device.noteCallersWork(stream);
  if (row.flags & AIK_KERNEL_STATUS)
    noteLaunch(stream != device.stream);
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

/// The run's stream waits for the one that used the blocks last. An event is
/// recorded behind each run on a caller's stream, which may be gone by now.
int32_t CudaModule::takeScratch() {
  const cu::Functions &call = device.cuda.call;
  if (!device.isOnCallersStream && !scratchIsCallers)
    return 0;
  cu::Result code = cu::success;
  if (!scratchIsFree)
    code = call.EventCreate(&scratchIsFree, cu::eventDisableTiming);
  if (code == cu::success && !scratchIsCallers)
    code = call.EventRecord(scratchIsFree, device.stream);
  if (code == cu::success)
    code = call.StreamWaitEvent(device.target, scratchIsFree, 0);
  if (int32_t failed =
          device.check(code, "memory of the runtime's cannot be used on this "
                             "stream"))
    return failed;
  scratchIsCallers = usesScratch = device.isOnCallersStream;
  return 0;
}

void CudaModule::passOnScratch() {
  const cu::Functions &call = device.cuda.call;
  if (usesScratch &&
      call.EventRecord(scratchIsFree, device.target) != cu::success)
    call.StreamSynchronize(device.target);
  usesScratch = false;
}

int32_t CudaModule::scratch(Scratch which, uint64_t bytes, void *&memory) {
  cu::Pointer address = 0;
  if (device.recording) {
    if (int32_t failed = device.recording->scratch(which, bytes, address))
      return failed;
  } else {
    CudaBlock &block = blocks[uint32_t(which)];
    bool grows = block.bytes < bytes;
    if (grows && scratchIsFree)
      if (int32_t failed =
              device.check(device.cuda.call.EventSynchronize(scratchIsFree),
                           "waiting for the device failed"))
        return failed;
    if (int32_t failed = device.grow(block, bytes))
      return failed;
    if (int32_t failed = takeScratch())
      return failed;
    address = block.address;
  }
  memory = reinterpret_cast<void *>(address);
  return 0;
}

void CudaModule::describeKernel(uint32_t index, aik_kernel_info &out) {
  const aik_kernel &row = table.kernels[index];
  out.kernel_object = reinterpret_cast<uint64_t>(&kernels[index]);
  out.kernarg_bytes = row.parameters * 8;
  out.group_bytes = row.shared_bytes;
  out.private_bytes = 0;
  out.max_threads = row.threads;
}

bool CudaModule::ownsKernel(uint64_t kernelObject) const {
  uint64_t begin = reinterpret_cast<uint64_t>(kernels);
  return kernelObject >= begin &&
         kernelObject < begin + sizeof(CudaKernel) * kernelCount &&
         (kernelObject - begin) % sizeof(CudaKernel) == 0;
}

//===----------------------------------------------------------------------===//
// Checks of kernels
//===----------------------------------------------------------------------===//

/// Done on return: the next kernel may be on another stream.
cu::Result CudaModule::clearStatus() {
  const cu::Functions &call = device.cuda.call;
  cu::Result code =
      call.MemsetD8Async(status, 0, sizeof(aik_device_status), device.stream);
  return code == cu::success ? call.StreamSynchronize(device.stream) : code;
}

cu::Result CudaModule::fetchStatus() {
  if (!statusIsStale || !fetched)
    return cu::success;
  statusIsStale = device.hasCallersWork;
  return device.cuda.call.MemcpyAsync(reinterpret_cast<cu::Pointer>(fetched),
                                      status, sizeof(uint32_t), device.stream);
}

void CudaModule::noteLaunch(bool isOnCallersStream) {
  statusIsStale = true;
  checks.noteLaunch(&threadState(), device.launchCount(), isOnCallersStream);
}

int32_t CudaModule::keepFailedCheck() {
  uint32_t failed = fetched ? __atomic_load_n(fetched, __ATOMIC_RELAXED) : 0;
  if (failed == 0)
    return 0;
  if (int32_t sticky =
          device.check(clearStatus(), "a failed check cannot be cleared"))
    return sticky;
  // Only now: copies that others have put on the stream are done, too.
  __atomic_store_n(fetched, 0, __ATOMIC_RELAXED);
  checks.noteFailure(failed, device.launchCount());
  return 0;
}

int32_t CudaModule::takeFailedCheck(WaitFor what) {
  uint32_t failed = checks.take(&threadState(), device.hasCallersWork,
                                what == WaitFor::Everything);
  if (failed == 0)
    return 0;
  if (failed > table.checkCount)
    return fail(AIK_EIO,
                "a kernel of image '%.120s' reports check %u, of %u that "
                "there are",
                imageTarget, failed, table.checkCount);
  const aik_device_check &check = table.checks[failed - 1];
  int32_t result = fail(check.code, "%s", check.text);
  threadState().record.fault.device = device.index;
  return result;
}
