//===- own_pool.cpp - Kernels on the threads of somebody else's program ---===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a matrix product, and a thread pool that this program has anyway. Out:
// the product computed by the threads of that pool (the runtime starts none),
// compared bit by bit with what the runtime's own threads make of it.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Compiler.h"
#include "AIKernel-c/Runtime.h"
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

static const char kProgram[] = R"mlir(
func.func @product(%a: tensor<200x150xf32>, %b: tensor<150x250xf32>) -> tensor<200x250xf32> {
  %c = aikernel.matmul %a, %b : (tensor<200x150xf32>, tensor<150x250xf32>) -> tensor<200x250xf32>
  return %c : tensor<200x250xf32>
}
)mlir";

/// A pool as a program may have one: every thread runs each job once.
class HostPool {
public:
  explicit HostPool(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      threads.emplace_back([this, i] { serve(i); });
  }
  ~HostPool() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stopping = true;
    }
    changed.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }

  unsigned size() const { return unsigned(threads.size()); }

  /// Returns when each thread has run job(its number).
  void onEveryThread(std::function<void(unsigned)> newJob) {
    std::unique_lock<std::mutex> lock(mutex);
    job = std::move(newJob);
    ++round;
    busy = size();
    changed.notify_all();
    done.wait(lock, [this] { return busy == 0; });
  }

  unsigned loops = 0;
  std::atomic<unsigned> ranges{0};

private:
  void serve(unsigned number) {
    unsigned seen = 0;
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return stopping || round != seen; });
      if (stopping)
        return;
      seen = round;
      lock.unlock();
      job(number);
      lock.lock();
      if (--busy == 0)
        done.notify_one();
    }
  }

  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable changed, done;
  std::function<void(unsigned)> job;
  unsigned round = 0, busy = 0;
  bool stopping = false;
};

/// What the runtime calls in place of its own pool.
static int32_t parallelFor(void *opaque, int64_t count, aik_parallel_body body,
                           void *captures) {
  auto &pool = *static_cast<HostPool *>(opaque);
  std::atomic<int32_t> status{0};
  ++pool.loops;
  pool.onEveryThread([&](unsigned number) {
    int64_t begin = count * number / pool.size();
    int64_t end = count * (number + 1) / pool.size();
    if (begin == end)
      return;
    ++pool.ranges;
    if (int32_t failure = body(captures, begin, end))
      status = failure;
  });
  return status;
}

/// Prints the runtime's sentence and leaves when a call failed.
static int64_t check(int64_t status, const char *what) {
  if (status >= 0)
    return status;
  std::fprintf(stderr, "%s: %s\n", what, aik_fault_message());
  std::exit(1);
}

static void check(aik_error *error) {
  if (!error)
    return;
  std::fprintf(stderr, "%s\n", aik_error_message(error));
  std::exit(1);
}

static aik_tensor matrix(float *data, int64_t rows, int64_t columns) {
  aik_tensor tensor = {};
  tensor.data = data;
  tensor.dtype = AIK_F32;
  tensor.rank = 2;
  tensor.dims[0] = rows;
  tensor.dims[1] = columns;
  tensor.strides[0] = columns;
  tensor.strides[1] = 1;
  return tensor;
}

/// The product, on the threads of `pool` or, without one, on the runtime's.
static std::vector<float> multiply(aik_output *program, HostPool *pool) {
  aik_runtime_options options = {};
  AIK_INIT(&options);
  if (pool) {
    options.parallel_for = parallelFor;
    options.pool = pool;
    options.threads = pool->size();
  }
  aik_runtime *runtime;
  aik_handle artifact, device, module;
  check(aik_runtime_open(&options, &runtime), "runtime");
  check(aik_artifact_open_memory(runtime, aik_output_bytes(program),
                                 aik_output_size(program), &artifact),
        "artifact");
  check(aik_device_open(runtime, "cpu", &device), "device");
  check(aik_module_load(runtime, artifact, device, nullptr, &module), "module");
  uint32_t function = uint32_t(
      check(aik_artifact_find_function(runtime, artifact, "product"), "name"));

  std::vector<float> a(200 * 150), b(150 * 250), c(200 * 250);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(i % 37) / 37;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = float(i % 41) / 41;
  aik_tensor args[] = {matrix(a.data(), 200, 150), matrix(b.data(), 150, 250)};
  aik_tensor result = matrix(c.data(), 200, 250);
  check(
      aik_function_run(runtime, module, function, args, 2, &result, 1, nullptr),
      "run");
  check(aik_runtime_close(runtime), "close");
  return c;
}

int main() {
  aik_session *session;
  aik_source *source;
  aik_output *program;
  check(aik_session_create(AIK_COMPILER_VERSION, &session));
  check(aik_source_from_memory(kProgram, sizeof(kProgram) - 1, "product.mlir",
                               &source));
  check(aik_compile(session, source, &program));

  HostPool pool(3);
  std::vector<float> ours = multiply(program, &pool);
  std::vector<float> theirs = multiply(program, nullptr);
  bool equal =
      std::memcmp(ours.data(), theirs.data(), ours.size() * sizeof(float)) == 0;
  std::printf("%u loops in %u ranges on %u threads of ours, %s\n", pool.loops,
              pool.ranges.load(), pool.size(), equal ? "same bits" : "WRONG");

  aik_output_destroy(program);
  aik_source_destroy(source);
  aik_session_destroy(session);
  return equal && pool.ranges > pool.loops ? 0 : 1;
}
