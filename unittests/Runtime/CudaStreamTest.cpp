//===- CudaStreamTest.cpp - Runs on a stream of the caller's --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host program with CUDA streams of its own, on the fake driver, where what
// is on a stream is done when somebody waits for that stream: which stream work
// is on, in which order memory is used, and what cannot be.
//
//===----------------------------------------------------------------------===//

#include "CudaTestSupport.h"

#include <thread>

using namespace aiktest;
namespace cu = aik::cu;

namespace {
constexpr uint32_t onStream = AIK_RUN_ON_STREAM | AIK_RUN_ASYNC;

/// A stream as PyTorch would have one, in the same primary context.
struct HostStream {
  HostStream() { CHECK_EQ(fake().call("cuStreamCreate", &stream, 1u), 0); }
  ~HostStream() { CHECK_EQ(fake().call("cuStreamDestroy", stream), 0); }
  int finish() { return fake().call("cuStreamSynchronize", stream); }
  cu::Stream stream = nullptr;
};

/// y = x * w with packed weights and a workspace.
struct Product {
  explicit Product(CudaSession &s, float value)
      : s(s), x(s.floats(std::vector<float>(4, value))),
        w(s.floats(std::vector<float>(12, 1))), y(s.floats({-1, -1, -1})),
        args{on(x, {1, 4}), on(w, {4, 3})}, result(on(y, {1, 3})) {}
  int32_t run(uint32_t flags = 0, void *stream = nullptr) {
    auto options = make<aik_run_options>();
    options.flags = flags;
    options.stream = stream;
    return aik_function_run(s.runtime, s.module, s.function("linear"), args, 2,
                            &result, 1, &options);
  }
  CudaSession &s;
  aik_memory_info x, w, y;
  aik_tensor args[2], result;
};

void runsOnTheStreamThatItIsGiven() {
  CudaSession s;
  HostStream mine;
  Addition add(s);
  CHECK_EQ(add.run(onStream, mine.stream), 0);
  // The device's own queue has nothing to do with it.
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(s.read(add.z, 7), -1.0f);
  CHECK_EQ(mine.finish(), 0);
  CHECK_EQ(s.read(add.z, 7), 6.0f);
  // Null is the default stream.
  Addition other(s);
  CHECK_EQ(other.run(onStream, nullptr), 0);
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(s.read(other.z, 0), -1.0f);
  CHECK_EQ(fake().call("cuStreamSynchronize", cu::Stream(nullptr)), 0);
  CHECK_EQ(s.read(other.z, 0), 6.0f);
  // Without AIK_RUN_ASYNC it is done on return.
  Addition third(s);
  CHECK_EQ(third.run(AIK_RUN_ON_STREAM, mine.stream), 0);
  CHECK_EQ(s.read(third.z, 0), 6.0f);
  // And the queue is used again by who does not ask.
  Addition fourth(s);
  CHECK_EQ(fourth.run(AIK_RUN_ASYNC), 0);
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(s.read(fourth.z, 0), 6.0f);
}

void reportsFailedChecksAfterTheStream() {
  CudaSession s;
  HostStream mine;
  int64_t how = 1;
  aik_tensor arg = tensor(&how, {}, AIK_I64);
  auto options = make<aik_run_options>();
  options.flags = onStream;
  options.stream = mine.stream;
  auto run = [&] {
    return aik_function_run(s.runtime, s.module, s.function("trouble"), &arg, 1,
                            nullptr, 0, &options);
  };
  CHECK_EQ(run(), 0);
  CHECK_EQ(mine.finish(), 0);
  CHECK_EQ(s.wait(), -AIK_ERANGE);
  CHECK_EQ(s.wait(), 0);
  // A wait before the stream is done finds nothing and loses nothing.
  CHECK_EQ(run(), 0);
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(mine.finish(), 0);
  CHECK_EQ(s.wait(), -AIK_ERANGE);
  options.flags = AIK_RUN_ON_STREAM;
  CHECK_EQ(run(), -AIK_ERANGE);
}

/// Not every fault later on is put down to what was on a stream once.
void knowsWhenTheStreamIsDone() {
  CudaSession s;
  HostStream mine, other;
  Addition add(s);
  CHECK_EQ(add.run(AIK_RUN_ON_STREAM, mine.stream), 0);
  fake().configure("cuEventRecord:1:214");
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_SAYS("no kernel was running");
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  mine.stream = other.stream = nullptr; // gone with the context
  Addition again(s);
  HostStream more;
  CHECK_EQ(again.run(onStream, nullptr), 0);
  CHECK_EQ(again.run(AIK_RUN_ON_STREAM, more.stream), 0);
  fake().configure("cuEventRecord:1:214");
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_SAYS("'kernel_add'");
}

/// One run's workspace is not touched before the run on another stream is done.
void ordersRunsThatShareMemory() {
  CudaSession s;
  Product first(s, 1), second(s, 2), third(s, 3);
  {
    HostStream mine, other;
    CHECK_EQ(first.run(onStream, mine.stream), 0);
    CHECK_EQ(second.run(onStream, other.stream), 0);
    CHECK_EQ(s.read(first.y, 0), -1.0f);
    CHECK_EQ(other.finish(), 0);
    CHECK_EQ(s.read(first.y, 0), 4.0f);
    CHECK_EQ(s.read(second.y, 0), 8.0f);
    // The queue, after a stream; and a stream, after the queue.
    CHECK_EQ(first.run(onStream, mine.stream), 0);
    CHECK_EQ(aik_buffer_write(s.runtime, first.y.handle, 0, "aaaabbbbcccc", 12),
             0);
    CHECK_EQ(third.run(), 0);
    CHECK_EQ(s.read(first.y, 2), 4.0f);
    CHECK_EQ(s.read(third.y, 2), 12.0f);
    CHECK_EQ(aik_buffer_write(s.runtime, third.y.handle, 0, "aaaabbbbcccc", 12),
             0);
    CHECK_EQ(third.run(AIK_RUN_ASYNC), 0);
    CHECK_EQ(second.run(onStream, mine.stream), 0);
    CHECK_EQ(mine.finish(), 0);
    CHECK_EQ(s.read(third.y, 2), 12.0f);
    CHECK_EQ(first.run(onStream, mine.stream), 0);
  }
  // The stream is gone, its work is not forgotten.
  CHECK_EQ(second.run(), 0);
  CHECK_EQ(s.read(first.y, 0), 4.0f);
}

void allocatesNothingInTheSteadyState() {
  CudaSession s;
  HostStream mine;
  Product product(s, 1);
  CHECK_EQ(product.run(onStream | AIK_RUN_PREPARED, mine.stream), 0);
  int live = fake().live(), onHost = s.allAllocations;
  for (int i = 0; i < 5; ++i)
    CHECK_EQ(product.run(onStream | AIK_RUN_PREPARED, mine.stream), 0);
  CHECK_EQ(fake().live(), live);
  CHECK_EQ(int(s.allAllocations), onHost);
  CHECK_EQ(mine.finish(), 0);
  // The module takes its event with it.
  CHECK_EQ(aik_module_unload(s.runtime, s.module), 0);
  CHECK(fake().live() < live - 2);
}

/// Whatever is called, the thread has the context that it had.
void leavesTheCallersContext() {
  CudaSession s("count=2");
  cu::Context others = nullptr;
  CHECK_EQ(fake().call("cuDevicePrimaryCtxRetain", &others, 1), 0);
  HostStream mine;
  CHECK_EQ(fake().call("cuCtxSetCurrent", others), 0);
  auto keeps = [&](const char *what, auto call) {
    CHECK_EQ(call(), 0);
    cu::Context found = nullptr;
    CHECK_EQ(fake().call("cuCtxGetCurrent", &found), 0);
    if (found != others)
      std::printf("%s does not give back the context\n", what);
    CHECK(found == others);
    CHECK_EQ(fake().call("cuCtxSetCurrent", others), 0);
  };
  aik_handle device = 0, module = 0, graph = 0;
  auto host = make<aik_memory_info>(), info = make<aik_memory_info>();
  uint64_t seen = 0;
  Addition add(s);
  Product product(s, 1);
  float value = 0;
  keeps("open",
        [&] { return aik_device_open(s.runtime, "nvidia:0", &device); });
  keeps("load", [&] {
    return aik_module_load(s.runtime, s.artifact, device, nullptr, &module);
  });
  keeps("unload", [&] { return aik_module_unload(s.runtime, module); });
  keeps("reset", [&] { return aik_device_reset(s.runtime, device); });
  keeps("close", [&] { return aik_device_close(s.runtime, device); });
  keeps("create",
        [&] { return aik_buffer_create(s.runtime, s.device, 64, 0, &info); });
  keeps("write",
        [&] { return aik_buffer_write(s.runtime, info.handle, 0, "abcd", 4); });
  keeps("read",
        [&] { return aik_buffer_read(s.runtime, info.handle, 0, &value, 4); });
  keeps("free", [&] { return aik_memory_free(s.runtime, info.handle); });
  CHECK_EQ(aik_memory_alloc(s.runtime, 4096, 0, 0, &host), 0);
  keeps("map", [&] {
    return aik_syscall(s.runtime, AIK_SYS_MEM_MAP_DEVICE, int64_t(host.handle),
                       int64_t(s.device), 3, reinterpret_cast<int64_t>(&seen),
                       0, 0);
  });
  keeps("unmap", [&] { return aik_memory_free(s.runtime, host.handle); });
  keeps("begin", [&] { return aik_graph_begin(s.runtime, s.device); });
  keeps("record", [&] { return add.run(AIK_RUN_ASYNC); });
  keeps("end", [&] { return aik_graph_end(s.runtime, s.device, &graph); });
  keeps("launch", [&] { return aik_graph_launch(s.runtime, graph); });
  keeps("launch on",
        [&] { return aik_graph_launch_on(s.runtime, graph, mine.stream); });
  keeps("close graph", [&] { return aik_graph_close(s.runtime, graph); });
  keeps("run", [&] { return product.run(); });
  keeps("async run", [&] { return product.run(AIK_RUN_ASYNC); });
  keeps("run on stream", [&] { return product.run(onStream, mine.stream); });
  keeps("run and wait",
        [&] { return add.run(AIK_RUN_ON_STREAM, mine.stream); });
  keeps("wait", [&] { return s.wait(); });
  keeps("refused", [&] { return s.trouble(0) == -AIK_EINVAL ? 0 : 1; });
  keeps("fault", [&] {
    fake().configure("count=2,launch:1:700");
    return s.trouble(5) == -AIK_EIO ? 0 : 1;
  });
  keeps("reset", [&] { return aik_device_reset(s.runtime, s.device); });
  mine.stream = nullptr; // gone with the context
  // A thread without one keeps the device's.
  CHECK_EQ(fake().call("cuCtxSetCurrent", cu::Context(nullptr)), 0);
  CHECK_EQ(s.trouble(5), 0);
  cu::Context found = nullptr;
  CHECK_EQ(fake().call("cuCtxGetCurrent", &found), 0);
  CHECK(found && found != others);
  CHECK_EQ(fake().call("cuDevicePrimaryCtxRelease", 1), 0);
}

void launchesGraphsOnStreams() {
  CudaSession s;
  HostStream mine;
  Addition add(s);
  aik_handle graph = 0;
  CHECK_EQ(aik_graph_begin(s.runtime, s.device), 0);
  CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
  CHECK_EQ(add.run(onStream, mine.stream), -AIK_EBUSY);
  CHECK_SAYS("not on a stream of the caller's");
  CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), 0);
  CHECK_EQ(aik_graph_launch_on(s.runtime, graph, mine.stream), 0);
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(s.read(add.z, 0), -1.0f);
  CHECK_EQ(mine.finish(), 0);
  CHECK_EQ(s.read(add.z, 0), 6.0f);
  CHECK_EQ(aik_graph_launch_on(s.runtime, 77, mine.stream), -AIK_ENOENT);
}

