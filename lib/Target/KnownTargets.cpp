//===- KnownTargets.cpp - The targets, as data ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a target as a user writes it. Out: #aikernel.target attributes.
//
// A level is a row: its features, the width of its vectors and the register
// tile of a matrix product that does not spill there. Features are independent
// bits. Nothing here asks for the name of a CPU: machines mask features.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Artifact.h"
#include "AIKernel-c/Runtime.h"
#include "AIKernel/Target/Target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace aikernel;

namespace {

struct Feature {
  StringRef name; // as users write it
  StringRef llvm; // as LLVM calls it
  unsigned bit;
  unsigned vscale = 0;  // an exact length of SVE, in units of 128 bits
  StringRef needs = ""; // one that every CPU with this one has
};

const Feature kX86Features[] = {
    {"sse4.2", "sse4.2", AIK_X86_SSE42},
    {"avx", "avx", AIK_X86_AVX},
    {"avx2", "avx2", AIK_X86_AVX2},
    {"fma", "fma", AIK_X86_FMA},
    {"f16c", "f16c", AIK_X86_F16C},
    {"bmi2", "bmi2", AIK_X86_BMI2},
    {"avx512f", "avx512f", AIK_X86_AVX512F},
    {"avx512bw", "avx512bw", AIK_X86_AVX512BW},
    {"avx512vl", "avx512vl", AIK_X86_AVX512VL},
    {"avx512dq", "avx512dq", AIK_X86_AVX512DQ},
    {"avx512cd", "avx512cd", AIK_X86_AVX512CD},
    {"avx512vnni", "avx512vnni", AIK_X86_AVX512VNNI},
    {"avx512bf16", "avx512bf16", AIK_X86_AVX512BF16},
    {"avx512fp16", "avx512fp16", AIK_X86_AVX512FP16},
    {"avxvnni", "avxvnni", AIK_X86_AVXVNNI},
    {"amx-tile", "amx-tile", AIK_X86_AMX_TILE},
    {"amx-bf16", "amx-bf16", AIK_X86_AMX_BF16, 0, "amx-tile"},
    {"amx-int8", "amx-int8", AIK_X86_AMX_INT8, 0, "amx-tile"},
    {"bmi", "bmi", AIK_X86_BMI1},
    {"lzcnt", "lzcnt", AIK_X86_LZCNT},
    {"movbe", "movbe", AIK_X86_MOVBE},
    {"popcnt", "popcnt", AIK_X86_POPCNT},
    {"ssse3", "ssse3", AIK_X86_SSSE3},
    {"sse4.1", "sse4.1", AIK_X86_SSE41},
    {"cx16", "cx16", AIK_X86_CX16},
    {"amx-fp16", "amx-fp16", AIK_X86_AMX_FP16, 0, "amx-tile"},
    {"avx512vbmi", "avx512vbmi", AIK_X86_AVX512VBMI},
};

const Feature kArmFeatures[] = {
    {"fp16", "fullfp16", AIK_ARM_FP16},
    {"dotprod", "dotprod", AIK_ARM_DOTPROD},
    {"bf16", "bf16", AIK_ARM_BF16},
    {"i8mm", "i8mm", AIK_ARM_I8MM},
    {"sve", "sve", AIK_ARM_SVE},
    {"sve2", "sve2", AIK_ARM_SVE2},
    {"lse", "lse", AIK_ARM_LSE},
    {"fhm", "fp16fml", AIK_ARM_FHM},
    {"sve128", "sve", AIK_ARM_SVE128, 1},
    {"sve256", "sve", AIK_ARM_SVE256, 2},
    {"sve512", "sve", AIK_ARM_SVE512, 4},
};

struct Level {
  StringRef name;
  StringRef arch;
  StringRef features; // user names, separated by spaces
  unsigned vectorBits;
  StringRef summary;
};

#define AIK_X86_V2 "sse4.2 popcnt ssse3 sse4.1 cx16"
#define AIK_X86_V3 AIK_X86_V2 " avx avx2 fma f16c bmi bmi2 lzcnt movbe"
#define AIK_X86_V4 AIK_X86_V3 " avx512f avx512bw avx512vl avx512dq avx512cd"

const Level kLevels[] = {
    {"x86-64", "x86_64", "", 128, "any 64-bit x86 (SSE2)"},
    {"x86-64-v2", "x86_64", AIK_X86_V2, 128, "SSE4.2"},
    {"x86-64-v3", "x86_64", AIK_X86_V3, 256, "AVX2 and FMA"},
    {"x86-64-v4", "x86_64", AIK_X86_V4, 512, "AVX-512"},
    {"aarch64", "aarch64", "", 128, "any 64-bit Arm (NEON)"},
};

const KnownTarget kKnownTargets[] = {
    {"cpu", "this machine's features, and the baseline of its architecture"},
    {"cpu:x86-64", "any 64-bit x86 (SSE2)"},
    {"cpu:x86-64-v2", "SSE4.2"},
    {"cpu:x86-64-v3", "AVX2 and FMA"},
    {"cpu:x86-64-v4", "AVX-512"},
    {"cpu:aarch64", "any 64-bit Arm (NEON)"},
    {"nvidia:sm_80", "NVIDIA Ampere (A100)"},
    {"nvidia:sm_89", "NVIDIA Ada (L4, RTX 40)"},
    {"nvidia:sm_90a", "NVIDIA Hopper (H100, H200)"},
    {"amd:gfx942", "AMD CDNA 3 (MI300)"},
    {"amd:gfx1100", "AMD RDNA 3 (Radeon RX 7900)"},
};

/// Vectors of 16 bytes are what a thread of a GPU loads at once.
constexpr unsigned kGpuVectorBits = 128;

struct Gpu {
  StringRef name; // nvidia:sm_90a
  StringRef arch; // as LLVM calls it
  StringRef features;
};

const Gpu kGpus[] = {
    {"nvidia:sm_80", "nvptx64", "+ptx80"},
    {"nvidia:sm_89", "nvptx64", "+ptx80"},
    {"nvidia:sm_90a", "nvptx64", "+ptx81"},
    {"amd:gfx942", "amdgcn", ""},
    {"amd:gfx1100", "amdgcn", ""},
};

ArrayRef<Feature> featuresOf(StringRef arch) {
  return arch == "x86_64" ? ArrayRef<Feature>(kX86Features)
                          : ArrayRef<Feature>(kArmFeatures);
}

const Feature *findFeature(StringRef arch, StringRef name) {
  for (const Feature &feature : featuresOf(arch))
    if (feature.name == name)
      return &feature;
  return nullptr;
}

const Level *findLevel(StringRef name) {
  for (const Level &level : kLevels)
    if (level.name == name)
      return &level;
  return nullptr;
}

TargetAttr makeTarget(mlir::MLIRContext *context, StringRef name,
                      const Level &level, ArrayRef<StringRef> extra) {
  SmallVector<StringRef> names;
  level.features.split(names, ' ', -1, /*KeepEmpty=*/false);
  append_range(names, extra);
  SmallVector<std::string> flags;
  unsigned vscale = 0;
  auto add = [&](const Feature &feature) {
    std::string flag = ("+" + feature.llvm).str();
    if (!is_contained(flags, flag))
      flags.push_back(std::move(flag));
    vscale = std::max(vscale, feature.vscale);
  };
  for (StringRef text : names) {
    const Feature *feature = findFeature(level.arch, text);
    if (!feature->needs.empty())
      add(*findFeature(level.arch, feature->needs));
    add(*feature);
  }
  return TargetAttr::get(context, name, level.arch, join(flags, ","),
                         std::max(level.vectorBits, 128 * vscale), vscale);
}

Error complain(const Twine &sentence) {
  return createStringError(inconvertibleErrorCode(), sentence);
}

/// nvidia:sm_90a, amd:gfx942: targets of builds that have such a back end.
bool isGpuTarget(StringRef text) {
  auto isNumber = [&](size_t most, auto isDigitOfIt) {
    return text.size() >= 2 && text.size() <= most && text[0] != '0' &&
           all_of(text, isDigitOfIt);
  };
  if (text.consume_front("nvidia:sm_")) {
    text = text.rtrim("af");
    return isNumber(3, isDigit);
  }
  return text.consume_front("amd:gfx") && isNumber(4, isHexDigit);
}

/// This machine's architecture and feature bits, as the runtime that will load
/// the artifact sees them.
std::pair<unsigned, uint64_t> hostCpu() {
  aik_runtime_info info = {};
  info.size = sizeof(info);
  info.version = AIK_RUNTIME_VERSION;
  aik_runtime *runtime = nullptr;
  if (aik_runtime_open(nullptr, &runtime) == 0) {
    (void)aik_runtime_describe(runtime, &info);
    (void)aik_runtime_close(runtime);
  }
  return {info.arch, info.features};
}

/// The best level that this machine's bits contain, with its further features.
SmallVector<TargetAttr> hostTargets(mlir::MLIRContext *context) {
  auto [arch, bits] = hostCpu();
  StringRef archName = arch == AIK_ARCH_X86_64 ? "x86_64" : "aarch64";
  auto bitsOf = [&](const Level &level) {
    uint64_t mask = 0;
    SmallVector<StringRef> names;
    level.features.split(names, ' ', -1, false);
    for (StringRef name : names)
      mask |= 1ull << findFeature(level.arch, name)->bit;
    return mask;
  };
  const Level *baseline = nullptr, *best = nullptr;
  for (const Level &level : kLevels) {
    if (level.arch != archName || (bitsOf(level) & ~bits))
      continue;
    if (!baseline)
      baseline = &level;
    best = &level;
  }
  SmallVector<StringRef> extra;
  std::string name = ("cpu:" + best->name).str();
  for (const Feature &feature : featuresOf(archName)) {
    bool has = bits >> feature.bit & 1,
         inLevel = bitsOf(*best) >> feature.bit & 1;
    if (!has || inLevel)
      continue;
    extra.push_back(feature.name);
    name += ("+" + feature.name).str();
  }
  SmallVector<TargetAttr> targets;
  if (best != baseline || !extra.empty())
    targets.push_back(makeTarget(context, name, *best, extra));
  targets.push_back(
      makeTarget(context, ("cpu:" + baseline->name).str(), *baseline, {}));
  return targets;
}

} // namespace

