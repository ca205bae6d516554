//===- Program.cpp - An artifact opened through the runtime ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates between libaikrt's C API and aik-run: what a failed call means to
// the user depends on which call it was, and is decided here.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "Files.h"

#include <algorithm>

namespace aikrun {
namespace {

/// The runtime's own sentence for what just failed on this thread.
std::string faultText(int64_t status) {
  std::string text = aik_fault_message();
  const char *name = aik_error_name(static_cast<int32_t>(status));
  return text.empty() ? std::string(name)
                      : text + " (" + std::string(name) + ")";
}

Error openError(const std::string &path, int64_t status) {
  std::string sentence = faultText(status);
  switch (-status) {
  case AIK_ENOEXEC:
  case AIK_EBADMSG:
  case AIK_EINVAL:
    return Error(Code::BadArtifact, quoted(path) + ": " + sentence,
                 "compile it again with aikc");
  case AIK_EOPNOTSUPP:
    return Error(Code::Unsupported, quoted(path) + ": " + sentence);
  case AIK_ENOMEM:
    return Error(Code::OutOfMemory, sentence);
  }
  return Error(
      Code::CannotRead,
      format("%s cannot be read: %s", quoted(path).c_str(), sentence.c_str()));
}

Error loadError(const std::string &image, int64_t status) {
  std::string sentence = faultText(status);
  switch (-status) {
  case AIK_ENOENT:
    if (image == "reference")
      return Error(Code::NoReference,
                   "the artifact holds no reference for this machine",
                   "compile it without --strip-reference");
    return Error(image.empty() ? Code::Unsupported : Code::NoImage, sentence,
                 "aik-run ARTIFACT --list shows its images");
  case AIK_EOPNOTSUPP:
    return Error(Code::Unsupported, sentence,
                 "aik-run ARTIFACT --list shows its images");
  case AIK_EBADMSG:
  case AIK_ENOEXEC:
    return Error(Code::BadArtifact, sentence, "compile it again with aikc");
  case AIK_ENOMEM:
    return Error(Code::OutOfMemory, sentence);
  case AIK_ENODEV:
    return Error(Code::NoDevice, sentence);
  }
  return Error(Code::RuntimeFailed, sentence);
}

/// Is that failure a fault of the device? The sentence has been taken before.
bool isFault(aik_runtime *runtime, aik_handle device, int64_t status) {
  aik_fault fault = {};
  return status == -AIK_EIO && device &&
         aik_device_fault(runtime, device, &fault) == 0;
}

Error bufferError(aik_runtime *runtime, aik_handle device, int64_t status) {
  std::string sentence = faultText(status);
  return Error(isFault(runtime, device, status) ? Code::DeviceFault
               : status == -AIK_ENOMEM          ? Code::OutOfMemory
                                                : Code::RuntimeFailed,
               sentence);
}

std::string featureText(uint32_t arch, uint64_t features) {
  std::string text;
  for (uint32_t bit = 0; bit < 64; ++bit)
    if (features >> bit & 1) {
      const char *name = aik_feature_name(arch, bit);
      text += (text.empty() ? "" : "+") +
              (name ? std::string(name) : format("bit%u", bit));
    }
  return text;
}

bool convert(const aik_value_info &info, Value &value) {
  value.type = elementType(info.dtype);
  if (!value.type || info.rank > AIK_MAX_RANK)
    return false;
  value.name = info.name;
  value.dims.assign(info.dims, info.dims + info.rank);
  value.min.assign(info.min, info.min + info.rank);
  value.max.assign(info.max, info.max + info.rank);
  value.multipleOf.assign(info.multiple_of, info.multiple_of + info.rank);
  value.isWeight = info.flags & AIK_VALUE_WEIGHT;
  value.isMutable = info.flags & AIK_VALUE_MUTABLE;
  if (info.flags & AIK_VALUE_DONATED)
    value.donates = static_cast<int>(info.donates);
  return true;
}

template <typename T>
T initialized() {
  T info = {};
  AIK_INIT(&info);
  return info;
}

} // namespace

Program::~Program() {
  if (runtime)
    aik_runtime_close(runtime); // closes what is still open, too
}

Error Program::open(const std::string &path, uint32_t threads,
                    bool withDevices) {
  // The same sentences as for every other file; the runtime's would speak of
  // artifacts.
  InputFile probe;
  if (Error error = probe.open(path))
    return error;
  auto options = initialized<aik_runtime_options>();
  options.threads = threads;
  if (int32_t status = aik_runtime_open(&options, &runtime); status < 0)
    return Error(status == -AIK_ENOMEM ? Code::OutOfMemory
                                       : Code::RuntimeFailed,
                 "the runtime cannot start: " + faultText(status));
  if (int32_t status = aik_artifact_open_file(runtime, path.c_str(), &artifact);
      status < 0)
    return openError(path, status);
  auto info = initialized<aik_runtime_info>();
  if (int32_t status = aik_runtime_describe(runtime, &info); status < 0)
    return Error(Code::RuntimeFailed, faultText(status));
  threadCount = info.threads;
  if (withDevices)
    if (Error error = findDevices())
      return error;
  return describe();
}

Error Program::findDevices() {
  int32_t count = aik_device_enumerate(runtime, nullptr, 0);
  std::vector<aik_device_info> found(static_cast<size_t>(std::max(count, 1)),
                                     initialized<aik_device_info>());
  if (count > 0)
    count = aik_device_enumerate(runtime, found.data(),
                                 static_cast<uint32_t>(count));
  if (count < 0)
    return Error(Code::RuntimeFailed, faultText(count));
  for (int32_t i = 0; i < count; ++i) {
    const aik_device_info &info = found[static_cast<size_t>(i)];
    deviceTable.push_back({info.name, info.arch, info.memory_bytes});
  }
  return Error();
}

Error Program::describe() {
  auto info = initialized<aik_artifact_info>();
  if (int32_t status = aik_artifact_describe(runtime, artifact, &info);
      status < 0)
    return Error(Code::RuntimeFailed, faultText(status));
  for (uint32_t i = 0; i < info.function_count; ++i) {
    auto functionInfo = initialized<aik_function_info>();
    if (int32_t status =
            aik_artifact_function(runtime, artifact, i, &functionInfo);
        status < 0)
      return Error(Code::RuntimeFailed, faultText(status));
    Function function;
    function.name = functionInfo.name;
    uint32_t argCount = functionInfo.arg_count;
    for (uint32_t j = 0; j < argCount + functionInfo.result_count; ++j) {
      bool isArg = j < argCount;
      auto valueInfo = initialized<aik_value_info>();
      int32_t status =
          isArg ? aik_artifact_argument(runtime, artifact, i, j, &valueInfo)
                : aik_artifact_result(runtime, artifact, i, j - argCount,
                                      &valueInfo);
      if (status < 0)
        return Error(Code::RuntimeFailed, faultText(status));
      Value value;
      if (!convert(valueInfo, value))
        return Error(Code::Unsupported,
                     format("%s has a value of a type that this aik-run does "
                            "not know",
                            quoted(function.name).c_str()));
      (isArg ? function.args : function.results).push_back(std::move(value));
    }
    functionTable.push_back(std::move(function));
  }
  return describeImages(info.image_count);
}

Error Program::describeImages(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    auto info = initialized<aik_image_info>();
    if (int32_t status = aik_artifact_image(runtime, artifact, i, &info);
        status < 0)
      return Error(Code::RuntimeFailed, faultText(status));
    Image image;
    image.target = info.target;
    image.kind = aik_image_kind_name(info.kind);
    image.arch = aik_arch_name(info.arch);
    image.features = featureText(info.arch, info.features);
    image.missing = featureText(info.arch, info.missing);
    image.bytes = info.byte_count;
    image.fits = info.fits;
    image.isReference = info.kind == AIK_IMAGE_REFERENCE;
    imageTable.push_back(std::move(image));
  }
  return Error();
}

