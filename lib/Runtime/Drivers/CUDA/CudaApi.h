//===- CudaApi.h - What is used of the CUDA driver ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions, numbers and layouts of CUDA's public driver API that the
// driver uses, so that no CUDA header is needed to build. They are those of
// CUDA 12.0, which later drivers give to who asks for them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDAAPI_H
#define AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDAAPI_H

#include <stddef.h>
#include <stdint.h>

namespace aik {
namespace cu {

/// The version of the API below: major * 1000 + minor * 10.
constexpr int apiVersion = 12000;
/// The first whose graphs have launches that overlap.
constexpr int overlapsInGraphsVersion = 12030;

using Result = int;
using Device = int;
using Pointer = uint64_t;
using Context = struct ContextObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Graph = struct GraphObject *;
using GraphExec = struct GraphExecObject *;

enum : Result {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  deinitialized = 4,
  deviceUnavailable = 46,
  noDevice = 100,
  invalidImage = 200,
  invalidContext = 201,
  noBinaryForGpu = 209,
  eccUncorrectable = 214,
  invalidPtx = 218,
  nvlinkUncorrectable = 220,
  jitCompilerNotFound = 221,
  unsupportedPtxVersion = 222,
  jitCompilationDisabled = 223,
  contained = 226,
  invalidSource = 300,
  invalidHandle = 400,
  notFound = 500,
  notReady = 600,
  illegalAddress = 700,
  launchTimeout = 702,
  contextIsDestroyed = 709,
  assertionFailed = 710,
  hostMemoryAlreadyRegistered = 712,
  hardwareStackError = 714,
  launchFailed = 719,
  notSupported = 801,
  unknown = 999
};

enum Attribute {
  multiprocessorCount = 16,
  capabilityMajor = 75,
  capabilityMinor = 76
};

enum JitOption { jitErrorLogBuffer = 5, jitErrorLogBytes = 6 };

enum FunctionAttribute { maxDynamicSharedBytes = 8, nonPortableCluster = 14 };

constexpr unsigned streamNonBlocking = 1;
constexpr unsigned eventBlockingSync = 1, eventDisableTiming = 2;
constexpr unsigned hostRegisterPortable = 1, hostRegisterDeviceMap = 2;
constexpr int captureRelaxed = 2;

/// The words of `extra` that give all parameters as one block.
inline void *const parameterBuffer = reinterpret_cast<void *>(1);
inline void *const parameterBytes = reinterpret_cast<void *>(2);

enum LaunchAttributeId : uint32_t {
  attributeCluster = 4,
  attributeOverlap = 6 // programmatic stream serialization
};

struct LaunchAttribute {
  uint32_t id;
  uint32_t padding;
  uint32_t value[16];
};
static_assert(sizeof(LaunchAttribute) == 72, "CUlaunchAttribute");

struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ;
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56, "CUlaunchConfig");

/// What cuGraphExecUpdate says about a graph that does not fit.
struct GraphUpdate {
  int result;
  void *node, *from;
};
static_assert(sizeof(GraphUpdate) == 24, "CUgraphExecUpdateResultInfo");

// F(name without "cu", parameters)
#define AIK_CUDA_FUNCTIONS(F)                                                  \
  F(Init, (unsigned))                                                          \
  F(DriverGetVersion, (int *))                                                 \
  F(DeviceGetCount, (int *))                                                   \
  F(DeviceGet, (Device *, int))                                                \
  F(DeviceGetAttribute, (int *, int, Device))                                  \
  F(DeviceTotalMem, (size_t *, Device))                                        \
  F(DevicePrimaryCtxRetain, (Context *, Device))                               \
  F(DevicePrimaryCtxRelease, (Device))                                         \
  F(DevicePrimaryCtxReset, (Device))                                           \
  F(CtxSetCurrent, (Context))                                                  \
  F(CtxGetCurrent, (Context *))                                                \
  F(CtxSynchronize, ())                                                        \
  F(MemAlloc, (Pointer *, size_t))                                             \
  F(MemFree, (Pointer))                                                        \
  F(MemHostAlloc, (void **, size_t, unsigned))                                 \
  F(MemFreeHost, (void *))                                                     \
  F(MemHostRegister, (void *, size_t, unsigned))                               \
  F(MemHostUnregister, (void *))                                               \
  F(MemHostGetDevicePointer, (Pointer *, void *, unsigned))                    \
  F(MemcpyAsync, (Pointer, Pointer, size_t, Stream))                           \
  F(MemsetD8Async, (Pointer, unsigned char, size_t, Stream))                   \
  F(MemsetD16Async, (Pointer, unsigned short, size_t, Stream))                 \
  F(MemsetD32Async, (Pointer, unsigned, size_t, Stream))                       \
  F(MemsetD2D32Async, (Pointer, size_t, unsigned, size_t, size_t, Stream))     \
  F(ModuleLoadDataEx, (Module *, const void *, unsigned, int *, void **))      \
  F(ModuleUnload, (Module))                                                    \
  F(ModuleGetFunction, (Function *, Module, const char *))                     \
  F(FuncSetAttribute, (Function, int, int))                                    \
  F(OccupancyMaxActiveBlocksPerMultiprocessor, (int *, Function, int, size_t)) \
  F(LaunchKernel, (Function, unsigned, unsigned, unsigned, unsigned, unsigned, \
                   unsigned, unsigned, Stream, void **, void **))              \
  F(StreamCreate, (Stream *, unsigned))                                        \
  F(StreamDestroy, (Stream))                                                   \
  F(StreamSynchronize, (Stream))                                               \
  F(StreamWaitEvent, (Stream, Event, unsigned))                                \
  F(EventCreate, (Event *, unsigned))                                          \
  F(EventDestroy, (Event))                                                     \
  F(EventRecord, (Event, Stream))                                              \
  F(EventQuery, (Event))                                                       \
  F(EventSynchronize, (Event))                                                 \
  F(StreamBeginCapture, (Stream, int))                                         \
  F(StreamEndCapture, (Stream, Graph *))                                       \
  F(StreamIsCapturing, (Stream, int *))                                        \
  F(GraphInstantiateWithFlags, (GraphExec *, Graph, unsigned long long))       \
  F(GraphExecUpdate, (GraphExec, Graph, GraphUpdate *))                        \
  F(GraphLaunch, (GraphExec, Stream))                                          \
  F(GraphDestroy, (Graph))                                                     \
  F(GraphExecDestroy, (GraphExec))                                             \
  F(GetErrorName, (Result, const char **))

/// What older drivers may lack; null then. F(name, since, parameters)
#define AIK_CUDA_OPTIONAL_FUNCTIONS(F)                                         \
  F(LaunchKernelEx, 11080, (const LaunchConfig *, Function, void **, void **)) \
  F(OccupancyMaxActiveClusters, 11080,                                         \
    (int *, Function, const LaunchConfig *))                                   \
  F(FuncLoad, 12040, (Function))                                               \
  F(CtxGetId, 12000, (Context, unsigned long long *))                          \
  F(TensorMapEncodeTiled, 12000,                                               \
    (void *, int, unsigned, void *, const uint64_t *, const uint64_t *,        \
     const uint32_t *, const uint32_t *, int, int, int, int))

struct Functions {
#define AIK_CUDA_MEMBER(name, parameters) Result(*name) parameters;
  AIK_CUDA_FUNCTIONS(AIK_CUDA_MEMBER)
#undef AIK_CUDA_MEMBER
#define AIK_CUDA_MEMBER(name, since, parameters) Result(*name) parameters;
  AIK_CUDA_OPTIONAL_FUNCTIONS(AIK_CUDA_MEMBER)
#undef AIK_CUDA_MEMBER
};

} // namespace cu
} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDAAPI_H