ArrayRef<KnownTarget> aikernel::getKnownTargets() { return kKnownTargets; }

SmallVector<StringRef> aikernel::getFeatureNames(StringRef arch) {
  return map_to_vector(featuresOf(arch),
                       [](const Feature &feature) { return feature.name; });
}

Expected<SmallVector<TargetAttr>>
aikernel::parseTarget(StringRef text, mlir::MLIRContext *context) {
  if (text == "cpu")
    return hostTargets(context);
  StringRef rest = text;
  for (const Gpu &gpu : kGpus)
    if (gpu.name == text)
      return SmallVector<TargetAttr>{TargetAttr::get(
          context, gpu.name, gpu.arch, gpu.features, kGpuVectorBits, 0)};
  if (isGpuTarget(text))
    return complain("AIK-E0014: '" + text +
                    "' is a GPU that this build has no code generator for");
  if (!rest.consume_front("cpu:"))
    return complain("'" + text + "' is not a target of this compiler");
  SmallVector<StringRef> parts;
  rest.split(parts, '+');
  const Level *level = findLevel(parts[0]);
  if (!level) {
    SmallVector<StringRef> names;
    for (const Level &known : kLevels)
      names.push_back(known.name);
    return complain("'" + parts[0] + "' is not a CPU level; there are " +
                    join(names, ", ") + "; 'cpu' alone is this machine");
  }
  SmallVector<StringRef> extra;
  for (StringRef name : ArrayRef(parts).drop_front()) {
    if (!findFeature(level->arch, name))
      return complain("'" + name + "' is not a feature of " + level->name +
                      "; there are " +
                      join(getFeatureNames(level->arch), ", "));
    extra.push_back(name);
  }
  if (count_if(extra, [&](StringRef name) {
        return findFeature(level->arch, name)->vscale != 0;
      }) > 1)
    return complain("'" + text + "' names several lengths of SVE vectors");
  return SmallVector<TargetAttr>{makeTarget(context, text, *level, extra)};
}

unsigned aikernel::getArch(TargetAttr target) {
  return target.getArch() == "x86_64"    ? AIK_ARCH_X86_64
         : target.getArch() == "aarch64" ? AIK_ARCH_AARCH64
                                         : AIK_ARCH_NONE;
}

uint64_t aikernel::getFeatureBits(TargetAttr target) {
  uint64_t bits = 0;
  SmallVector<StringRef> flags;
  target.getFeatures().split(flags, ',', -1, false);
  for (StringRef flag : flags)
    for (const Feature &feature : featuresOf(target.getArch()))
      if (flag.drop_front() == feature.llvm &&
          (feature.vscale == 0 || feature.vscale == target.getVscale()))
        bits |= 1ull << feature.bit;
  return bits;
}
