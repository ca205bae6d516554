//===- CudaDeviceTest.cpp - The CUDA driver on a real device --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: CudaDeviceTest LAUNCHER KERNELS.ptx, on a machine with a GPU of
// sm_90 or later; cuda_device_test.sh builds everything and runs it. Loads,
// runs, refuses, faults and recovers; then measures what a launch costs here
// beside the CUDA driver's own calls in the same process.
//
//===----------------------------------------------------------------------===//

#include "Core/CpuFeatures.h"
#include "Core/Runtime.h"
#include "Drivers/CUDA/CudaLibrary.h"
#include "FakeCuda.h"
#include "TestSupport.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

using namespace aiktest;

namespace {
std::string launcherBytes, ptxText;

aik::ArtifactValue value(const char *name, bool isScalar) {
  aik::ArtifactValue result;
  result.name = name;
  result.dtype = isScalar ? AIK_I64 : AIK_F32;
  if (!isScalar)
    result.dims.push_back({});
  return result;
}

std::string artifactWith(const std::string &ptx, uint64_t features = 90) {
  aik::ArtifactDescription description;
  aik::ArtifactImage image;
  image.kind = AIK_IMAGE_LAUNCHER;
  image.arch = aik::hostArch();
  image.target = "nvidia:test";
  image.bytes = launcherBytes;
  description.images.push_back(image);
  image.kind = AIK_IMAGE_PTX;
  image.arch = AIK_ARCH_NONE;
  image.features = features;
  image.bytes = ptx;
  description.images.push_back(image);
  description.functions = {
      {"add", {value("x", false), value("y", false)}, {value("z", false)}}};
  for (const char *name :
       {"nothing", "many", "shared", "cluster", "after", "map", "crowd"})
    description.functions.push_back({name, {value("x", false)}, {}});
  for (const char *name : {"poke", "check"})
    description.functions.push_back({name, {value("how", true)}, {}});
  return artifactOf(description);
}

struct Gpu {
  Gpu() {
    CHECK_EQ(aik_runtime_open(nullptr, &runtime), 0);
    if (aik_device_open(runtime, "nvidia:0", &device) != 0)
      report(__FILE__, __LINE__, aik_fault_message());
    if (load(artifactWith(ptxText)) != 0)
      report(__FILE__, __LINE__, aik_fault_message());
    x = buffer(1 << 20);
    aik::CudaLibrary *cuda = nullptr;
    CHECK_EQ(aik::loadCuda(*runtime, &cuda), 0);
    call = &cuda->call;
    *reinterpret_cast<void **>(&configure) =
        runtime->sys.symbol(cuda->library, "aik_fake_cuda_configure");
  }
  ~Gpu() { CHECK_EQ(aik_runtime_close(runtime), 0); }

  int32_t load(const std::string &bytes) {
    if (int32_t status = aik_artifact_open_memory(runtime, bytes.data(),
                                                  bytes.size(), &artifact))
      return status;
    return aik_module_load(runtime, artifact, device, nullptr, &module);
  }
  aik_memory_info buffer(uint64_t bytes) {
    auto info = make<aik_memory_info>();
    CHECK_EQ(aik_buffer_create(runtime, device, bytes, 0, &info), 0);
    return info;
  }
  void fill(const aik_memory_info &info, float value, size_t count) {
    std::vector<float> values(count, value);
    CHECK_EQ(
        aik_buffer_write(runtime, info.handle, 0, values.data(), count * 4), 0);
  }
  float read(const aik_memory_info &info, size_t index) {
    float result = -1;
    CHECK_EQ(aik_buffer_read(runtime, info.handle, index * 4, &result, 4), 0);
    return result;
  }
  uint32_t function(const char *name) {
    return uint32_t(aik_artifact_find_function(runtime, artifact, name));
  }
  /// A function of one tensor or scalar.
  int32_t run(const char *name, uint32_t flags = 0, int64_t scalar = -1,
              void *stream = nullptr) {
    aik_tensor arg =
        scalar >= 0
            ? tensor(&scalar, {}, AIK_I64)
            : tensor(reinterpret_cast<void *>(x.device_address), {1 << 18});
    auto options = make<aik_run_options>();
    options.flags = flags;
    options.stream = stream;
    return aik_function_run(runtime, module, function(name), &arg, 1, nullptr,
                            0, &options);
  }
  int32_t wait() { return aik_device_wait(runtime, device, -1); }