Error Program::openDevice(const std::string &name, aik_handle &device) {
  for (const auto &[known, handle] : openDevices)
    if (known == name) {
      device = handle;
      return Error();
    }
  int32_t status = aik_device_open(runtime, name.c_str(), &device);
  if (status == -AIK_ENODEV)
    return Error(Code::NoDevice, faultText(status));
  if (status == -AIK_ENOMEM)
    return Error(Code::OutOfMemory, faultText(status));
  if (status < 0)
    return Error(Code::RuntimeFailed, faultText(status));
  openDevices.emplace_back(name, device);
  return Error();
}

Error Program::load(const std::string &device, const std::string &image,
                    Module &module) {
  aik_handle deviceHandle;
  if (Error error = openDevice(device, deviceHandle))
    return error;
  auto options = initialized<aik_load_options>();
  options.image = image.empty() ? nullptr : image.c_str();
  if (int32_t status = aik_module_load(runtime, artifact, deviceHandle,
                                       &options, &module.handle);
      status < 0) {
    module.handle = 0;
    return loadError(image, status);
  }
  module.program = this;
  module.device = deviceHandle;
  auto deviceInfo = initialized<aik_device_info>();
  if (int32_t status = aik_device_describe(runtime, deviceHandle, &deviceInfo);
      status < 0)
    return Error(Code::RuntimeFailed, faultText(status));
  module.remote = deviceInfo.kind == AIK_DEVICE_GPU;
  auto info = initialized<aik_module_info>();
  if (int32_t status = aik_module_describe(runtime, module.handle, &info);
      status < 0)
    return Error(Code::RuntimeFailed, faultText(status));
  if (info.image < imageTable.size())
    module.targetName = imageTable[info.image].isReference
                            ? "reference"
                            : imageTable[info.image].target;
  return Error();
}

