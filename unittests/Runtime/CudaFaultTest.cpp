//===- CudaFaultTest.cpp - What goes wrong on the fake CUDA driver --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Faults that are sticky and the reset after them, and every call of the CUDA
// driver and of the OS made to fail once: the right error, nothing left over,
// and the process goes on.
//
//===----------------------------------------------------------------------===//

#include "CudaTestSupport.h"

#include <chrono>
#include <thread>

using namespace aiktest;

namespace {
//===----------------------------------------------------------------------===//
// Sticky faults
//===----------------------------------------------------------------------===//

void staysFaultedUntilReset() {
  CudaSession s;
  Addition add(s);
  CHECK_EQ(add.run(), 0);
  fake().configure("launch:2:700");
  CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
  CHECK_EQ(s.trouble(5, AIK_RUN_ASYNC), 0);
  CHECK_EQ(s.wait(), -AIK_EIO);
  std::string first = aik_fault_message();
  CHECK_SAYS("nvidia:0 has a fault, CUDA_ERROR_ILLEGAL_ADDRESS (700); it is "
             "one of these kernels, the last ones launched: 'kernel_add', "
             "'kernel_cluster'; aik_device_reset is needed");
  aik_fault fault = {};
  CHECK_EQ(aik_device_fault(s.runtime, s.device, &fault), 0);
  CHECK_EQ(fault.code, AIK_EIO);
  CHECK_EQ(fault.backend_code, 700);
  CHECK_EQ(fault.device, 2);
  CHECK(fault.kernel_hash == aik_name_hash("kernel_cluster"));
  // Everything gives the same record, at once.
  int calls = fake().calls();
  auto info = make<aik_memory_info>();
  aik_handle handle = 0;
  for (int i = 0; i < 2; ++i) {
    aik_fault_clear();
    CHECK_EQ(add.run(), -AIK_EIO);
    CHECK_EQ(std::string(aik_fault_message()), first);
    CHECK_EQ(add.run(AIK_RUN_ASYNC), -AIK_EIO);
    CHECK_EQ(s.wait(), -AIK_EIO);
    CHECK_EQ(aik_buffer_create(s.runtime, s.device, 8, 0, &info), -AIK_EIO);
    CHECK_EQ(aik_buffer_read(s.runtime, add.z.handle, 0, &fault, 4), -AIK_EIO);
    CHECK_EQ(aik_graph_begin(s.runtime, s.device), -AIK_EIO);
    CHECK_EQ(aik_module_load(s.runtime, s.artifact, s.device, nullptr, &handle),
             -AIK_EIO);
    CHECK_EQ(std::string(aik_fault_message()), first);
  }
  CHECK_EQ(fake().calls(), calls);
  // Reset: the module is loaded again, buffers have to be made again.
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(aik_device_fault(s.runtime, s.device, &fault), -AIK_ENOENT);
  auto device = make<aik_device_info>();
  CHECK_EQ(aik_device_describe(s.runtime, s.device, &device), 0);
  CHECK_EQ(device.epoch, 1);
  CHECK_EQ(aik_buffer_read(s.runtime, add.z.handle, 0, &fault, 4), -AIK_ENOENT);
  CHECK_SAYS("lost when the device was reset");
  CHECK_EQ(aik_memory_free(s.runtime, add.z.handle), 0);
  CHECK_EQ(aik_memory_free(s.runtime, add.x.handle), 0);
  Addition again(s);
  CHECK_EQ(again.run(), 0);
  CHECK_EQ(s.read(again.z, 7), 6.0f);
  CHECK_EQ(s.trouble(1), -AIK_ERANGE);
  CHECK_EQ(s.trouble(5), 0);
}

void namesOneKernelWhereItCan() {
  CudaSession s("");
  Addition add(s);
  fake().configure("launch:1:719");
  CHECK_EQ(add.run(), -AIK_EIO);
  CHECK_SAYS("CUDA_ERROR_LAUNCH_FAILED (719); the kernel is 'kernel_add';");
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  fake().configure("cuEventRecord:1:214");
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_SAYS("CUDA_ERROR_ECC_UNCORRECTABLE (214); no kernel was running;");
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  // Of many, the last ones.
  Addition more(s);
  fake().configure("launch:20:700");
  for (int i = 0; i < 19; ++i)
    CHECK_EQ(more.run(AIK_RUN_ASYNC), 0);
  CHECK_EQ(s.trouble(5, AIK_RUN_ASYNC), 0);
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_SAYS("'kernel_add', 'kernel_cluster'; aik_device_reset");
  // Closing without a reset works, too.
}

void losesGraphsWithTheContext() {
  CudaSession s;
  Addition add(s);
  aik_handle graph = 0;
  CHECK_EQ(aik_graph_begin(s.runtime, s.device), 0);
  CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
  CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), 0);
  fake().configure("launch:1:700");
  CHECK_EQ(aik_graph_launch(s.runtime, graph), 0);
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_SAYS("the kernel is 'kernel_add'");
  CHECK_EQ(aik_graph_launch(s.runtime, graph), -AIK_EIO);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(aik_graph_launch(s.runtime, graph), -AIK_ENOENT);
  CHECK_SAYS("lost when the device was reset");
  CHECK_EQ(aik_graph_close(s.runtime, graph), 0);
  // A fault while recording ends the recording.
  Addition again(s);
  CHECK_EQ(aik_graph_begin(s.runtime, s.device), 0);
  CHECK_EQ(again.run(AIK_RUN_ASYNC), 0);
  fake().configure("cuEventRecord:1:700");
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), -AIK_EIO);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), -AIK_EINVAL);
  CHECK_EQ(aik_module_unload(s.runtime, s.module), 0);
}