/// What the caller captures is the caller's to repeat.
void canBeCapturedByTheCaller() {
  CudaSession s;
  HostStream mine;
  Addition add(s);
  Product product(s, 1);
  CHECK_EQ(fake().call("cuStreamBeginCapture", mine.stream, 2), 0);
  CHECK_EQ(add.run(onStream, mine.stream), 0);
  // Memory of the runtime's cannot be part of it.
  CHECK(product.run(onStream, mine.stream) < 0);
  CHECK_SAYS("memory of the runtime's cannot be used on this stream");
  cu::Graph captured = nullptr;
  cu::GraphExec exec = nullptr;
  CHECK_EQ(fake().call("cuStreamEndCapture", mine.stream, &captured), 0);
  CHECK_EQ(fake().call("cuGraphInstantiateWithFlags", &exec, captured, 0ull),
           0);
  CHECK_EQ(s.read(add.z, 0), -1.0f);
  CHECK_EQ(fake().call("cuGraphLaunch", exec, mine.stream), 0);
  CHECK_EQ(mine.finish(), 0);
  CHECK_EQ(s.read(add.z, 0), 6.0f);
  CHECK_EQ(fake().call("cuGraphExecDestroy", exec), 0);
  CHECK_EQ(fake().call("cuGraphDestroy", captured), 0);
  CHECK_EQ(product.run(), 0);
}

