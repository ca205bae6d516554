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

#include "AIKernel-c/Runtime.h"
#include "Drivers/CUDA/CudaLibrary.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr uint64_t kBatch = 100; // launches between two looks at results
constexpr size_t kSlots = 2;     // results that a function writes in turn
constexpr int kFailed = 1, kHang = 3;

[[noreturn]] void end(int status, const std::string &sentence) {
  std::printf("%s\n", sentence.c_str());
  std::fflush(stdout);
  std::_Exit(status); // a device that hangs would not let us go
}

int64_t need(int64_t status) {
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

std::atomic<uint64_t> moves{0}; // launches, waits and comparisons

aik_runtime *runtime;
aik_handle device, artifact, module;
const aik::cu::Functions *cuda;

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

uint64_t bytesOf(const aik_tensor &tensor) {
  uint64_t count = aik_dtype_size(tensor.dtype);
  for (uint32_t i = 0; i < tensor.rank; ++i)
    count *= uint64_t(tensor.dims[i]);
  return count;
}

/// Numbers of either sign between 0.5 and 1 for 16 bits, and for 32 bits 300,
/// which is a length.
std::string numbersFor(const aik_tensor &tensor, uint32_t seed) {
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
  std::vector<std::string> right;
};

/// A function on a stream.
struct Call {
  explicit Call(Function &function)
      : function(function), workspace(function.workspace) {
    for (size_t slot = 0; slot < kSlots; ++slot) {
      tensors.push_back(function.results);
      buffers.emplace_back();
      for (aik_tensor &result : tensors.back()) {
        buffers.back().emplace_back(bytesOf(result));
        result.data = buffers.back().back().address();
      }
    }
  }
  void poison() {
    for (auto &slot : buffers)
      for (Buffer &buffer : slot)
        buffer.write(std::string(buffer.bytes, char(0xff)));
  }
  int32_t launch(void *stream) {
    auto options = make<aik_run_options>();
    options.flags = AIK_RUN_ASYNC | AIK_RUN_ON_STREAM;
    options.stream = stream;
    options.workspace = workspace.address();
    options.workspace_bytes = function.workspace;
    std::vector<aik_tensor> &results = tensors[runs++ % kSlots];
    return aik_function_run(runtime, module, function.index,
                            function.args.data(), function.info.arg_count,
                            results.data(), function.info.result_count,
                            &options);
  }
  Function &function;
  Buffer workspace;
  uint64_t runs = 0;
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
      // The last launches of each function fill all its slots.
      uint64_t least = kSlots * calls.size();
      for (last = std::max(last, done + least); done < last; ++done) {
        need(calls[(done + uint64_t(number)) % calls.size()].launch(stream));
        ++launched;
        ++moves;
      }
      wait();
      for (Call &call : calls)
        compare(call);
    }
  }

  void compare(Call &call) {
    for (auto &slot : call.buffers)
      for (size_t i = 0; i < slot.size(); ++i, ++compared, ++moves) {
        std::string found = slot[i].read();
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

void open(const char *path) {
  need(aik_runtime_open(nullptr, &runtime));
  need(aik_device_open(runtime, "nvidia:0", &device));
  need(aik_artifact_open_file(runtime, path, &artifact));
  need(aik_module_load(runtime, artifact, device, nullptr, &module));
  aik::CudaLibrary *library = nullptr;
  need(aik::loadCuda(*runtime, &library));
  cuda = &library->call;
}

bool hasPoison(const std::string &bytes) {
  for (size_t i = 0; i + 2 <= bytes.size(); i += 2)
    if (uint8_t(bytes[i]) == 0xff && uint8_t(bytes[i + 1]) == 0xff)
      return true;
  return false;
}

/// What each function gives when it runs alone.
std::vector<Function> findFunctions() {
  auto info = make<aik_artifact_info>();
  need(aik_artifact_describe(runtime, artifact, &info));
  std::vector<Function> functions;
  for (uint32_t i = 0; i < info.function_count; ++i)
    functions.emplace_back(i);
  Stream alone(0, functions);
  for (Call &call : alone.calls) {
    call.poison();
    need(call.launch(alone.stream));
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