void poisonsQueuesToo() {
  CudaSession s;
  aik_memory_info data = s.floats({1, 2, 3, 4});
  uint64_t block[] = {data.device_address, 4, 0};
  aik_queue_info queue = s.queue();
  aik_packet packet = kernelPacket(s.kernel("kernel_scale"), block, 24);
  aik_fence fence = {};
  fake().configure("launch:1:700");
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, &packet, 1, &fence), 0);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, -1), -AIK_EIO);
  CHECK_SAYS("kernel 'kernel_scale' returned -5 (EIO): nvidia:0 has a fault");
  CHECK_EQ(s.trouble(5), -AIK_EIO);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(s.trouble(5), 0);
  // The kernel is where it was.
  data = s.floats({1, 2, 3, 4});
  block[0] = data.device_address;
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, &packet, 1, &fence), 0);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, -1), 0);
  CHECK_EQ(s.read(data, 3), 0.0f);
}

void resetsAHealthyDeviceGently() {
  CudaSession s;
  Addition add(s);
  CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
  CHECK_EQ(s.trouble(1, AIK_RUN_ASYNC), 0);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(s.read(add.z, 0), 6.0f);
  CHECK_EQ(s.wait(), 0);
}

void noticesAResetThroughAnotherHandle() {
  CudaSession s;
  aik_handle other = 0, module = 0;
  CHECK_EQ(aik_device_open(s.runtime, "nvidia:0", &other), 0);
  CHECK_EQ(aik_module_load(s.runtime, s.artifact, other, nullptr, &module), 0);
  fake().configure("launch:1:700");
  CHECK_EQ(s.trouble(5), -AIK_EIO);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(s.trouble(5), 0);
  CHECK_EQ(aik_device_wait(s.runtime, other, -1), -AIK_EIO);
  CHECK_SAYS("CUDA_ERROR_CONTEXT_IS_DESTROYED (709); no kernel was running");
  CHECK_EQ(aik_device_reset(s.runtime, other), 0);
  CHECK_EQ(aik_device_wait(s.runtime, other, -1), 0);
  // That one did not take the context from the first.
  CHECK_EQ(s.trouble(5), 0);
  CHECK_EQ(aik_module_unload(s.runtime, module), 0);
}