void saysWhatCannotBe() {
  {
    CudaSession s;
    Addition add(s);
    int not_a_stream = 0;
    CHECK_EQ(add.run(onStream, &not_a_stream), -AIK_EINVAL);
    CHECK_SAYS("CUDA_ERROR_INVALID_HANDLE (400), 'kernel_add'");
    CHECK_EQ(add.run(AIK_RUN_ASYNC, &not_a_stream), -AIK_EINVAL);
    CHECK_SAYS("without the flag AIK_RUN_ON_STREAM");
    CHECK_EQ(add.run(8), -AIK_EINVAL);
    CHECK_SAYS("unknown run flags 0x8");
    CHECK_EQ(add.run(), 0);
  }
  for (const char *device : {"cpu", "null"}) {
    Session s(device);
    float values[12] = {};
    aik_tensor args[] = {tensor(values, {1, 4}), tensor(values + 4, {1, 4})};
    aik_tensor result = tensor(values + 8, {1, 4});
    auto options = make<aik_run_options>();
    auto run = [&] {
      return aik_function_run(s.runtime, s.module, s.function("add"), args, 2,
                              &result, 1, &options);
    };
    options.flags = AIK_RUN_ON_STREAM;
    CHECK_EQ(run(), -AIK_EOPNOTSUPP);
    CHECK_SAYS("not on a device that takes streams");
    // Options from before there were streams.
    options.flags = 0;
    options.stream = values;
    options.size = offsetof(aik_run_options, stream);
    CHECK_EQ(run(), 0);
    --options.size;
    CHECK_EQ(run(), -AIK_EINVAL);
  }
}

