//===- CudaModule.cpp - The kernels of one image on a GPU -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kernel of the table is found when the image is loaded, so that a
// launch is one look into an array and one call of the CUDA driver. Images are
// in CudaImage.cpp, launches in CudaLaunch.cpp, the calls of compiled code in
// CudaCalls.cpp, scratch memory and checks in CudaScratch.cpp.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaModule.h"

#include "Drivers/CUDA/CudaGraph.h"

using namespace aik;

namespace {
/// More dynamic shared memory than this must be asked for beforehand.
constexpr uint32_t freeSharedBytes = 48 << 10;
constexpr uint32_t portableCluster = 8;

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
  return device.check(code, "a kernel cannot be had", row.name);
}

/// Maps of one kernel follow each other, as the table was checked for.
int32_t CudaModule::resolveMaps() {
  const aik_kernel *row = nullptr;
  for (uint32_t i = 0; i < table.mapCount; ++i) {
    row = table.kernelOf(table.maps[i], row);
    CudaKernel &kernel = kernels[row - table.kernels];
    kernel.maps = kernel.maps ? kernel.maps : &table.maps[i];
    ++kernel.mapCount;
  }
  return table.mapCount ? maps.start(device.runtime.sys) : 0;
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
  if (int32_t failed = resolveMaps())
    return failed;
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
  device.finishEverything(wasOnCallersStream);
  if (scratchIsFree)
    call.EventDestroy(scratchIsFree);
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
  scratchIsCallers = wasOnCallersStream = false;
  for (CudaBlock &block : blocks)
    block = {};
}

void CudaModule::destroy() {
  Sys &sys = device.runtime.sys;
  {
    ScopedLock lock(device.mutex);
    CudaScope scope(device);
    if (device.recording && device.recording->uses(*this))
      device.dropRecording();
    for (CudaModule **link = &device.modules; *link; link = &(*link)->next)
      if (*link == this) {
        *link = next;
        break;
      }
    if (scope.attach())
      unload();
    device.forgetLaunches(); // their names are the launcher's
  }
  maps.stop(sys);
  commands.drop();
  sys.release(kernels);
  dispose(sys, this);
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