void survivesAResetThatFails() {
  CudaSession s;
  fake().configure("launch:1:700");
  CHECK_EQ(s.trouble(5), -AIK_EIO);
  fake().configure("cuDevicePrimaryCtxRetain:1:46");
  CHECK_EQ(aik_device_reset(s.runtime, s.device), -AIK_ENODEV);
  CHECK(s.trouble(5) < 0);
  CHECK(s.wait() < 0);
  fake().configure("cuModuleLoadDataEx:1:2");
  CHECK_EQ(aik_device_reset(s.runtime, s.device), -AIK_ENOMEM);
  CHECK(s.trouble(5) < 0);
  fake().configure("");
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(s.trouble(5), 0);
}

/// Names of kernels are the launcher's, which goes with its module.
void namesNoKernelsOfUnloadedModules() {
  {
    CudaSession s;
    Addition add(s);
    CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
    CHECK_EQ(aik_module_unload(s.runtime, s.module), 0);
    fake().configure("cuEventRecord:1:214");
    CHECK_EQ(s.wait(), -AIK_EIO);
    CHECK_SAYS("no kernel was running;");
  }
  // The fault is found by the unload itself, and told with the name.
  {
    CudaSession s;
    Addition add(s);
    fake().configure("launch:1:700");
    CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
    aik_fault_clear();
    CHECK_EQ(aik_module_unload(s.runtime, s.module), 0);
    CHECK_EQ(std::string(aik_fault_message()), "");
    CHECK_EQ(s.wait(), -AIK_EIO);
    CHECK_SAYS("ILLEGAL_ADDRESS (700); the kernel is 'kernel_add';");
  }
  // A graph's, which was closed before.
  {
    CudaSession s;
    Addition add(s);
    aik_handle graph = 0;
    CHECK_EQ(aik_graph_begin(s.runtime, s.device), 0);
    CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
    CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), 0);
    CHECK_EQ(aik_graph_launch(s.runtime, graph), 0);
    CHECK_EQ(aik_graph_close(s.runtime, graph), 0);
    CHECK_EQ(aik_module_unload(s.runtime, s.module), 0);
    fake().configure("cuEventRecord:1:700");
    CHECK_EQ(s.wait(), -AIK_EIO);
    CHECK_SAYS("no kernel was running;");
  }
  // Where the context is gone already.
  CudaSession s;
  Addition add(s);
  aik_handle other = 0;
  CHECK_EQ(aik_device_open(s.runtime, "nvidia:0", &other), 0);
  CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
  fake().configure("cuEventRecord:1:700");
  CHECK_EQ(aik_device_wait(s.runtime, other, -1), -AIK_EIO);
  CHECK_EQ(aik_device_reset(s.runtime, other), 0);
  CHECK_EQ(aik_module_unload(s.runtime, s.module), 0);
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_SAYS("CUDA_ERROR_CONTEXT_IS_DESTROYED (709); no kernel was running;");
}

/// Others of the process have the same primary context.
void mendsWhatOthersHaveReset() {
  CudaSession s;
  Addition add(s);
  CHECK_EQ(add.run(), 0);
  aik::cu::Context shared = nullptr;
  CHECK_EQ(fake().call("cuDevicePrimaryCtxRetain", &shared, 0), 0);
  CHECK_EQ(fake().call("cuDevicePrimaryCtxReset", 0), 0);
  aik::cu::Stream theirs = nullptr;
  CHECK_EQ(fake().call("cuStreamCreate", &theirs, 1u), 0);
  CHECK_EQ(add.run(), -AIK_EINVAL);
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_SAYS("CUDA_ERROR_CONTEXT_IS_DESTROYED (709); no kernel was running; "
             "aik_device_reset is needed");
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(s.wait(), 0);
  float value = 0;
  CHECK_EQ(aik_buffer_read(s.runtime, add.z.handle, 0, &value, 4), -AIK_ENOENT);
  Addition again(s);
  CHECK_EQ(again.run(), 0);
  CHECK_EQ(s.read(again.z, 0), 6.0f);
  // What they have made since is still there.
  CHECK_EQ(fake().call("cuStreamSynchronize", theirs), 0);
  CHECK_EQ(fake().call("cuStreamDestroy", theirs), 0);
  CHECK_EQ(fake().call("cuDevicePrimaryCtxRelease", 0), 0);
  // A context that the driver calls invalid needs a reset, too, and gets one.
  fake().configure("cuEventRecord:1:201");
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_SAYS("CUDA_ERROR_INVALID_CONTEXT (201); no kernel was running; "
             "aik_device_reset is needed");
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(s.trouble(5), 0);
}

