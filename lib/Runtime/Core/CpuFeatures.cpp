//===- CpuFeatures.cpp - What this CPU can execute ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both architectures' names, and the detection of the one being built for. A
// feature counts only when the OS also saves its registers (xgetbv, HWCAP).
//
//===----------------------------------------------------------------------===//

#include "Core/CpuFeatures.h"

#include "AIKernel-c/Runtime.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif !defined(__aarch64__)
#error "libaikrt runs on x86-64 and AArch64"
#endif

using namespace aik;

namespace {
// Indexed by the AIK_X86_* and AIK_ARM_* numbers, spelled as in targets.
constexpr const char *x86Names[] = {
    "sse4.2",   "avx",        "avx2",       "fma",        "f16c",
    "bmi2",     "avx512f",    "avx512bw",   "avx512vl",   "avx512dq",
    "avx512cd", "avx512vnni", "avx512bf16", "avx512fp16", "avxvnni",
    "amx-tile", "amx-bf16",   "amx-int8",   "bmi",        "lzcnt",
    "movbe",    "popcnt",     "ssse3",      "sse4.1",     "cx16",
    "amx-fp16", "avx512vbmi"};
constexpr const char *armNames[] = {"fp16",   "dotprod", "bf16",  "i8mm",
                                    "sve",    "sve2",    "lse",   "fhm",
                                    "sve128", "sve256",  "sve512"};
constexpr uint32_t x86Count = sizeof(x86Names) / sizeof(*x86Names);
constexpr uint32_t armCount = sizeof(armNames) / sizeof(*armNames);
static_assert(x86Count == AIK_X86_AVX512VBMI + 1, "");
static_assert(armCount == AIK_ARM_SVE512 + 1, "");

/// One row: a bit of a register stands for a feature.
struct FeatureBit {
  uint8_t source;
  uint8_t bit;
  uint8_t feature;
};

template <size_t count>
uint64_t collect(const FeatureBit (&table)[count], const uint64_t *sources) {
  uint64_t features = 0;
  for (const FeatureBit &row : table)
    if (sources[row.source] >> row.bit & 1)
      features |= uint64_t(1) << row.feature;
  return features;
}
} // namespace

#if defined(__aarch64__)
/// Code for one length computes garbage at another, so an unknown length or a
/// failed call sets no bit.
static uint64_t featureOfLength(int64_t bytes) {
  return bytes == 16   ? uint64_t(1) << AIK_ARM_SVE128
         : bytes == 32 ? uint64_t(1) << AIK_ARM_SVE256
         : bytes == 64 ? uint64_t(1) << AIK_ARM_SVE512
                       : 0;
}

static uint64_t detect(Sys &sys) {
  constexpr FeatureBit table[] = {
      {0, 10, AIK_ARM_FP16}, {0, 20, AIK_ARM_DOTPROD}, {1, 14, AIK_ARM_BF16},
      {1, 13, AIK_ARM_I8MM}, {0, 22, AIK_ARM_SVE},     {1, 1, AIK_ARM_SVE2},
      {0, 8, AIK_ARM_LSE},   {0, 23, AIK_ARM_FHM}};
  uint64_t sources[] = {sys.auxiliary(0), sys.auxiliary(1)};
  uint64_t features = collect(table, sources);
  if (features >> AIK_ARM_SVE & 1)
    features |= featureOfLength(sys.scalableVectorBytes());
  return features;
}

uint32_t aik::hostArch() { return AIK_ARCH_AARCH64; }
#else
static uint64_t extendedState() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