Error Program::findFunction(const std::string &name,
                            const Function *&out) const {
  std::string known;
  for (size_t i = 0; i < functionTable.size(); ++i) {
    if (functionTable[i].name == name) {
      out = &functionTable[i];
      return Error();
    }
    if (i < 12)
      known += (i ? ", " : "") + functionTable[i].name;
  }
  if (functionTable.size() > 12)
    known += format(" and %zu more", functionTable.size() - 12);
  return Error(Code::UnknownFunction,
               "the artifact has no function " + quoted(name),
               known.empty() ? "it has no function at all" : "it has " + known);
}

Module::~Module() {
  if (handle)
    aik_module_unload(program->runtime, handle);
}

Error Module::callError(const Function &function, int64_t status) const {
  std::string sentence = format("%s failed: %s", quoted(function.name).c_str(),
                                faultText(status).c_str());
  if (isFault(program->runtime, device, status))
    return Error(Code::DeviceFault, sentence);
  if (status == -AIK_ENOMEM)
    return Error(Code::OutOfMemory, sentence);
  if (status == -AIK_EOPNOTSUPP)
    return Error(Code::Unsupported, sentence);
  return Error(Code::FunctionFailed, sentence);
}

uint32_t Module::indexOf(const Function &function) const {
  return static_cast<uint32_t>(&function - program->functionTable.data());
}

Error Module::shape(const Function &function,
                    const std::vector<aik_tensor> &args,
                    std::vector<aik_tensor> &results) const {
  results.assign(function.results.size(), aik_tensor{});
  int32_t status =
      aik_function_shape(program->runtime, handle, indexOf(function),
                         args.data(), static_cast<uint32_t>(args.size()),
                         results.data(), static_cast<uint32_t>(results.size()));
  return status < 0 ? callError(function, status) : Error();
}

Error Module::workspace(const Function &function,
                        const std::vector<aik_tensor> &args,
                        uint64_t &bytes) const {
  int64_t status =
      aik_function_workspace(program->runtime, handle, indexOf(function),
                             args.data(), static_cast<uint32_t>(args.size()));
  if (status < 0)
    return callError(function, status);
  bytes = static_cast<uint64_t>(status);
  return Error();
}

