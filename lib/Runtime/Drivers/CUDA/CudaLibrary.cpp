//===- CudaLibrary.cpp - The CUDA driver, loaded at run time --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are asked for by name and version: the symbols of the library
// itself are those of the first version that had them.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaLibrary.h"

#include "Drivers/Driver.h"

#include <string.h>

using namespace aik;

namespace {
constexpr const char *libraryName = "libcuda.so.1";

using GetProcAddress = cu::Result (*)(const char *, void **, int, uint64_t,
                                      int *);

struct Entry {
  const char *name;
  int version;
  bool isOptional;
};

#define AIK_CUDA_REQUIRED(name, parameters) {"cu" #name, cu::apiVersion, false},
#define AIK_CUDA_OPTIONAL(name, since, parameters) {"cu" #name, since, true},
constexpr Entry entries[] = {AIK_CUDA_FUNCTIONS(
    AIK_CUDA_REQUIRED) AIK_CUDA_OPTIONAL_FUNCTIONS(AIK_CUDA_OPTIONAL)};
static_assert(sizeof(cu::Functions) ==
                  sizeof(void *) * sizeof(entries) / sizeof(*entries),
              "a pointer per name, in order");

int32_t resolve(Sys &sys, CudaLibrary &cuda) {
  auto find = reinterpret_cast<GetProcAddress>(
      sys.symbol(cuda.library, "cuGetProcAddress_v2"));
  if (!find)
    return fail(AIK_ENODEV,
                "%s does not export cuGetProcAddress_v2: the CUDA driver is "
                "older than 12.0",
                libraryName);
  void *addresses[sizeof(entries) / sizeof(*entries)] = {};
  for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); ++i) {
    int status = 0;
    cu::Result code =
        find(entries[i].name, &addresses[i], entries[i].version, 0, &status);
    if (code != cu::success)
      addresses[i] = nullptr;
    if (!addresses[i] && !entries[i].isOptional)
      return failWith(code, AIK_ENODEV, "%s does not have %s", libraryName,
                      entries[i].name);
  }
  memcpy(static_cast<void *>(&cuda.call), addresses, sizeof(addresses));
  return 0;
}

int32_t findDevices(CudaLibrary &cuda) {
  if (cu::Result code = cuda.call.Init(0))
    return failWith(code, AIK_ENODEV, "the CUDA driver does not start: %s (%d)",
                    cuda.nameOf(code), code);
  int version = 0, count = 0;
  cu::Result code = cuda.call.DriverGetVersion(&version);
  if (code == cu::success && version < cu::apiVersion)
    return fail(AIK_ENODEV,
                "the CUDA driver is version %d.%d, %d.%d is the least",
                version / 1000, version % 1000 / 10, cu::apiVersion / 1000,
                cu::apiVersion % 1000 / 10);
  cuda.overlapsInGraphs = version >= cu::overlapsInGraphsVersion;
  if (code == cu::success)
    code = cuda.call.DeviceGetCount(&count);
  if (code != cu::success)
    return failWith(code, AIK_ENODEV,
                    "the CUDA driver does not tell its devices: %s (%d)",
                    cuda.nameOf(code), code);
  if (count <= 0)
    return fail(AIK_ENODEV, "the CUDA driver has no device");
  cuda.deviceCount = uint32_t(count) < CudaLibrary::maxDevices
                         ? uint32_t(count)
                         : CudaLibrary::maxDevices;
  return 0;
}

void unload(Sys &sys, CudaLibrary *cuda) {
  if (cuda && cuda->library)
    sys.unloadLibrary(cuda->library);
  dispose(sys, cuda);
}
} // namespace

const char *CudaLibrary::nameOf(cu::Result code) const {
  const char *name = nullptr;
  return call.GetErrorName(code, &name) == cu::success && name ? name : "?";
}

int32_t aik::loadCuda(Runtime &runtime, CudaLibrary **out) {
  Sys &sys = runtime.sys;
  ScopedLock lock(runtime.cudaMutex);
  if (!runtime.cuda) {
    CudaLibrary *cuda = create<CudaLibrary>(sys);
    if (!cuda)
      return fail(AIK_ENOMEM, "no memory for the CUDA driver");
    char error[200] = "";
    cuda->library = sys.loadLibrary(libraryName, error, sizeof(error));
    int32_t status =
        cuda->library ? resolve(sys, *cuda)
                      : fail(AIK_ENODEV,
                             "nvidia devices need the CUDA driver: %s", error);
    if (status == 0)
      status = findDevices(*cuda);
    if (status != 0) {
      unload(sys, cuda);
      return status;
    }
    runtime.cuda = cuda;
  }
  *out = runtime.cuda;
  return 0;
}

int32_t aik::countCuda(Runtime &runtime) {
  CudaLibrary *cuda = nullptr;
  int32_t status = loadCuda(runtime, &cuda);
  return status ? status : int32_t(cuda->deviceCount);
}

void aik::closeCuda(Runtime &runtime) {
  unload(runtime.sys, runtime.cuda);
  runtime.cuda = nullptr;
}