static uint64_t detect(Sys &sys) {
  enum { Leaf1C, Leaf7B, Leaf7C, Leaf7D, Leaf71A, Extended1C, Count };
  // Rows up to `vectorRows` need no register state beyond SSE's.
  constexpr FeatureBit scalarRows[] = {
      {Leaf1C, 20, AIK_X86_SSE42},   {Leaf1C, 19, AIK_X86_SSE41},
      {Leaf1C, 9, AIK_X86_SSSE3},    {Leaf1C, 23, AIK_X86_POPCNT},
      {Leaf1C, 22, AIK_X86_MOVBE},   {Leaf1C, 13, AIK_X86_CX16},
      {Leaf7B, 8, AIK_X86_BMI2},     {Leaf7B, 3, AIK_X86_BMI1},
      {Extended1C, 5, AIK_X86_LZCNT}};
  constexpr FeatureBit avxRows[] = {{Leaf1C, 28, AIK_X86_AVX},
                                    {Leaf7B, 5, AIK_X86_AVX2},
                                    {Leaf1C, 12, AIK_X86_FMA},
                                    {Leaf1C, 29, AIK_X86_F16C},
                                    {Leaf71A, 4, AIK_X86_AVXVNNI}};
  constexpr FeatureBit avx512Rows[] = {
      {Leaf7B, 16, AIK_X86_AVX512F},    {Leaf7B, 30, AIK_X86_AVX512BW},
      {Leaf7B, 31, AIK_X86_AVX512VL},   {Leaf7B, 17, AIK_X86_AVX512DQ},
      {Leaf7B, 28, AIK_X86_AVX512CD},   {Leaf7C, 11, AIK_X86_AVX512VNNI},
      {Leaf71A, 5, AIK_X86_AVX512BF16}, {Leaf7D, 23, AIK_X86_AVX512FP16},
      {Leaf7C, 1, AIK_X86_AVX512VBMI}};
  constexpr FeatureBit tileRows[] = {{Leaf7D, 24, AIK_X86_AMX_TILE},
                                     {Leaf7D, 22, AIK_X86_AMX_BF16},
                                     {Leaf7D, 25, AIK_X86_AMX_INT8},
                                     {Leaf71A, 21, AIK_X86_AMX_FP16}};
  constexpr uint64_t avxState = 0x6, avx512State = 0xe6, tileState = 0x60000;

  uint64_t sources[Count] = {};
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d))
    return 0;
  sources[Leaf1C] = c;
  uint32_t lastSubleaf = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    lastSubleaf = a;
    sources[Leaf7B] = b;
    sources[Leaf7C] = c;
    sources[Leaf7D] = d;
  }
  if (lastSubleaf >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d))
    sources[Leaf71A] = a;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d))
    sources[Extended1C] = c;

  uint64_t features = collect(scalarRows, sources);
  constexpr int osUsesXsave = 27;
  if (!(sources[Leaf1C] >> osUsesXsave & 1))
    return features;
  uint64_t state = extendedState();
  if ((state & avxState) == avxState)
    features |= collect(avxRows, sources);
  if ((state & avx512State) == avx512State)
    features |= collect(avx512Rows, sources);
  // The kernel grants tile registers only on request.
  uint64_t tiles = collect(tileRows, sources);
  if (tiles && (state & tileState) == tileState &&
      sys.permitTileRegisters() >= 0)
    features |= tiles;
  return features;
}

uint32_t aik::hostArch() { return AIK_ARCH_X86_64; }
#endif

uint64_t aik::detectFeatures(Sys &sys) { return detect(sys); }

uint16_t aik::elfMachine(uint32_t arch) {
  constexpr uint16_t machineX86 = 62, machineArm = 183;
  return arch == AIK_ARCH_X86_64    ? machineX86
         : arch == AIK_ARCH_AARCH64 ? machineArm
                                    : 0;
}

uint64_t aik::knownFeatures(uint32_t arch) {
  return arch == AIK_ARCH_X86_64    ? (uint64_t(1) << x86Count) - 1
         : arch == AIK_ARCH_AARCH64 ? (uint64_t(1) << armCount) - 1
                                    : 0;
}

void aik::appendFeatures(uint32_t arch, uint64_t bits, const char *separator,
                         char *out, size_t outBytes) {
  for (uint32_t bit = 0; bit < 64; ++bit) {
    size_t used = strlen(out);
    const char *name = aik_feature_name(arch, bit);
    if ((bits >> bit & 1) && name)
      snprintf(out + used, outBytes - used, "%s%s", separator, name);
  }
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

const char *aik_feature_name(uint32_t arch, uint32_t bit) {
  if (arch == AIK_ARCH_X86_64 && bit < x86Count)
    return x86Names[bit];
  if (arch == AIK_ARCH_AARCH64 && bit < armCount)
    return armNames[bit];
  return nullptr;
}

const char *aik_arch_name(uint32_t arch) {
  return arch == AIK_ARCH_X86_64    ? "x86-64"
         : arch == AIK_ARCH_AARCH64 ? "aarch64"
         : arch == AIK_ARCH_NONE    ? "none"
                                    : "?";
}