/// A fault may come from a kernel on a stream that nobody has waited for.
void namesKernelsOfStreams() {
  CudaSession s;
  HostStream mine;
  Addition add(s);
  CHECK_EQ(add.run(onStream, mine.stream), 0);
  CHECK_EQ(s.trouble(5), 0); // waits for the queue
  fake().configure("launch:1:700");
  CHECK_EQ(mine.finish(), 700);
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_SAYS("it is one of these kernels, the last ones launched: "
             "'kernel_add', 'kernel_cluster'");
  CHECK_EQ(add.run(onStream, mine.stream), -AIK_EIO);
  CHECK_EQ(add.run(AIK_RUN_ON_STREAM, mine.stream), -AIK_EIO);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  Addition again(s);
  CHECK_EQ(again.run(AIK_RUN_ON_STREAM), 0);
  CHECK_EQ(s.read(again.z, 0), 6.0f);
}

/// After aik_device_wait nothing is held against what was on streams before.
void settlesStreamsWithTheDevice() {
  CudaSession s;
  HostStream mine, more;
  CHECK_EQ(s.trouble(5, onStream, mine.stream), 0);
  CHECK_EQ(s.trouble(5, onStream, more.stream), 0);
  CHECK_EQ(mine.finish(), 0);
  CHECK_EQ(more.finish(), 0);
  CHECK_EQ(s.wait(), 0);
  // Another thread's failure is not this one's.
  std::thread([&] { CHECK_EQ(s.trouble(1), -AIK_ERANGE); }).join();
  CHECK_EQ(s.trouble(5), 0);
  CHECK_EQ(s.wait(), 0);
  // Without the wait it may be.
  CHECK_EQ(s.trouble(5, onStream, mine.stream), 0);
  CHECK_EQ(mine.finish(), 0);
  std::thread([&] { CHECK_EQ(s.trouble(1), -AIK_ERANGE); }).join();
  CHECK_EQ(s.trouble(5), -AIK_ERANGE);
  CHECK_EQ(s.wait(), 0);
  // Waits of runs look at no status of other modules.
  aik_handle other = 0;
  CHECK_EQ(aik_module_load(s.runtime, s.artifact, s.device, nullptr, &other),
           0);
  auto callsOfARun = [&] {
    Addition add(s);
    fake().configure("");
    CHECK_EQ(aik_function_run(s.runtime, other, s.function("add"), add.args, 2,
                              &add.result, 1, nullptr),
             0);
    return fake().calls();
  };
  int calls = callsOfARun();
  CHECK_EQ(s.trouble(5, onStream, mine.stream), 0);
  CHECK_EQ(mine.finish(), 0);
  CHECK(callsOfARun() > calls);
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(callsOfARun(), calls);
  // A fault is not put down to what is done.
  fake().configure("cuEventRecord:1:214");
  CHECK_EQ(s.wait(), -AIK_EIO);
  CHECK_SAYS("no kernel was running, if streams of callers were waited for;");
  mine.stream = more.stream = nullptr;
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
}

