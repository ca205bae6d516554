//===- CudaCommandsTest.cpp - Command buffers of compiled code ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// repeat of the test launcher, on the fake driver: when graphs are made, when
// they are updated, what order things are done in, and what cannot be.
//
//===----------------------------------------------------------------------===//

#include "CudaTestSupport.h"

using namespace aiktest;
namespace cu = aik::cu;

namespace {
struct Repeat {
  explicit Repeat(CudaSession &s, size_t count = 3)
      : s(s), m(s.floats(std::vector<float>(count, 0))),
        args{on(m, {int64_t(count)}), tensor(&how, {}, AIK_I64)} {}
  int32_t run(int64_t which, uint32_t flags = 0, void *stream = nullptr) {
    how = which;
    auto options = make<aik_run_options>();
    options.flags = flags;
    options.stream = stream;
    return aik_function_run(s.runtime, s.module, s.function("repeat"), args, 2,
                            nullptr, 0, &options);
  }
  float value() { return s.read(m, 2); }
  CudaSession &s;
  int64_t how = 0;
  aik_memory_info m;
  aik_tensor args[2];
};

void launchesTheSameGraphAgain() {
  CudaSession s;
  Repeat repeat(s);
  int graphs = fake().graphs(), updates = fake().updates();
  CHECK_EQ(repeat.run(2), 0);
  CHECK_EQ(repeat.value(), 2.0f);
  CHECK_EQ(repeat.run(2), 0);
  CHECK_EQ(repeat.run(12), 0); // two submissions of the same
  CHECK_EQ(repeat.value(), 8.0f);
  CHECK_EQ(fake().graphs() - graphs, 1);
  CHECK_EQ(fake().updates() - updates, 0);
  // Another tensor: the same kernels with other parameters.
  Repeat other(s);
  int live = fake().live();
  CHECK_EQ(other.run(2), 0);
  CHECK_EQ(other.value(), 2.0f);
  CHECK_EQ(repeat.value(), 8.0f);
  CHECK_EQ(fake().graphs() - graphs, 1);
  CHECK_EQ(fake().updates() - updates, 1);
  // Other kernels: a graph of its own.
  CHECK_EQ(other.run(3), 0);
  CHECK_EQ(other.value(), 5.0f);
  CHECK_EQ(fake().graphs() - graphs, 2);
  CHECK_EQ(fake().updates() - updates, 1);
  CHECK_EQ(fake().live(), live); // nothing is left of what was captured
}

/// A graph that cannot be updated is replaced without a wait for it.
void replacesGraphsAtOnce() {
  CudaSession s;
  Repeat repeat(s);
  CHECK_EQ(repeat.run(22, AIK_RUN_ASYNC), 0);
  int kernels = fake().kernels(), graphs = fake().graphs();
  CHECK_EQ(repeat.run(23, AIK_RUN_ASYNC), 0);
  CHECK_EQ(fake().kernels(), kernels);
  CHECK_EQ(fake().graphs() - graphs, 1);
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(repeat.value(), 5.0f);
  // A fault is one, also where it is found by an update.
  fake().configure("cuGraphExecUpdate:1:700");
  CHECK_EQ(repeat.run(24, AIK_RUN_ASYNC), -AIK_EIO);
  CHECK_SAYS("CUDA_ERROR_ILLEGAL_ADDRESS (700)");
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
}

void callsTheDriverOnceInTheSteadyState() {
  CudaSession s;
  Repeat repeat(s);
  CHECK_EQ(repeat.run(25), 0);
  CHECK_EQ(s.wait(), 0);
  int kernels = fake().kernels();
  fake().configure("");
  CHECK_EQ(repeat.run(25, AIK_RUN_ASYNC), 0);
  CHECK_EQ(fake().calls(), 2); // the context and the graph
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(fake().kernels() - kernels, 5);
  CHECK_EQ(repeat.value(), 10.0f);
}

void isDoneAfterTheWait() {
  CudaSession s;
  Repeat repeat(s);
  // Nothing is done on the fake before somebody waits.
  CHECK_EQ(repeat.run(21, AIK_RUN_ASYNC), 0);
  int kernels = fake().kernels();
  CHECK_EQ(repeat.run(1, AIK_RUN_ASYNC), 0);
  CHECK_EQ(fake().kernels() - kernels, 2);
  CHECK_EQ(repeat.run(43), 0); // reads what the device wrote
  // A wait that gives up.
  fake().configure("hang");
  CHECK_EQ(repeat.run(44, AIK_RUN_ASYNC), -AIK_ETIMEDOUT);
  CHECK(has(aik_fault_message(), "still at work after 1000000 ns"));
  fake().configure("");
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(repeat.value(), 6.0f);
}

void runsOnCallersStreams() {
  CudaSession s;
  Repeat repeat(s);
  cu::Stream mine = nullptr;
  CHECK_EQ(fake().call("cuStreamCreate", &mine, 1u), 0);
  CHECK_EQ(repeat.run(22, AIK_RUN_ON_STREAM | AIK_RUN_ASYNC, mine), 0);
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(repeat.value(), 0.0f);
  CHECK_EQ(fake().call("cuStreamSynchronize", mine), 0);
  CHECK_EQ(repeat.value(), 2.0f);
  CHECK_EQ(repeat.run(2, AIK_RUN_ON_STREAM | AIK_RUN_ASYNC, mine), 0);
  CHECK_EQ(repeat.value(), 4.0f); // it has waited
  CHECK_EQ(repeat.run(43, AIK_RUN_ON_STREAM, mine), 0);
  // A stream that the caller captures gets the launches themselves.
  int graphs = fake().graphs();
  CHECK_EQ(fake().call("cuStreamBeginCapture", mine, 2), 0);
  CHECK_EQ(repeat.run(23, AIK_RUN_ON_STREAM | AIK_RUN_ASYNC, mine), 0);
  cu::Graph graph = nullptr;
  CHECK_EQ(fake().call("cuStreamEndCapture", mine, &graph), 0);
  CHECK_EQ(fake().graphs(), graphs);
  CHECK_EQ(repeat.value(), 4.0f);
  cu::GraphExec exec = nullptr;
  CHECK_EQ(fake().call("cuGraphInstantiateWithFlags", &exec, graph, 0ull), 0);
  CHECK_EQ(fake().call("cuGraphLaunch", exec, mine), 0);
  CHECK_EQ(fake().call("cuStreamSynchronize", mine), 0);
  CHECK_EQ(repeat.value(), 7.0f);
  CHECK_EQ(fake().call("cuGraphExecDestroy", exec), 0);
  CHECK_EQ(fake().call("cuGraphDestroy", graph), 0);
  // What waits there would wait for what has not begun.
  CHECK_EQ(fake().call("cuStreamBeginCapture", mine, 2), 0);
  for (int what : {3, 43})
    CHECK_EQ(repeat.run(what, AIK_RUN_ON_STREAM | AIK_RUN_ASYNC, mine),
             -AIK_EBUSY);
  CHECK_EQ(fake().call("cuStreamEndCapture", mine, &graph), 0);
  CHECK_EQ(fake().call("cuGraphDestroy", graph), 0);
  CHECK_EQ(fake().call("cuStreamDestroy", mine), 0);
}

void isPartOfRecordedRuns() {
  CudaSession s;
  Repeat repeat(s);
  aik_handle graph = 0;
  CHECK_EQ(aik_graph_begin(s.runtime, s.device), 0);
  CHECK_EQ(repeat.run(23, AIK_RUN_ASYNC), 0);
  CHECK_EQ(repeat.run(3, AIK_RUN_ASYNC), -AIK_EBUSY);
  CHECK(has(aik_fault_message(), "waits for its commands"));
  CHECK_EQ(repeat.run(43, AIK_RUN_ASYNC), -AIK_EBUSY);
  CHECK(has(aik_fault_message(), "memory that a function allocates"));
  CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), 0);
  CHECK_EQ(repeat.value(), 0.0f);
  CHECK_EQ(aik_graph_launch(s.runtime, graph), 0);
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(repeat.value(), 6.0f); // what the second run submitted, too
  CHECK_EQ(aik_graph_close(s.runtime, graph), 0);
}

