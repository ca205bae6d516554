//===- Program.h - An artifact opened through the runtime -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only file of aik-run, with Program.cpp, that calls libaikrt. Handles and
// negative numbers stay inside; coded errors and plain C++ come out.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_PROGRAM_H
#define AIK_RUN_PROGRAM_H

#include "Signature.h"

#include "AIKernel-c/Runtime.h"

#include <utility>

namespace aikrun {

struct Image {
  std::string target, kind, arch, features, missing;
  uint64_t bytes = 0;
  bool fits = false;
  bool isReference = false;
};

/// A device of this machine.
struct DeviceEntry {
  std::string name, arch;
  uint64_t memory = 0; // bytes; 0: not known
};

class Program;

/// Memory of a device that has its own.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer &&other) noexcept { *this = std::move(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    std::swap(program, other.program);
    std::swap(handle, other.handle);
    std::swap(device, other.device);
    std::swap(start, other.start);
    return *this;
  }
  ~DeviceBuffer();

  void *address() const { return start; }
  Error write(const void *source, uint64_t bytes) const;
  Error read(void *destination, uint64_t bytes) const;

private:
  friend class Module;
  const Program *program = nullptr;
  aik_handle handle = 0, device = 0;
  void *start = nullptr;
};

/// Runs that were recorded and are launched together.
class Recording {
public:
  Recording() = default;
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;
  ~Recording();

private:
  friend class Module;
  const Program *program = nullptr;
  aik_handle handle = 0;
};

/// One image of the program, loaded on its device. Views are dense tensors;
/// all calls take as many as the function has arguments or results.
class Module {
public:
  Module() = default;
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  ~Module();

  const std::string &target() const { return targetName; }
  /// Tensors must be in buffers of its device.
  bool isRemote() const { return remote; }
  Error allocate(uint64_t bytes, DeviceBuffer &out) const;

  Error shape(const Function &function, const std::vector<aik_tensor> &args,
              std::vector<aik_tensor> &results) const;
  Error workspace(const Function &function, const std::vector<aik_tensor> &args,
                  uint64_t &bytes) const;
  /// `storage` null: only how many bytes it must have.
  Error prepare(const Function &function, const std::vector<aik_tensor> &args,
                void *storage, uint64_t storageBytes,
                std::vector<aik_tensor> &prepared, uint64_t &bytes) const;
  Error cost(const Function &function, const std::vector<aik_tensor> &args,
             aik_cost &cost) const;
  Error run(const Function &function, const std::vector<aik_tensor> &args,
            std::vector<aik_tensor> &results, bool prepared, void *workspace,
            uint64_t workspaceBytes, bool isAsync = false) const;
  /// After a failure: a device that has a fault is made usable again. False:
  /// not in this process.
  bool recover() const;
  /// Until everything that was run with `isAsync` is done.
  Error wait(const Function &function) const;
  /// Runs with `isAsync` between these two are not done, but recorded.
  Error beginRecording(const Function &function) const;
  Error endRecording(const Function &function, Recording &out) const;
  Error launch(const Function &function, const Recording &recording) const;

private:
  friend class Program;
  uint32_t indexOf(const Function &function) const;
  Error callError(const Function &function, int64_t status) const;

  const Program *program = nullptr;
  aik_handle handle = 0, device = 0;
  bool remote = false;
  std::string targetName;
};

class Program {
public:
  Program() = default;
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  /// Modules must be gone before.
  ~Program();

  /// Reads and checks the artifact. `threads` 0: as many as the machine has.
  /// With `withDevices`, drivers are loaded to see what there is.
  Error open(const std::string &path, uint32_t threads,
             bool withDevices = false);
  /// Loads `image` ("" or "auto": the best that fits; "reference"; a target)
  /// on `device`.
  Error load(const std::string &device, const std::string &image,
             Module &module);

  const std::vector<Function> &functions() const { return functionTable; }
  const std::vector<Image> &images() const { return imageTable; }
  const std::vector<DeviceEntry> &devices() const { return deviceTable; }
  Error findFunction(const std::string &name, const Function *&out) const;
  uint32_t threads() const { return threadCount; }

private:
  friend class Module;
  friend class DeviceBuffer;
  friend class Recording;
  Error describe();
  Error describeImages(uint32_t count);
  Error findDevices();
  Error openDevice(const std::string &name, aik_handle &device);

  aik_runtime *runtime = nullptr;
  aik_handle artifact = 0;
  std::vector<std::pair<std::string, aik_handle>> openDevices;
  std::vector<DeviceEntry> deviceTable;
  std::vector<Function> functionTable;
  std::vector<Image> imageTable;
  uint32_t threadCount = 0;
};

} // namespace aikrun

#endif // AIK_RUN_PROGRAM_H
