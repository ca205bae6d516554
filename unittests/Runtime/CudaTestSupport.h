//===- CudaTestSupport.h - Sessions on the fake CUDA driver ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: the test image, the test launcher and the fake driver (argv[1]
// to argv[3]). What comes out: runtimes that find the fake, and short cuts for
// its functions.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_UNITTESTS_RUNTIME_CUDATESTSUPPORT_H
#define AIKERNEL_UNITTESTS_RUNTIME_CUDATESTSUPPORT_H

#include "Core/Runtime.h"
#include "Drivers/CUDA/CudaApi.h"
#include "FakeCuda.h"
#include "TestSupport.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace aiktest {

struct FakeCuda {
  std::string path, launcher;
  decltype(&aik_fake_cuda_configure) configure = nullptr;
  decltype(&aik_fake_cuda_calls) calls = nullptr;
  decltype(&aik_fake_cuda_live) live = nullptr;
  decltype(&aik_fake_cuda_kernels) kernels = nullptr;
  decltype(&aik_fake_cuda_allocations) allocations = nullptr;
  void *library = nullptr;

  /// A function of the driver, for what a host program does with it.
  template <typename... Types>
  aik::cu::Result call(const char *name, Types... values) const {
    void *get = dlsym(library, "cuGetProcAddress_v2"), *found = nullptr;
    int how = 0;
    reinterpret_cast<aik::cu::Result (*)(const char *, void **, int, uint64_t,
                                         int *)>(get)(
        name, &found, aik::cu::apiVersion, 0, &how);
    return reinterpret_cast<aik::cu::Result (*)(Types...)>(found)(values...);
  }
};

inline FakeCuda &fake() {
  static FakeCuda one;
  return one;
}

inline void useFakeCuda(int argc, char **argv) {
  useTestImage(argc, argv);
  void *library = argc > 3 ? dlopen(argv[3], RTLD_NOW) : nullptr;
  if (!library) {
    std::printf("usage: %s TEST_IMAGE TEST_LAUNCHER FAKE_CUDA\n", argv[0]);
    std::exit(2);
  }
  auto find = [&](auto &function, const char *name) {
    *reinterpret_cast<void **>(&function) = dlsym(library, name);
  };
  find(fake().configure, "aik_fake_cuda_configure");
  find(fake().calls, "aik_fake_cuda_calls");
  find(fake().live, "aik_fake_cuda_live");
  find(fake().kernels, "aik_fake_cuda_kernels");
  find(fake().allocations, "aik_fake_cuda_allocations");
  fake().library = library;
  fake().path = argv[3];
  fake().launcher = fileBytes(argv[2]);
}

/// Finds the fake where libcuda.so.1 is asked for.
struct CudaSys : CountingSys {
  std::string driver = fake().path;
  void *loadLibrary(const char *path, char *error, size_t bytes) override {
    bool isDriver = strcmp(path, "libcuda.so.1") == 0;
    return CountingSys::loadLibrary(isDriver ? driver.c_str() : path, error,
                                    bytes);
  }
};

/// The test artifact on nvidia:0 of a fake with these knobs.
struct CudaSession : CudaSys, Session {
  explicit CudaSession(const char *knobs = "",
                       const char *deviceName = "nvidia:0")
      : Session((fake().configure(knobs), deviceName), 2,
                static_cast<CudaSys &>(*this),
                artifactOf(cudaDescription(fake().launcher))) {}

  /// A buffer with these values.
  aik_memory_info floats(const std::vector<float> &values) {
    aik_memory_info info = buffer(values.size() * sizeof(float));
    CHECK_EQ(aik_buffer_write(runtime, info.handle, 0, values.data(),
                              values.size() * sizeof(float)),
             0);
    return info;
  }
  float read(const aik_memory_info &info, size_t index) {
    float value = 0;
    CHECK_EQ(aik_buffer_read(runtime, info.handle, index * sizeof(float),
                             &value, sizeof(float)),
             0);
    return value;
  }
  int32_t wait() { return aik_device_wait(runtime, device, -1); }
  int32_t trouble(int64_t how, uint32_t flags = 0) {
    aik_tensor arg = tensor(&how, {}, AIK_I64);
    auto options = make<aik_run_options>();
    options.flags = flags;
    return aik_function_run(runtime, module, function("trouble"), &arg, 1,
                            nullptr, 0, &options);
  }
};

inline aik_tensor on(const aik_memory_info &info,
                     std::initializer_list<int64_t> dims) {
  return tensor(reinterpret_cast<void *>(info.device_address), dims);
}

/// z = x + y over rows of four, with everything that add needs.
struct Addition {
  explicit Addition(CudaSession &s, int64_t rows = 2)
      : s(s), x(s.floats(std::vector<float>(size_t(rows) * 4, 3))),
        z(s.floats(std::vector<float>(size_t(rows) * 4, -1))),
        args{on(x, {rows, 4}), on(x, {rows, 4})}, result(on(z, {rows, 4})) {}
  int32_t run(uint32_t flags = 0, void *stream = nullptr) {
    auto options = make<aik_run_options>();
    options.flags = flags;
    options.stream = stream;
    return aik_function_run(s.runtime, s.module, s.function("add"), args, 2,
                            &result, 1, &options);
  }
  CudaSession &s;
  aik_memory_info x, z;
  aik_tensor args[2], result;
};

} // namespace aiktest

#endif // AIKERNEL_UNITTESTS_RUNTIME_CUDATESTSUPPORT_H