void mendsWhatAnotherRuntimeHasReset() {
  CudaSession first, second;
  fake().configure("launch:1:700");
  CHECK_EQ(first.trouble(5), -AIK_EIO);
  CHECK_EQ(aik_device_reset(first.runtime, first.device), 0);
  CHECK(second.trouble(5) < 0);
  CHECK_EQ(aik_device_reset(second.runtime, second.device), 0);
  CHECK_EQ(aik_device_reset(second.runtime, second.device), 0);
  CHECK_EQ(second.trouble(5), 0);
  CHECK_EQ(first.trouble(5), 0);
}

void resetsNothingForWantOfMemory() {
  CudaSession s;
  Addition add(s);
  CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
  fake().configure("cuCtxGetCurrent:1:2");
  CHECK_EQ(aik_device_reset(s.runtime, s.device), -AIK_ENOMEM);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(s.read(add.z, 0), 6.0f);
}

/// Ten seconds of a clock that runs a thousand times as fast.
void doesNotResetForEver() {
  CudaSession s;
  s.clockSpeed = 1000;
  fake().configure("hang");
  CHECK_EQ(s.trouble(5, AIK_RUN_ASYNC), 0);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), -AIK_ETIMEDOUT);
  CHECK_SAYS("nvidia:0 is still at work after 10000000000 ns");
  // Nor where the fault is known, but not to who waits.
  int32_t status = 0;
  int calls = fake().calls();
  std::thread waiter(
      [&] { status = aik_device_wait(s.runtime, s.device, int64_t(1) << 62); });
  while (fake().calls() < calls + 20)
    std::this_thread::yield();
  fake().configure("hang,cuEventRecord:1:700");
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), -AIK_ETIMEDOUT);
  CHECK_SAYS("nvidia:0 is still waited for after 10000000000 ns");
  fake().configure("");
  waiter.join();
  CHECK_EQ(status, -AIK_EIO);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(s.trouble(5), 0);
}

CudaSession *resetting = nullptr;
aik_memory_info madeMeanwhile;
std::thread maker;

