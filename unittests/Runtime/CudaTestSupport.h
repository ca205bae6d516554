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

#include "Core/CpuFeatures.h"
#include "Core/Runtime.h"
#include "Drivers/CUDA/CudaApi.h"
#include "FakeCuda.h"
#include "TestCubin.h"
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
  decltype(&aik_fake_cuda_maps) maps = nullptr;
  decltype(&aik_fake_cuda_overlaps) overlaps = nullptr;
  decltype(&aik_fake_cuda_graphs) graphs = nullptr;
  decltype(&aik_fake_cuda_updates) updates = nullptr;
  decltype(&aik_fake_cuda_before) before = nullptr;
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
  find(fake().maps, "aik_fake_cuda_maps");
  find(fake().overlaps, "aik_fake_cuda_overlaps");
  find(fake().graphs, "aik_fake_cuda_graphs");
  find(fake().updates, "aik_fake_cuda_updates");
  find(fake().before, "aik_fake_cuda_before");
  fake().library = library;
  fake().path = argv[3];
  fake().launcher = fileBytes(argv[2]);
}

/// Finds the fake where libcuda.so.1 is asked for.
struct CudaSys : CountingSys {
  std::string driver = fake().path;
  std::atomic<uint64_t> clockSpeed{1};
  uint64_t clockNs() override { return Sys::clockNs() * clockSpeed; }
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
  int32_t trouble(int64_t how, uint32_t flags = 0, void *stream = nullptr) {
    aik_tensor arg = tensor(&how, {}, AIK_I64);
    auto options = make<aik_run_options>();
    options.flags = flags;
    options.stream = stream;
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

/// Loads an artifact with these images and says which one was taken.
struct Choice {
  aik::ArtifactDescription description = testDescription();

  void add(uint32_t kind, const char *target, uint64_t features, uint32_t rank,
           uint32_t arch = AIK_ARCH_NONE) {
    aik::ArtifactImage image;
    image.kind = kind;
    image.arch = arch;
    image.target = target;
    image.features = features;
    image.rank = rank;
    image.bytes = kind == AIK_IMAGE_LAUNCHER ? fake().launcher
                  : kind == AIK_IMAGE_CUBIN  ? TestCubin().bytes()
                                             : "// PTX\n";
    description.images.push_back(image);
  }
  void addLauncher(const char *target) {
    add(AIK_IMAGE_LAUNCHER, target, 0, 0, aik::hostArch());
  }

  /// "target kind" of what is loaded, or the sentence.
  std::string load(const char *knobs, const char *wanted = nullptr) {
    fake().configure(knobs);
    CudaSys sys;
    aik_runtime *runtime = nullptr;
    aik_handle artifact = 0, device = 0, module = 0;
    std::string bytes = artifactOf(description), said;
    CHECK_EQ(aik::openRuntime(sys, nullptr, &runtime), 0);
    CHECK_EQ(aik_artifact_open_memory(runtime, bytes.data(), bytes.size(),
                                      &artifact),
             0);
    CHECK_EQ(aik_device_open(runtime, "nvidia:0", &device), 0);
    auto options = make<aik_load_options>();
    options.image = wanted;
    status = aik_module_load(runtime, artifact, device, &options, &module);
    if (status != 0) {
      said = aik_fault_message();
    } else {
      auto info = make<aik_module_info>();
      CHECK_EQ(aik_module_describe(runtime, module, &info), 0);
      const aik::ArtifactImage &image = description.images[info.image];
      said = image.target + " " + aik_image_kind_name(image.kind);
    }
    CHECK_EQ(aik_runtime_close(runtime), 0);
    CHECK(sys.isClean());
    CHECK_EQ(fake().live(), 0);
    return said;
  }
  int32_t status = 0;
};

inline bool has(const std::string &text, const char *part) {
  bool found = text.find(part) != std::string::npos;
  if (!found)
    std::printf("'%s' does not say '%s'\n", text.c_str(), part);
  return found;
}

/// The launcher with one row of a table changed.
inline std::string forged(std::vector<uint32_t> before,
                          std::vector<uint32_t> after) {
  std::string bytes = fake().launcher;
  std::string pattern(reinterpret_cast<char *>(before.data()),
                      before.size() * 4);
  size_t at = bytes.find(pattern);
  CHECK(at != std::string::npos && bytes.find(pattern, at + 1) == bytes.npos);
  if (at != std::string::npos)
    memcpy(&bytes[at], after.data(), after.size() * 4);
  return bytes;
}

} // namespace aiktest

#endif // AIKERNEL_UNITTESTS_RUNTIME_CUDATESTSUPPORT_H