/// What is released is waited for, on whichever stream it is used.
void waitsBeforeItReleases() {
  CudaSession s;
  aik_handle other = 0, graph = 0;
  CHECK_EQ(aik_module_load(s.runtime, s.artifact, s.device, nullptr, &other),
           0);
  HostStream mine;
  Addition add(s), second(s);
  CHECK_EQ(add.run(onStream, mine.stream), 0);
  CHECK_EQ(s.wait(), 0); // too early, which does no harm
  CHECK_EQ(aik_module_unload(s.runtime, s.module), 0);
  CHECK_EQ(s.read(add.z, 0), 6.0f);
  CHECK_EQ(mine.finish(), 0);
  // A fault of another module has its own names.
  s.module = other;
  fake().configure("launch:1:700");
  CHECK_EQ(s.trouble(5), -AIK_EIO);
  CHECK_SAYS("the kernel is 'kernel_cluster';");
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  mine.stream = nullptr;
  // Graphs and buffers.
  Addition third(s);
  HostStream more;
  CHECK_EQ(aik_graph_begin(s.runtime, s.device), 0);
  CHECK_EQ(third.run(AIK_RUN_ASYNC), 0);
  CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), 0);
  CHECK_EQ(aik_graph_launch_on(s.runtime, graph, more.stream), 0);
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(aik_graph_close(s.runtime, graph), 0);
  CHECK_EQ(s.read(third.z, 0), 6.0f);
  Addition fourth(s);
  CHECK_EQ(fourth.run(onStream, more.stream), 0);
  CHECK_EQ(aik_memory_free(s.runtime, fourth.x.handle), 0);
  CHECK_EQ(s.read(fourth.z, 0), 6.0f);
  CHECK_EQ(more.finish(), 0);
}

/// Every call of the CUDA driver fails once.
void survivesEveryFailure() {
  for (int k = 1, done = 0; !done && k < 200; ++k) {
    CudaSession s;
    HostStream mine;
    Product product(s, 1);
    CHECK_EQ(product.run(), 0);
    std::string knob = "*:" + std::to_string(k) + ":2";
    fake().configure(knob.c_str());
    int32_t first = product.run(AIK_RUN_ON_STREAM, mine.stream);
    int32_t second = product.run();
    done = fake().calls() < k;
    fake().configure("");
    CHECK(first == 0 || first == -AIK_ENOMEM);
    CHECK(second == 0 || second == -AIK_ENOMEM);
    CHECK_EQ(product.run(AIK_RUN_ON_STREAM, mine.stream), 0);
    CHECK_EQ(s.read(product.y, 0), 4.0f);
  }
}
} // namespace

int main(int argc, char **argv) {
  useFakeCuda(argc, argv);
  run("runs on the stream that it is given", runsOnTheStreamThatItIsGiven);
  run("reports failed checks after the stream",
      reportsFailedChecksAfterTheStream);
  run("knows when the stream is done", knowsWhenTheStreamIsDone);
  run("orders runs that share memory", ordersRunsThatShareMemory);
  run("allocates nothing in the steady state",
      allocatesNothingInTheSteadyState);
  run("leaves the caller's context", leavesTheCallersContext);
  run("launches graphs on streams", launchesGraphsOnStreams);
  run("can be captured by the caller", canBeCapturedByTheCaller);
  run("says what cannot be", saysWhatCannotBe);
  run("names kernels of streams", namesKernelsOfStreams);
  run("settles streams with the device", settlesStreamsWithTheDevice);
  run("waits before it releases", waitsBeforeItReleases);
  run("survives every failure", survivesEveryFailure);
  run("keeps nothing", [] { CHECK_EQ(fake().live(), 0); });
  return finish();
}