/// A buffer that is asked for during a reset is made after it, and lives.
void makesBuffersDuringAReset() {
  CudaSession s;
  resetting = &s;
  fake().configure("launch:1:700");
  CHECK_EQ(s.trouble(5), -AIK_EIO);
  fake().before("cuDevicePrimaryCtxReset", [] {
    maker = std::thread([] { madeMeanwhile = resetting->buffer(64); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  maker.join();
  CHECK_EQ(aik_buffer_write(s.runtime, madeMeanwhile.handle, 0, "abcd", 4), 0);
  int live = fake().live();
  CHECK_EQ(aik_memory_free(s.runtime, madeMeanwhile.handle), 0);
  CHECK_EQ(fake().live(), live - 1);
}

/// Nothing is written to the caller's tensors after a call that waits.
void waitsForARunThatFailsHalfWay() {
  CudaSession s;
  int kernels = fake().kernels();
  CHECK_EQ(s.trouble(7), -AIK_EINVAL);
  CHECK_SAYS("trouble: half way");
  CHECK_EQ(fake().kernels() - kernels, 1);
  aik::cu::Stream mine = nullptr;
  CHECK_EQ(fake().call("cuStreamCreate", &mine, 1u), 0);
  CHECK_EQ(s.trouble(7, AIK_RUN_ON_STREAM, mine), -AIK_EINVAL);
  CHECK_SAYS("trouble: half way");
  CHECK_EQ(fake().kernels() - kernels, 2);
  // The first error stands, also when the wait finds another one.
  fake().configure("cuEventRecord:1:700");
  CHECK_EQ(s.trouble(7), -AIK_EINVAL);
  CHECK_SAYS("trouble: half way");
  CHECK_EQ(s.wait(), -AIK_EIO);
}

//===----------------------------------------------------------------------===//
// Every call fails once
//===----------------------------------------------------------------------===//

/// How a story ended: 0, a negative error, or `wrong` for what must not be.
constexpr int32_t wrong = 1;

#define TRY(call)                                                              \
  if (int32_t status = int32_t(call); status < 0)                              \
  return status

int32_t tellStory(aik_runtime *runtime, const std::string &bytes) {
  aik_handle artifact = 0, device = 0, module = 0, graph = 0;
  TRY(aik_artifact_open_memory(runtime, bytes.data(), bytes.size(), &artifact));
  TRY(aik_device_open(runtime, "nvidia:0", &device));
  TRY(aik_module_load(runtime, artifact, device, nullptr, &module));
  auto x = make<aik_memory_info>(), y = make<aik_memory_info>();
  TRY(aik_buffer_create(runtime, device, 48, 0, &x));
  TRY(aik_buffer_create(runtime, device, 12, 0, &y));
  std::vector<float> ones(12, 1);
  TRY(aik_buffer_write(runtime, x.handle, 0, ones.data(), 48));
  aik_tensor args[] = {on(x, {1, 4}), on(x, {4, 3})}, result = on(y, {1, 3});
  auto linear =
      uint32_t(aik_artifact_find_function(runtime, artifact, "linear"));
  auto options = make<aik_run_options>();
  auto check = [&]() -> int32_t {
    float sums[3] = {};
    TRY(aik_buffer_read(runtime, y.handle, 0, sums, 12));
    TRY(aik_buffer_write(runtime, y.handle, 0, "123456789abc", 12));
    return sums[2] == 4 ? 0 : wrong;
  };
  auto run = [&] {
    return aik_function_run(runtime, module, linear, args, 2, &result, 1,
                            &options);
  };
  TRY(run());
  if (int32_t status = check())
    return status;
  options.flags = AIK_RUN_ASYNC;
  TRY(aik_graph_begin(runtime, device));
  TRY(run());
  TRY(aik_graph_end(runtime, device, &graph));
  TRY(aik_graph_launch(runtime, graph));
  TRY(aik_device_wait(runtime, device, -1));
  if (int32_t status = check())
    return status;
  int64_t how = 1;
  aik_tensor scalar = tensor(&how, {}, AIK_I64);
  auto trouble =
      uint32_t(aik_artifact_find_function(runtime, artifact, "trouble"));
  int32_t checked = aik_function_run(runtime, module, trouble, &scalar, 1,
                                     nullptr, 0, nullptr);
  if (checked != -AIK_ERANGE)
    return checked < 0 ? checked : wrong;
  TRY(aik_graph_close(runtime, graph));
  TRY(aik_device_reset(runtime, device));
  // A fault found by the reset has taken the buffers with it, which this says.
  TRY(aik_buffer_write(runtime, x.handle, 0, ones.data(), 48));
  TRY(run());
  TRY(aik_device_wait(runtime, device, -1));
  if (int32_t status = check())
    return status;
  TRY(aik_module_unload(runtime, module));
  TRY(aik_memory_free(runtime, x.handle));
  TRY(aik_memory_free(runtime, y.handle));
  return aik_device_close(runtime, device);
}

int32_t tell(CudaSys &sys, const std::string &bytes) {
  auto options = make<aik_runtime_options>();
  options.threads = 1;
  aik_runtime *runtime = nullptr;
  TRY(aik::openRuntime(sys, &options, &runtime));
  int32_t status = tellStory(runtime, bytes);
  return aik_runtime_close(runtime) == 0 ? status : wrong;
}

/// True when a failure was told and nothing is left.
bool endedWell(const char *what, int k, int32_t status, CudaSys &sys) {
  bool told = status == 0 || (status < 0 && *aik_fault_message() &&
                              aik_fault_read(nullptr) == -status);
  if (told && sys.isClean() && fake().live() == 0)
    return true;
  report(__FILE__, __LINE__,
         std::string(what) + ", call " + std::to_string(k) + ": returned " +
             std::to_string(status) + " '" + aik_fault_message() +
             "'; alive: " + sys.balance() + ", on the device " +
             std::to_string(fake().live()));
  return false;
}

void failsEachCallOfTheDriver() {
  std::string bytes = artifactOf(cudaDescription(fake().launcher));
  CudaSys sys;
  fake().configure("");
  int32_t status = tell(sys, bytes);
  CHECK_EQ(status, 0);
  if (status)
    std::printf("%s\n", aik_fault_message());
  int calls = fake().calls();
  // A plain error, no memory, a fault of the GPU, one nobody knows.
  for (int code : {1, 2, 700, 999}) {
    int errors = 0;
    for (int k = 1; k <= calls; ++k) {
      std::string knob = "*:" + std::to_string(k) + ":" + std::to_string(code);
      fake().configure(knob.c_str());
      aik_fault_clear();
      status = tell(sys, bytes);
      fake().configure("");
      errors += status < 0;
      if (!endedWell(knob.c_str(), k, status, sys))
        return;
    }
    CHECK(errors > calls / 2);
    std::printf("code %d: %d calls, %d gave errors\n", code, calls, errors);
  }
  CHECK_EQ(tell(sys, bytes), 0);
}

void failsEachCallOfTheSystem() {
  std::string bytes = artifactOf(cudaDescription(fake().launcher));
  CudaSys sys;
  fake().configure("");
  sys.start(0);
  CHECK_EQ(tell(sys, bytes), 0);
  int calls = sys.calls, errors = 0;
  for (int k = 1; k <= calls; ++k) {
    sys.start(k);
    aik_fault_clear();
    int32_t status = tell(sys, bytes);
    sys.failAt = 0;
    errors += status < 0;
    if (!endedWell("system", k, status, sys))
      return;
  }
  CHECK(errors > 20);
  std::printf("system: %d calls, %d gave errors\n", calls, errors);
}
} // namespace

int main(int argc, char **argv) {
  useFakeCuda(argc, argv);
  run("stays faulted until reset", staysFaultedUntilReset);
  run("names one kernel where it can", namesOneKernelWhereItCan);
  run("loses graphs with the context", losesGraphsWithTheContext);
  run("poisons queues, too", poisonsQueuesToo);
  run("resets a healthy device gently", resetsAHealthyDeviceGently);
  run("notices a reset through another handle",
      noticesAResetThroughAnotherHandle);
  run("survives a reset that fails", survivesAResetThatFails);
  run("names no kernels of unloaded modules", namesNoKernelsOfUnloadedModules);
  run("mends what others have reset", mendsWhatOthersHaveReset);
  run("mends what another runtime has reset", mendsWhatAnotherRuntimeHasReset);
  run("resets nothing for want of memory", resetsNothingForWantOfMemory);
  run("does not reset for ever", doesNotResetForEver);
  run("makes buffers during a reset", makesBuffersDuringAReset);
  run("waits for a run that fails half way", waitsForARunThatFailsHalfWay);
  run("fails each call of the driver", failsEachCallOfTheDriver);
  run("fails each call of the system", failsEachCallOfTheSystem);
  run("keeps nothing", [] { CHECK_EQ(fake().live(), 0); });
  return finish();
}
