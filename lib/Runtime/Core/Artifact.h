//===- Artifact.h - An open artifact and its loaded images ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Artifact: a checked copy of a file. Module: one of its images on a device,
// with the entry points of every function. On a remote device the entry points
// are a launcher's, and the device has the kernels.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_ARTIFACT_H
#define AIKERNEL_RUNTIME_CORE_ARTIFACT_H

#include "Core/ArtifactReader.h"
#include "Core/KernelTable.h"
#include "Drivers/Driver.h"

namespace aik {

struct Artifact : Object {
  static constexpr ObjectKind kind = ObjectKind::Artifact;

  explicit Artifact(Runtime &runtime) : runtime(runtime) {}

  /// Takes over `bytes` (from Sys::allocate), also on failure.
  static int32_t adopt(Runtime &runtime, uint8_t *bytes, uint64_t byteCount,
                       Artifact **out);
  static int32_t openFile(Runtime &runtime, const char *path, Artifact **out);
  static int32_t openMemory(Runtime &runtime, const void *bytes,
                            uint64_t byteCount, Artifact **out);

  const aik_meta_function *function(uint32_t index) const {
    return index < view.header->function_count ? view.functions + index
                                               : nullptr;
  }
  void destroy() override;

  Runtime &runtime;
  uint8_t *bytes = nullptr;
  uint64_t byteCount = 0;
  ArtifactView view;
};

/// What a host image exports for one function.
struct FunctionEntry {
  aik_shape_fn shape;
  aik_workspace_fn workspace;
  aik_prepare_fn prepare;
  aik_cost_fn cost;
  aik_run_fn run;
};

struct Module : Object {
  static constexpr ObjectKind kind = ObjectKind::Module;

  Module(Artifact &artifact, Device &device)
      : artifact(artifact), device(device), image(artifact.runtime.sys) {}

  static int32_t open(Artifact &artifact, Device &device, const char *wanted,
                      Module **out);
  void destroy() override;

  /// What its functions are given.
  const aik_env *environment() const {
    return remote ? &remote->launcher.env : &device.env;
  }
  int32_t findKernel(const char *name, aik_kernel_info &out);
  bool ownsKernel(uint64_t kernelObject) const {
    return remote ? remote->ownsKernel(kernelObject)
                  : image.contains(kernelObject);
  }

  Artifact &artifact;
  Device &device;
  uint32_t imageIndex = 0;
  /// The host image, or the launcher of a remote device's.
  HostImage image;
  KernelTable table;
  RemoteModule *remote = nullptr;
  FunctionEntry *entries = nullptr;
  /// A module made from bytes by AIK_SYS_GPU_MODULE_LOAD owns its artifact.
  bool ownsArtifact = false;

private:
  int32_t build(const char *wanted);
  int32_t buildRemote(const char *wanted);
  int32_t loadRemote(bool &refused);
  int32_t loadHostCode(uint32_t index);
  int32_t resolveAll();
  int32_t resolve(const char *function, FunctionEntry &entry);
};

/// Which image of the artifact to load; `wanted` as in aik_load_options.
int32_t chooseImage(const Artifact &artifact, const char *wanted,
                    uint32_t &index);

/// The same for a remote device.
int32_t chooseDeviceImage(const Artifact &artifact, Device &device,
                          const char *wanted, uint32_t &index);
/// For a cubin that the device's driver refused: the image of the same or a
/// lower processor that the driver compiles itself.
bool chooseCompiledInstead(const Artifact &artifact, Device &device,
                           const char *wanted, uint32_t &index);
/// The host image that launches the kernels of a device image.
int32_t findLauncher(const Artifact &artifact, uint32_t deviceImage,
                     uint32_t &index);

/// Of an image's features, those that this CPU lacks; all of them when the
/// image is for another architecture.
uint64_t missingFeatures(const Runtime &runtime, const aik_meta_image &image);

/// The image is code for this CPU.
bool fitsHost(const Runtime &runtime, const aik_meta_image &image);
/// A launcher for this CPU, or an image for a device of a driver in use.
bool fitsFoundDevice(Runtime &runtime, const aik_meta_image &image);

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_ARTIFACT_H