void saysWhatCannotBe() {
  CudaSession s;
  Repeat repeat(s);
  CHECK_EQ(repeat.run(40), -AIK_EINVAL);
  CHECK(has(aik_fault_message(), "commands 99 were not recorded"));
  CHECK_EQ(repeat.run(41), -AIK_ENODEV);
  CHECK(has(aik_fault_message(), "a queue of 'nvidia:7' cannot take commands "
                                 "of a function that runs on nvidia:0"));
  // A run that ends while it keeps launches does not keep those of the next.
  CHECK_EQ(repeat.run(42), -AIK_EINVAL);
  Addition add(s);
  CHECK_EQ(add.run(), 0);
  CHECK_EQ(s.read(add.z, 0), 6.0f);
  // Nothing kept, nothing done.
  CHECK_EQ(repeat.run(30), 0);
  CHECK_EQ(repeat.value(), 0.0f);
}

void survivesAReset() {
  CudaSession s;
  Repeat repeat(s);
  CHECK_EQ(repeat.run(2), 0);
  fake().configure("launch:1:700");
  CHECK_EQ(repeat.run(2), -AIK_EIO);
  CHECK(has(aik_fault_message(), "'kernel_bump', 'kernel_bump'"));
  fake().configure("");
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  Repeat fresh(s);
  CHECK_EQ(fresh.run(2), 0);
  CHECK_EQ(fresh.value(), 2.0f);
}

/// Every call of the CUDA driver fails once.
void survivesEveryFailure() {
  for (int k = 1, done = 0; !done && k < 200; ++k) {
    CudaSession s;
    Repeat repeat(s), other(s);
    CHECK_EQ(repeat.run(2), 0);
    std::string knob = "*:" + std::to_string(k) + ":2";
    fake().configure(knob.c_str());
    int32_t results[] = {repeat.run(2), other.run(2), other.run(3),
                         other.run(43)};
    done = fake().calls() < k;
    fake().configure("");
    for (int32_t result : results)
      CHECK(result == 0 || result == -AIK_ENOMEM);
    float before = other.value();
    CHECK_EQ(other.run(3), 0);
    CHECK_EQ(other.value(), before + 3);
    // Memory whose mapping the driver did not undo is mapped still.
    int32_t last = other.run(43);
    CHECK(last == 0 || last == -AIK_EEXIST);
  }
}
} // namespace

int main(int argc, char **argv) {
  useFakeCuda(argc, argv);
  run("replaces graphs at once", replacesGraphsAtOnce);
  run("launches the same graph again", launchesTheSameGraphAgain);
  run("calls the driver once in the steady state",
      callsTheDriverOnceInTheSteadyState);
  run("is done after the wait", isDoneAfterTheWait);
  run("runs on callers' streams", runsOnCallersStreams);
  run("is part of recorded runs", isPartOfRecordedRuns);
  run("says what cannot be", saysWhatCannotBe);
  run("survives a reset", survivesAReset);
  run("survives every failure", survivesEveryFailure);
  run("keeps nothing", [] { CHECK_EQ(fake().live(), 0); });
  return finish();
}