  aik_runtime *runtime = nullptr;
  aik_handle device = 0, artifact = 0, module = 0;
  aik_memory_info x = {};
  const aik::cu::Functions *call = nullptr;
  void (*configure)(const char *) = nullptr; // of the fake driver only
};

void runs() {
  Gpu g;
  auto info = make<aik_device_info>();
  CHECK_EQ(aik_device_describe(g.runtime, g.device, &info), 0);
  std::printf("%s is %s with %llu MiB\n", info.name, info.arch,
              (unsigned long long)info.memory_bytes >> 20);
  constexpr int64_t count = 100001;
  aik_memory_info z = g.buffer(count * 4);
  g.fill(g.x, 1.5f, count);
  g.fill(z, -1, count);
  aik_tensor x = tensor(reinterpret_cast<void *>(g.x.device_address), {count});
  aik_tensor args[] = {x, x};
  aik_tensor result =
      tensor(reinterpret_cast<void *>(z.device_address), {count});
  CHECK_EQ(aik_function_run(g.runtime, g.module, g.function("add"), args, 2,
                            &result, 1, nullptr),
           0);
  CHECK_EQ(g.read(z, 0), 3.0f);
  CHECK_EQ(g.read(z, count - 1), 3.0f);
  // More shared memory than a kernel has by itself, clusters, and launches
  // that overlap.
  CHECK_EQ(g.run("shared"), 0);
  CHECK_EQ(g.read(g.x, 0), 63.0f);
  CHECK_EQ(g.read(g.x, 63), 0.0f);
  CHECK_EQ(g.run("cluster"), 0);
  CHECK_EQ(g.read(g.x, 7), 2.0f);
  g.fill(g.x, 0, 64);
  for (int i = 0; i < 100; ++i)
    CHECK_EQ(g.run("after", AIK_RUN_ASYNC), 0);
  CHECK_EQ(g.wait(), 0);
  CHECK_EQ(g.read(g.x, 63), 100.0f);
}

/// What tensor maps and resident blocks are is the device's to say.
void launchesWhatIsDescribed() {
  Gpu g;
  std::vector<float> values(1024 + 32, -1);
  for (int i = 0; i < 64; ++i)
    values[size_t(i)] = float(i);
  for (int round = 0; round < 2; ++round) { // made, and kept
    CHECK_EQ(aik_buffer_write(g.runtime, g.x.handle, 0, values.data(),
                              values.size() * 4),
             0);
    CHECK_EQ(g.run("map"), 0);
    for (size_t i = 0; i < 32; ++i) {
      size_t column = 4 + i % 8, row = 1 + i / 8;
      float wanted = column < 8 && row < 4 ? float(16 * row + column) : 0;
      CHECK_EQ(g.read(g.x, 1024 + i), wanted);
    }
  }
  g.fill(g.x, -1, 4096);
  CHECK_EQ(g.run("crowd"), 0);
  size_t count = size_t(g.read(g.x, 0));
  std::printf("%zu blocks in clusters of 2, with 100 KiB each, fit\n", count);
  CHECK(count >= 2 && count < 4096 && count % 2 == 0);
  CHECK_EQ(g.read(g.x, count - 1), float(count));
  CHECK_EQ(g.read(g.x, count), -1.0f);
}

/// A stream of another user of the same context, and the default stream.
void runsOnCallersStreams() {
  Gpu g;
  aik::cu::Stream stream = nullptr;
  CHECK_EQ(g.call->StreamCreate(&stream, aik::cu::streamNonBlocking), 0);
  g.fill(g.x, 0, 64);
  for (int i = 0; i < 10; ++i)
    CHECK_EQ(g.run("after", AIK_RUN_ON_STREAM | AIK_RUN_ASYNC, -1, stream), 0);
  CHECK_EQ(g.call->StreamSynchronize(stream), 0);
  CHECK_EQ(g.read(g.x, 63), 10.0f);
  CHECK_EQ(g.run("after", AIK_RUN_ON_STREAM), 0);
  CHECK_EQ(g.read(g.x, 0), 11.0f);
  CHECK_EQ(g.run("check", AIK_RUN_ON_STREAM | AIK_RUN_ASYNC, 2, stream), 0);
  CHECK_EQ(g.call->StreamSynchronize(stream), 0);
  CHECK_EQ(g.wait(), -AIK_EINVAL);
  aik_handle graph = 0;
  CHECK_EQ(aik_graph_begin(g.runtime, g.device), 0);
  CHECK_EQ(g.run("after", AIK_RUN_ASYNC), 0);
  CHECK_EQ(aik_graph_end(g.runtime, g.device, &graph), 0);
  CHECK_EQ(aik_graph_launch_on(g.runtime, graph, stream), 0);
  CHECK_EQ(g.call->StreamSynchronize(stream), 0);
  CHECK_EQ(g.read(g.x, 0), 12.0f);
  // The caller captures what we launch.
  aik::cu::Graph captured = nullptr;
  aik::cu::GraphExec exec = nullptr;
  CHECK_EQ(g.call->StreamBeginCapture(stream, aik::cu::captureRelaxed), 0);
  CHECK_EQ(g.run("after", AIK_RUN_ON_STREAM | AIK_RUN_ASYNC, -1, stream), 0);
  CHECK_EQ(g.call->StreamEndCapture(stream, &captured), 0);
  CHECK_EQ(g.call->GraphInstantiateWithFlags(&exec, captured, 0), 0);
  for (int i = 0; i < 3; ++i)
    CHECK_EQ(g.call->GraphLaunch(exec, stream), 0);
  CHECK_EQ(g.call->StreamSynchronize(stream), 0);
  CHECK_EQ(g.read(g.x, 5), 15.0f);
  CHECK_EQ(g.call->GraphExecDestroy(exec), 0);
  CHECK_EQ(g.call->GraphDestroy(captured), 0);
  CHECK_EQ(g.call->StreamDestroy(stream), 0);
}

void checks() {
  Gpu g;
  CHECK_EQ(g.run("check", 0, 0), 0);
  CHECK_EQ(g.run("check", 0, 2), -AIK_EINVAL);
  CHECK_SAYS("the second check failed");
  CHECK_EQ(g.run("check", AIK_RUN_ASYNC, 1), 0);
  CHECK_EQ(g.run("check", AIK_RUN_ASYNC, 2), 0);
  CHECK_EQ(g.wait(), -AIK_ERANGE);
  CHECK_SAYS("the first check failed");
  CHECK_EQ(g.run("check", 0, 0), 0);
}

void refuses() {
  Gpu g;
  CHECK_EQ(g.load(artifactWith(ptxText, 200)), -AIK_EOPNOTSUPP);
  std::printf("%s\n", aik_fault_message());
  CHECK_EQ(g.load(artifactWith(ptxText, 80 | AIK_SM_EXACT)), -AIK_EOPNOTSUPP);
  CHECK_SAYS("for sm_80 alone");
  std::string broken = ptxText;
  broken.replace(broken.find("mov.u32 %r1, %ctaid.x;"), 22,
                 "bad instruction here; ");
  CHECK_EQ(g.load(artifactWith(broken)), -AIK_ENOEXEC);
  std::printf("%s\n", aik_fault_message());
  std::string missing = ptxText;
  missing.replace(missing.find("kernel_after"), 12, "kernel_other");
  CHECK_EQ(g.load(artifactWith(missing)), -AIK_ENOEXEC);
  CHECK_SAYS("has no kernel 'kernel_after'");
}

void runsOutOfMemory() {
  Gpu g;
  auto device = make<aik_device_info>();
  CHECK_EQ(aik_device_describe(g.runtime, g.device, &device), 0);
  auto info = make<aik_memory_info>();
  CHECK_EQ(
      aik_buffer_create(g.runtime, g.device, device.memory_bytes + 1, 0, &info),
      -AIK_ENOMEM);
  std::printf("%s\n", aik_fault_message());
  aik_memory_info half = g.buffer(device.memory_bytes / 2);
  CHECK_EQ(aik_memory_free(g.runtime, half.handle), 0);
  CHECK_EQ(g.run("nothing"), 0);
}

void faultsAndRecovers() {
  Gpu g;
  for (int round = 0; round < 2; ++round) {
    CHECK_EQ(g.run("nothing", AIK_RUN_ASYNC), 0);
    if (g.configure)
      g.configure("launch:2:700");
    CHECK_EQ(g.run("poke", AIK_RUN_ASYNC, 64), 0);
    CHECK_EQ(g.wait(), -AIK_EIO);
    CHECK_SAYS("CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    CHECK_SAYS("'kernel_poke'");
    CHECK_EQ(g.run("nothing"), -AIK_EIO);
    CHECK_SAYS("'kernel_poke'");
    std::printf("%s\n", aik_fault_message());
    float value = 0;
    CHECK_EQ(aik_buffer_read(g.runtime, g.x.handle, 0, &value, 4), -AIK_EIO);
    if (aik_device_reset(g.runtime, g.device) != 0) {
      // Drivers give a process no other context after an illegal address (seen
      // with 580). That is said, and the process goes on without the GPU.
      CHECK_SAYS("cannot be opened again by this process");
      std::printf("%s\n", aik_fault_message());
      CHECK_EQ(g.run("nothing") < 0, true);
      aik_handle cpu = 0;
      CHECK_EQ(aik_device_open(g.runtime, "cpu", &cpu), 0);
      CHECK_EQ(aik_device_close(g.runtime, cpu), 0);
      return;
    }
    CHECK_EQ(aik_buffer_read(g.runtime, g.x.handle, 0, &value, 4), -AIK_ENOENT);
    CHECK_EQ(aik_memory_free(g.runtime, g.x.handle), 0);
    g.x = g.buffer(1 << 20);
    g.fill(g.x, 0, 64);
    CHECK_EQ(g.run("after"), 0);
    CHECK_EQ(g.read(g.x, 5), 1.0f);
  }
}

//===----------------------------------------------------------------------===//
// What launches and graphs cost; CudaLaunchCost says what they may
//===----------------------------------------------------------------------===//

/// Nanoseconds per item, the least of many batches.
double leastNs(Gpu &g, int items, const std::function<void()> &batch,
               const std::function<void()> &finish) {
  double least = 1e18;
  for (int i = 0; i < 50; ++i) {
    uint64_t begin = g.runtime->sys.clockNs();
    batch();
    uint64_t end = g.runtime->sys.clockNs();
    finish();
    if (i >= 5)
      least = std::min(least, double(end - begin) / items);
  }
  return least;
}

void measures() {
  using namespace aik;
  Gpu g;
  const cu::Functions &call = *g.call;
  // The driver's own calls, in the same context.
  cu::Context context = nullptr;
  cu::Device device = 0;
  cu::Module module = nullptr;
  cu::Function function = nullptr;
  cu::Stream stream = nullptr;
  CHECK_EQ(call.DeviceGet(&device, 0), 0);
  CHECK_EQ(call.DevicePrimaryCtxRetain(&context, device), 0);
  CHECK_EQ(call.CtxSetCurrent(context), 0);
  CHECK_EQ(call.ModuleLoadDataEx(&module, ptxText.c_str(), 0, nullptr, nullptr),
           0);
  CHECK_EQ(call.ModuleGetFunction(&function, module, "kernel_null"), 0);
  CHECK_EQ(call.StreamCreate(&stream, cu::streamNonBlocking), 0);
  uint64_t parameter = g.x.device_address;
  size_t bytes = 8;
  auto launch = [&] {
    void *extra[] = {cu::parameterBuffer, &parameter, cu::parameterBytes,
                     &bytes, nullptr};
    return call.LaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, nullptr,
                             extra);
  };
  auto sync = [&] { CHECK_EQ(call.StreamSynchronize(stream), 0); };
  auto wait = [&] { CHECK_EQ(g.wait(), 0); };
  auto nothing = [] {};
  constexpr int batch = 256;

  double raw = leastNs(
      g, batch,
      [&] {
        for (int i = 0; i < batch; ++i)
          launch();
      },
      sync);
  double ours = leastNs(
      g, batch,
      [&] {
        for (int i = 0; i < batch; ++i)
          g.run("nothing", AIK_RUN_ASYNC);
      },
      wait);
  double inside = leastNs(
      g, batch,
      [&] {
        for (int i = 0; i < batch / 64; ++i)
          g.run("many", AIK_RUN_ASYNC);
      },
      wait);
  double rawSync = leastNs(
      g, 1,
      [&] {
        launch();
        sync();
      },
      nothing);
  double ourSync = leastNs(g, 1, [&] { g.run("nothing"); }, nothing);
  std::printf("enqueue: cuLaunchKernel %.0f ns, aik_function_run %.0f ns "
              "(+%.0f), each launch inside a function %.0f ns (+%.0f)\n",
              raw, ours, ours - raw, inside, inside - raw);
  std::printf("launch and wait: CUDA %.0f ns, aik_function_run %.0f ns\n",
              rawSync, ourSync);

  // A graph of 64 launches.
  cu::Graph recorded = nullptr;
  cu::GraphExec exec = nullptr;
  CHECK_EQ(call.StreamBeginCapture(stream, cu::captureRelaxed), 0);
  for (int i = 0; i < 64; ++i)
    launch();
  CHECK_EQ(call.StreamEndCapture(stream, &recorded), 0);
  CHECK_EQ(call.GraphInstantiateWithFlags(&exec, recorded, 0), 0);
  aik_handle graph = 0;
  CHECK_EQ(aik_graph_begin(g.runtime, g.device), 0);
  CHECK_EQ(g.run("many", AIK_RUN_ASYNC), 0);
  CHECK_EQ(aik_graph_end(g.runtime, g.device, &graph), 0);
  auto launchRaw = [&] { CHECK_EQ(call.GraphLaunch(exec, stream), 0); };
  auto launchOurs = [&] { CHECK_EQ(aik_graph_launch(g.runtime, graph), 0); };
  double rawGraph = leastNs(g, 1, launchRaw, sync);
  double ourGraph = leastNs(g, 1, launchOurs, wait);
  double rawDone = leastNs(
      g, 1,
      [&] {
        launchRaw();
        sync();
      },
      nothing);
  double ourDone = leastNs(
      g, 1,
      [&] {
        launchOurs();
        wait();
      },
      nothing);
  std::printf("graph of 64: cuGraphLaunch %.0f ns, aik_graph_launch %.0f ns; "
              "until done %.0f and %.0f ns\n",
              rawGraph, ourGraph, rawDone, ourDone);
  CHECK_EQ(aik_graph_close(g.runtime, graph), 0);
  CHECK_EQ(call.GraphExecDestroy(exec), 0);
  CHECK_EQ(call.GraphDestroy(recorded), 0);
  CHECK_EQ(call.StreamDestroy(stream), 0);
  CHECK_EQ(call.ModuleUnload(module), 0);
  CHECK_EQ(call.DevicePrimaryCtxRelease(device), 0);
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::printf("usage: %s LAUNCHER KERNELS.ptx\n", argv[0]);
    return 2;
  }
  launcherBytes = fileBytes(argv[1]);
  ptxText = fileBytes(argv[2]);
  run("runs", runs);
  run("launches what is described", launchesWhatIsDescribed);
  run("runs on callers' streams", runsOnCallersStreams);
  run("checks", checks);
  run("refuses", refuses);
  run("runs out of memory", runsOutOfMemory);
  run("measures", measures);
  // Last: perhaps nothing runs after it.
  run("faults and recovers", faultsAndRecovers);
  return finish();
}
