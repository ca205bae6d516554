//===- Machine.cpp - What this machine can do at most ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The widest vectors that the CPU reports are used: AVX-512, AVX2 with FMA or
// SSE on x86-64, NEON on AArch64.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace aikrun {
namespace {

constexpr int tries = 15;

/// Keeps the compiler from dropping a loop whose result nobody needs.
template <typename T>
void keep(T &value) {
  asm volatile("" : : "r"(&value) : "memory");
}

/// Defines a loop of `LANES`-wide multiply-adds on `COUNT` accumulators: enough
/// to hide their latency, few enough for the registers. It returns the
/// floating-point operations of `rounds` rounds.
#define AIK_RUN_FMA_LOOP(NAME, TARGET, VECTOR, LANES, COUNT, SET, FMA)         \
  TARGET double NAME(uint64_t rounds) {                                        \
    constexpr int accumulators = COUNT;                                        \
    VECTOR sums[accumulators];                                                 \
    for (int i = 0; i < accumulators; ++i)                                     \
      sums[i] = SET(static_cast<float>(i));                                    \
    VECTOR factor = SET(0.999f), term = SET(0.001f);                           \
    keep(factor);                                                              \
    keep(term);                                                                \
    for (uint64_t round = 0; round < rounds; ++round) {                        \
      _Pragma("GCC unroll 16") for (int i = 0; i < accumulators; ++i)          \
          sums[i] = FMA;                                                       \
    }                                                                          \
    VECTOR total = sums[0]; /* sums itself must stay in registers */           \
    _Pragma("GCC unroll 16") for (int i = 1; i < accumulators; ++i) total +=   \
        sums[i];                                                               \
    keep(total);                                                               \
    return 2.0 * LANES * accumulators * static_cast<double>(rounds);           \
  }

#if defined(__x86_64__)
AIK_RUN_FMA_LOOP(fmaAvx512, __attribute__((target("avx512f"))), __m512, 16, 16,
                 _mm512_set1_ps, _mm512_fmadd_ps(factor, term, sums[i]))
AIK_RUN_FMA_LOOP(fmaAvx2, __attribute__((target("avx2,fma"))), __m256, 8, 12,
                 _mm256_set1_ps, _mm256_fmadd_ps(factor, term, sums[i]))
AIK_RUN_FMA_LOOP(fmaSse, , __m128, 4, 12, _mm_set1_ps,
                 _mm_add_ps(_mm_mul_ps(sums[i], factor), term))
#elif defined(__aarch64__)
AIK_RUN_FMA_LOOP(fmaNeon, , float32x4_t, 4, 16, vdupq_n_f32,
                 vfmaq_f32(sums[i], factor, term))
#else
AIK_RUN_FMA_LOOP(fmaScalar, , float, 1, 8, , sums[i] * factor + term)
#endif
#undef AIK_RUN_FMA_LOOP

using FmaLoop = double (*)(uint64_t);

FmaLoop bestFmaLoop() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return fmaAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return fmaAvx2;
  return fmaSse;
#elif defined(__aarch64__)
  return fmaNeon;
#else
  return fmaScalar;
#endif
}

/// Runs `work(thread)` on all threads at once; seconds from the common start
/// to the last one's end.
double timeTogether(uint32_t threads,
                    const std::function<void(uint32_t)> &work) {
  std::atomic<uint32_t> ready{0};
  std::atomic<bool> go{false};
  std::vector<uint64_t> ends(threads);
  auto body = [&](uint32_t index) {
    ++ready;
    while (!go.load(std::memory_order_acquire))
      std::this_thread::yield();
    work(index);
    ends[index] = nowNanoseconds();
  };
  std::vector<std::thread> others;
  for (uint32_t i = 1; i < threads; ++i)
    others.emplace_back(body, i);
  while (ready.load() != threads - 1)
    std::this_thread::yield();
  uint64_t begin = nowNanoseconds();
  go.store(true, std::memory_order_release);
  body(0);
  for (std::thread &thread : others)
    thread.join();
  uint64_t end = *std::max_element(ends.begin(), ends.end());
  return static_cast<double>(end - begin) * 1e-9;
}

/// Reads `count` bytes with eight independent streams of additions.
void readAll(const uint8_t *data, uint64_t count) {
  typedef uint64_t Lanes __attribute__((vector_size(16)));
  Lanes sums[8] = {};
  for (uint64_t at = 0; at + 128 <= count; at += 128) {
    const Lanes *line = reinterpret_cast<const Lanes *>(data + at);
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; ++i) sums[i] += line[i];
  }
  Lanes total = sums[0]; // sums itself must stay in registers
  _Pragma("GCC unroll 8") for (int i = 1; i < 8; ++i) total += sums[i];
  keep(total);
}

} // namespace

uint64_t nowNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<uint64_t>(now.tv_nsec);
}

double measurePeakFlops(uint32_t threads) {
  FmaLoop loop = bestFmaLoop();
  // Enough rounds for about two milliseconds.
  uint64_t rounds = 1000;
  while (true) {
    uint64_t begin = nowNanoseconds();
    loop(rounds);
    if (nowNanoseconds() - begin > 2000000 || rounds > (uint64_t(1) << 40))
      break;
    rounds *= 2;
  }
  double best = 0;
  for (int i = 0; i < tries; ++i) {
    std::vector<double> operations(threads);
    double seconds = timeTogether(
        threads, [&](uint32_t thread) { operations[thread] = loop(rounds); });
    double total = 0;
    for (double count : operations)
      total += count;
    if (seconds > 0)
      best = std::max(best, total / seconds);
  }
  return best;
}

Error measurePeakBandwidth(uint32_t threads, uint64_t footprint,
                           double &bytesPerSecond) {
  const uint64_t smallest = uint64_t(32) << 10, largest = uint64_t(128) << 20;
  footprint = std::min(std::max(footprint, smallest), largest);
  uint64_t slice = (footprint / threads + 255) / 256 * 256;
  struct Free {
    void operator()(uint8_t *pointer) const { std::free(pointer); }
  };
  std::vector<std::unique_ptr<uint8_t, Free>> slices;
  for (uint32_t i = 0; i < threads; ++i) {
    slices.emplace_back(static_cast<uint8_t *>(std::aligned_alloc(128, slice)));
    if (!slices.back())
      return Error(Code::OutOfMemory,
                   "there is no memory to measure the bandwidth with");
    std::memset(slices.back().get(), 1, slice);
  }
  // About 32 MiB of traffic per thread and try, at least one pass.
  uint64_t passes = std::max<uint64_t>(1, (uint64_t(32) << 20) / slice);
  double best = 0;
  for (int i = 0; i < tries; ++i) {
    double total =
        static_cast<double>(slice) * static_cast<double>(passes) * threads;
    double reading = timeTogether(threads, [&](uint32_t thread) {
      for (uint64_t pass = 0; pass < passes; ++pass)
        readAll(slices[thread].get(), slice);
    });
    // Half is copied onto the other half: the slice is read once or written
    // once, byte for byte.
    double copying = timeTogether(threads, [&](uint32_t thread) {
      uint8_t *data = slices[thread].get();
      for (uint64_t pass = 0; pass < passes; ++pass) {
        std::memcpy(data + slice / 2, data, slice / 2);
        keep(data);
      }
    });
    double seconds = std::min(reading, copying);
    if (seconds > 0)
      best = std::max(best, total / seconds);
  }
  bytesPerSecond = best;
  return Error();
}

} // namespace aikrun
