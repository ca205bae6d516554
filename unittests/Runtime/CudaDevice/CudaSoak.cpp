//===- CudaSoak.cpp - Many launches on two streams at once ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: CudaSoak ARTIFACT LAUNCHES [SECONDS], where sizes are all known.
//
// Two threads, each with a stream, results and workspaces of its own, run the
// functions of the artifact in turn until LAUNCHES are done. Results are filled
// with ones, which are no numbers, before a batch of launches, and have the
// bits of the first run after it: 0 when all do, 1 for a wrong or failed one.
// When nothing has moved for SECONDS (20), that is a hang: 3.
//
//===----------------------------------------------------------------------===//

#include "CudaArtifact.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using namespace cuda_test;

constexpr uint64_t kBatch = 100; // launches between two looks at results
constexpr size_t kSlots = 2;     // results of a function that are looked at
constexpr int kHang = 3;

std::atomic<uint64_t> moves{0}; // launches, waits and comparisons

/// A function on a stream.
struct Call {
  explicit Call(Function &function)
      : function(function), workspace(function.workspace) {
    for (size_t slot = 0; slot <= kSlots; ++slot) {
      tensors.push_back(function.results);
      buffers.emplace_back();
      for (aik_tensor &result : tensors.back()) {
        buffers.back().emplace_back(bytesOf(result));
        result.data = buffers.back().back().address();
      }
    }
  }
  void poison() {
    for (size_t slot = 0; slot < kSlots; ++slot)
      for (Buffer &buffer : buffers[slot])
        buffer.write(std::string(buffer.bytes, char(0xff)));
  }
  /// The last slot is for results that nobody looks at.
  int32_t launch(void *stream, size_t slot) {
    auto options = make<aik_run_options>();
    options.flags = AIK_RUN_ASYNC | AIK_RUN_ON_STREAM;
    options.stream = stream;
    options.workspace = workspace.address();
    options.workspace_bytes = function.workspace;
    std::vector<aik_tensor> &results = tensors[slot];
    return aik_function_run(runtime, module, function.index,
                            function.args.data(), function.info.arg_count,
                            results.data(), function.info.result_count,
                            &options);
  }
  Function &function;
  Buffer workspace;
  std::vector<std::vector<aik_tensor>> tensors;
  std::vector<std::vector<Buffer>> buffers;
};

struct Stream {
  Stream(int number, std::vector<Function> &functions) : number(number) {
    if (cuda->StreamCreate(&stream, aik::cu::streamNonBlocking) ||
        cuda->EventCreate(&event, aik::cu::eventDisableTiming))
      end(kFailed, "there is no stream");
    for (Function &function : functions)
      calls.emplace_back(function);
  }

  void wait() {
    auto status = cuda->EventRecord(event, stream);
    if (!status)
      status = cuda->EventQuery(event);
    for (; status == aik::cu::notReady; status = cuda->EventQuery(event))
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (status)
      end(kFailed, "stream " + std::to_string(number) + " failed with " +
                       std::to_string(int(status)) + " after " +
                       std::to_string(launched) + " launches");
    ++moves;
  }

  /// The streams begin with different functions.
  void run(uint64_t launches) {
    for (uint64_t done = 0; done < launches;) {
      for (Call &call : calls)
        call.poison();
      uint64_t last = std::min(done + kBatch, launches);
      // The last launches of each function fill its slots, each only one.
      uint64_t least = kSlots * calls.size();
      for (last = std::max(last, done + least); done < last; ++done) {
        uint64_t slot = std::min((last - done - 1) / calls.size(), kSlots);
        Call &call = calls[(done + uint64_t(number)) % calls.size()];
        need(call.launch(stream, slot));
        ++launched;
        ++moves;
      }
      wait();
      for (Call &call : calls)
        compare(call);
    }
  }

  void compare(Call &call) {
    for (size_t slot = 0; slot < kSlots; ++slot)
      for (size_t i = 0; i < call.buffers[slot].size(); ++i) {
        ++compared, ++moves;
        std::string found = call.buffers[slot][i].read();
        const std::string &right = call.function.right[i];
        if (found == right)
          continue;
        size_t at = size_t(
            std::mismatch(found.begin(), found.end(), right.begin()).first -
            found.begin());
        end(kFailed, std::string(call.function.info.name) + " on stream " +
                         std::to_string(number) + " has other bits at byte " +
                         std::to_string(at) + " of result " +
                         std::to_string(i) + " after " +
                         std::to_string(launched) + " launches");
      }
  }

  int number;
  aik::cu::Stream stream = nullptr;
  aik::cu::Event event = nullptr;
  std::vector<Call> calls;
  uint64_t launched = 0, compared = 0;
};

bool hasPoison(const std::string &bytes) {
  for (size_t i = 0; i + 2 <= bytes.size(); i += 2)
    if (uint8_t(bytes[i]) == 0xff && uint8_t(bytes[i + 1]) == 0xff)
      return true;
  return false;
}

/// What each function gives when it runs alone.
std::vector<Function> findFunctions() {
  std::vector<Function> functions = functionsOfArtifact();
  Stream alone(0, functions);
  for (Call &call : alone.calls) {
    call.poison();
    need(call.launch(alone.stream, 0));
    alone.wait();
    for (Buffer &buffer : call.buffers[0])
      call.function.right.push_back(buffer.read());
    for (const std::string &right : call.function.right)
      if (hasPoison(right))
        end(kFailed, std::string(call.function.info.name) +
                         " does not write all of its result");
  }
  return functions;
}

/// Looks on for as long as the program runs.
void watch(double seconds) {
  using Clock = std::chrono::steady_clock;
  uint64_t before = 0;
  for (auto moved = Clock::now();;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    uint64_t now = moves;
    if (now != before)
      moved = Clock::now();
    before = now;
    if (std::chrono::duration<double>(Clock::now() - moved).count() > seconds)
      end(kHang, "a hang: nothing has moved for " + std::to_string(seconds) +
                     " s, after " + std::to_string(now) +
                     " launches, waits and comparisons");
  }
}

} // namespace

int main(int count, char **words) {
  uint64_t launches = count > 2 ? std::strtoull(words[2], nullptr, 10) : 0;
  double seconds = count > 3 ? std::strtod(words[3], nullptr) : 20;
  if (!launches || seconds <= 0) {
    std::fprintf(stderr, "usage: CudaSoak ARTIFACT LAUNCHES [SECONDS]\n");
    return 2;
  }
  std::thread(watch, seconds).detach();
  open(words[1]);
  std::vector<Function> functions = findFunctions();
  Stream one(1, functions), two(2, functions);
  auto begin = std::chrono::steady_clock::now();
  auto drive = [&](Stream &stream) { stream.run((launches + 1) / 2); };
  std::thread first(drive, std::ref(one)), second(drive, std::ref(two));
  first.join();
  second.join();
  need(aik_device_wait(runtime, device, -1));
  std::printf(
      "%llu launches of %zu functions on 2 streams in %.1f s; %llu "
      "results compared, all have the bits of the first run\n",
      (unsigned long long)(one.launched + two.launched), functions.size(),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count(),
      (unsigned long long)(one.compared + two.compared));
  return 0;
}
