//===- CudaArtifact.h - An artifact's functions on the first NVIDIA GPU
//----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an artifact where sizes are all known. Out: its functions with arguments
// in the GPU's memory. Whatever fails ends the program with the runtime's
// sentence.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_UNITTESTS_RUNTIME_CUDADEVICE_CUDAARTIFACT_H
#define AIKERNEL_UNITTESTS_RUNTIME_CUDADEVICE_CUDAARTIFACT_H

#include "AIKernel-c/Runtime.h"
#include "Drivers/CUDA/CudaLibrary.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace cuda_test {

constexpr int kFailed = 1;

[[noreturn]] inline void end(int status, const std::string &sentence) {
  std::printf("%s\n", sentence.c_str());
  std::fflush(stdout);
  std::_Exit(status); // a device that hangs would not let us go
}

inline int64_t need(int64_t status) {
  if (status < 0)
    end(kFailed, aik_fault_message());
  return status;
}

template <typename T>
T make() {
  T value = {};
  AIK_INIT(&value);
  return value;
}

inline aik_runtime *runtime;
inline aik_handle device, artifact, module;
inline const aik::cu::Functions *cuda;

struct Buffer {
  explicit Buffer(uint64_t bytes) : bytes(bytes) {
    need(aik_buffer_create(runtime, device, std::max<uint64_t>(bytes, 64), 0,
                           &info));
  }
  void *address() const {
    return reinterpret_cast<void *>(info.device_address);
  }
  void write(const std::string &from) const {
    need(aik_buffer_write(runtime, info.handle, 0, from.data(), bytes));
  }
  std::string read() const {
    std::string to(bytes, 0);
    need(aik_buffer_read(runtime, info.handle, 0, &to[0], bytes));
    return to;
  }
  uint64_t bytes;
  aik_memory_info info = make<aik_memory_info>();
};

inline uint64_t bytesOf(const aik_tensor &tensor) {
  uint64_t count = aik_dtype_size(tensor.dtype);
  for (uint32_t i = 0; i < tensor.rank; ++i)
    count *= uint64_t(tensor.dims[i]);
  return count;
}

/// Numbers of either sign between 0.5 and 1 for 16 bits, and for 32 bits 300,
/// which is a length.
inline std::string numbersFor(const aik_tensor &tensor, uint32_t seed) {
  std::string bytes(bytesOf(tensor), 0);
  uint32_t state = seed * 2654435761u + 1, size = aik_dtype_size(tensor.dtype);
  for (size_t i = 0; i + size <= bytes.size(); i += size) {
    state = state * 1664525 + 1013904223;
    uint16_t half =
        uint16_t(state >> 16 & 0x8000) | uint16_t(state >> 20 & 127);
    half |= tensor.dtype == AIK_F16 ? 0x3800 : 0x3f00;
    uint32_t length = 300;
    std::memcpy(&bytes[i], size == 2 ? (void *)&half : (void *)&length,
                std::min<size_t>(size, 4));
  }
  return bytes;
}

/// A function of the artifact, its arguments, and what is right.
struct Function {
  explicit Function(uint32_t index) : index(index) {
    need(aik_artifact_function(runtime, artifact, index, &info));
    for (uint32_t i = 0; i < info.arg_count; ++i) {
      auto value = make<aik_value_info>();
      need(aik_artifact_argument(runtime, artifact, index, i, &value));
      aik_tensor arg = {};
      arg.dtype = value.dtype;
      arg.rank = value.rank;
      int64_t stride = 1;
      for (uint32_t d = arg.rank; d-- > 0; stride *= arg.dims[d]) {
        arg.dims[d] = value.dims[d];
        arg.strides[d] = stride;
      }
      Buffer buffer(bytesOf(arg));
      buffer.write(numbersFor(arg, i + 1));
      arg.data = buffer.address();
      args.push_back(arg);
    }
    results.resize(info.result_count);
    need(aik_function_shape(runtime, module, index, args.data(), info.arg_count,
                            results.data(), info.result_count));
    workspace = uint64_t(need(aik_function_workspace(
        runtime, module, index, args.data(), info.arg_count)));
  }
  uint32_t index;
  aik_function_info info = make<aik_function_info>();
  std::vector<aik_tensor> args, results;
  uint64_t workspace;
  std::vector<std::string> right; // what somebody has found out
};

/// All that the artifact has.
inline std::vector<Function> functionsOfArtifact() {
  auto info = make<aik_artifact_info>();
  need(aik_artifact_describe(runtime, artifact, &info));
  std::vector<Function> functions;
  for (uint32_t i = 0; i < info.function_count; ++i)
    functions.emplace_back(i);
  return functions;
}

inline void open(const char *path) {
  need(aik_runtime_open(nullptr, &runtime));
  need(aik_device_open(runtime, "nvidia:0", &device));
  need(aik_artifact_open_file(runtime, path, &artifact));
  need(aik_module_load(runtime, artifact, device, nullptr, &module));
  aik::CudaLibrary *library = nullptr;
  need(aik::loadCuda(*runtime, &library));
  cuda = &library->call;
}

} // namespace cuda_test

#endif // AIKERNEL_UNITTESTS_RUNTIME_CUDADEVICE_CUDAARTIFACT_H
