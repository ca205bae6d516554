//===- CudaLaunchCost.cpp - What a launch of a kernel costs ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: CudaLaunchCost ARTIFACT PTX MOST, where each function of the artifact
// is one kernel and PTX has `kernel_null`.
//
// Out: nanoseconds that cuLaunchKernel takes for kernel_null, and that
// aik_function_run takes for each function, in batches that alternate: the
// median of their differences. 1 where one is more than MOST.
//
//===----------------------------------------------------------------------===//

#include "CudaArtifact.h"

#include <chrono>
#include <fstream>
#include <sstream>

namespace {

using namespace cuda_test;
using Clock = std::chrono::steady_clock;

constexpr int kLaunches = 256, kBatches = 301;

template <typename T>
double median(std::vector<T> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

/// Nanoseconds for each of many launches; the queue is empty before and after.
template <typename Launch, typename Wait>
double nanoseconds(Launch launch, Wait wait) {
  auto begin = Clock::now();
  for (int i = 0; i < kLaunches; ++i)
    launch();
  auto end = Clock::now();
  wait();
  return std::chrono::duration<double, std::nano>(end - begin).count() /
         kLaunches;
}

/// The driver's own launch of a kernel with one parameter.
struct BareLaunch {
  explicit BareLaunch(const char *path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    if (cuda->ModuleLoadDataEx(&loaded, text.str().c_str(), 0, nullptr,
                               nullptr) ||
        cuda->ModuleGetFunction(&kernel, loaded, "kernel_null") ||
        cuda->StreamCreate(&stream, aik::cu::streamNonBlocking))
      end(kFailed, std::string("there is no kernel_null in ") + path);
  }
  void operator()() {
    void *extra[] = {aik::cu::parameterBuffer, &parameter,
                     aik::cu::parameterBytes, &bytes, nullptr};
    if (cuda->LaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, nullptr,
                           extra))
      end(kFailed, "kernel_null cannot be launched");
  }
  void wait() { cuda->StreamSynchronize(stream); }
  aik::cu::Module loaded = nullptr;
  aik::cu::Function kernel = nullptr;
  aik::cu::Stream stream = nullptr;
  uint64_t parameter = 0;
  size_t bytes = sizeof(parameter);
};

} // namespace

int main(int count, char **words) {
  double most = count > 3 ? std::strtod(words[3], nullptr) : 0;
  if (most <= 0) {
    std::fprintf(stderr, "usage: CudaLaunchCost ARTIFACT PTX MOST\n");
    return 2;
  }
  open(words[1]);
  std::vector<Function> functions = functionsOfArtifact();
  int status = 0;
  for (Function &function : functions) {
    std::vector<aik_tensor> results = function.results;
    std::vector<Buffer> buffers;
    for (aik_tensor &result : results) {
      buffers.emplace_back(bytesOf(result));
      result.data = buffers.back().address();
    }
    auto options = make<aik_run_options>();
    options.flags = AIK_RUN_ASYNC;
    auto run = [&] {
      need(aik_function_run(runtime, module, function.index,
                            function.args.data(), function.info.arg_count,
                            results.data(), function.info.result_count,
                            &options));
    };
    auto wait = [] { need(aik_device_wait(runtime, device, -1)); };
    run(), wait(); // loads the kernel, and makes our context the current one
    BareLaunch bare(words[2]);
    std::vector<double> raw, ours, more;
    for (int i = 0; i < kBatches; ++i) {
      raw.push_back(nanoseconds(std::ref(bare), [&] { bare.wait(); }));
      ours.push_back(nanoseconds(run, wait));
      more.push_back(ours.back() - raw.back());
    }
    bool isCheap = median(more) <= most;
    status |= !isCheap;
    std::printf("%s, %u tensors: cuLaunchKernel %.0f ns, aik_function_run %.0f "
                "ns, +%.0f, %s %.0f\n",
                function.info.name,
                function.info.arg_count + function.info.result_count,
                median(raw), median(ours), median(more),
                isCheap ? "at most" : "MORE THAN", most);
  }
  return status;
}