Error Module::prepare(const Function &function,
                      const std::vector<aik_tensor> &args, void *storage,
                      uint64_t storageBytes, std::vector<aik_tensor> &prepared,
                      uint64_t &bytes) const {
  prepared = args;
  int64_t status = aik_function_prepare(
      program->runtime, handle, indexOf(function), args.data(),
      static_cast<uint32_t>(args.size()), storage ? prepared.data() : nullptr,
      storage, storageBytes);
  if (status < 0)
    return callError(function, status);
  bytes = static_cast<uint64_t>(status);
  return Error();
}

Error Module::cost(const Function &function,
                   const std::vector<aik_tensor> &args, aik_cost &cost) const {
  int32_t status =
      aik_function_cost(program->runtime, handle, indexOf(function),
                        args.data(), static_cast<uint32_t>(args.size()), &cost);
  return status < 0 ? callError(function, status) : Error();
}

Error Module::run(const Function &function, const std::vector<aik_tensor> &args,
                  std::vector<aik_tensor> &results, bool prepared,
                  void *workspace, uint64_t workspaceBytes,
                  bool isAsync) const {
  auto options = initialized<aik_run_options>();
  options.flags =
      (prepared ? AIK_RUN_PREPARED : 0u) | (isAsync ? AIK_RUN_ASYNC : 0u);
  options.workspace = workspace;
  options.workspace_bytes = workspaceBytes;
  int32_t status =
      aik_function_run(program->runtime, handle, indexOf(function), args.data(),
                       static_cast<uint32_t>(args.size()), results.data(),
                       static_cast<uint32_t>(results.size()), &options);
  return status < 0 ? callError(function, status) : Error();
}

bool Module::recover() const {
  auto fault = initialized<aik_fault>();
  return aik_device_fault(program->runtime, device, &fault) < 0 ||
         aik_device_reset(program->runtime, device) >= 0;
}

Error Module::wait(const Function &function) const {
  int32_t status = aik_device_wait(program->runtime, device, -1);
  return status < 0 ? callError(function, status) : Error();
}

Error Module::beginRecording(const Function &function) const {
  int32_t status = aik_graph_begin(program->runtime, device);
  return status < 0 ? callError(function, status) : Error();
}

Error Module::endRecording(const Function &function, Recording &out) const {
  out.program = program;
  int32_t status = aik_graph_end(program->runtime, device, &out.handle);
  return status < 0 ? callError(function, status) : Error();
}

Error Module::launch(const Function &function,
                     const Recording &recording) const {
  int32_t status = aik_graph_launch(program->runtime, recording.handle);
  return status < 0 ? callError(function, status) : Error();
}

Recording::~Recording() {
  if (handle)
    aik_graph_close(program->runtime, handle);
}

Error Module::allocate(uint64_t bytes, DeviceBuffer &out) const {
  auto info = initialized<aik_memory_info>();
  int32_t status =
      aik_buffer_create(program->runtime, device, bytes ? bytes : 1, 0, &info);
  if (status < 0)
    return bufferError(program->runtime, device, status);
  DeviceBuffer buffer;
  buffer.program = program;
  buffer.device = device;
  buffer.handle = info.handle;
  buffer.start = reinterpret_cast<void *>(info.device_address);
  out = std::move(buffer);
  return Error();
}

DeviceBuffer::~DeviceBuffer() {
  if (handle)
    aik_memory_free(program->runtime, handle);
}

Error DeviceBuffer::write(const void *source, uint64_t bytes) const {
  int32_t status = aik_buffer_write(program->runtime, handle, 0, source, bytes);
  return status < 0 ? bufferError(program->runtime, device, status) : Error();
}

Error DeviceBuffer::read(void *destination, uint64_t bytes) const {
  int32_t status =
      aik_buffer_read(program->runtime, handle, 0, destination, bytes);
  return status < 0 ? bufferError(program->runtime, device, status) : Error();
}

} // namespace aikrun
