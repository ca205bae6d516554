//===- KnownTargetsTest.cpp - What users may name as a target -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the table of targets. Out: one line for each that cannot be parsed, has
// no back end or disagrees with the artifact's feature bits, and exit status 1.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Artifact.h"
#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "AIKernel/Target/Target.h"
#include "Check.h"
#include "llvm/ADT/bit.h"

using namespace aikernel;
using aiktest::finish;
using aiktest::run;

namespace {

struct Fixture {
  Fixture() { context.loadDialect<AIKernelDialect>(); }

  TargetAttr parse(llvm::StringRef text) {
    auto targets = parseTarget(text, &context);
    if (!targets) {
      aiktest::report(__FILE__, __LINE__, llvm::toString(targets.takeError()));
      return {};
    }
    CHECK(!targets->empty());
    return targets->front();
  }

  std::string complaintAbout(llvm::StringRef text) {
    auto targets = parseTarget(text, &context);
    return targets ? "" : llvm::toString(targets.takeError());
  }

  mlir::MLIRContext context;
};

void everyListedTargetWorks() {
  Fixture fixture;
  CHECK(getKnownTargets().size() >= 6);
  for (const KnownTarget &known : getKnownTargets()) {
    TargetAttr target = fixture.parse(known.name);
    CHECK(target);
    if (!target)
      continue;
    CHECK(getBackend(target) != nullptr);
    CHECK(target.getVectorBits() >= 128);
  }
}

/// `cpu` ends with a baseline that every machine of this kind can run.
void thisMachineHasABaseline() {
  Fixture fixture;
  auto targets = parseTarget("cpu", &fixture.context);
  CHECK(static_cast<bool>(targets));
  if (!targets) {
    llvm::consumeError(targets.takeError());
    return;
  }
  CHECK_EQ(getFeatureBits(targets->back()), 0);
  for (TargetAttr target : *targets)
    CHECK_EQ(getArch(target), getArch(targets->back()));
}

void levelsContainEachOther() {
  Fixture fixture;
  uint64_t before = 0;
  for (llvm::StringRef name :
       {"cpu:x86-64", "cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4"}) {
    uint64_t bits = getFeatureBits(fixture.parse(name));
    CHECK((before & ~bits) == 0);
    before = bits;
  }
  CHECK(before >> AIK_X86_AVX512F & 1);
}

void everyFeatureHasItsOwnBit() {
  Fixture fixture;
  for (llvm::StringRef level : {"x86-64", "aarch64"}) {
    uint64_t seen = 0;
    llvm::StringRef arch = level == "aarch64" ? "aarch64" : "x86_64";
    for (llvm::StringRef feature : getFeatureNames(arch)) {
      uint64_t bits =
          getFeatureBits(fixture.parse(("cpu:" + level + "+" + feature).str()));
      // Lengths of SVE vectors bring the bit of SVE, which comes before them.
      CHECK_EQ(llvm::popcount(bits & ~seen), 1);
      seen |= bits;
    }
  }
  CHECK_EQ(getFeatureBits(fixture.parse("cpu:aarch64+dotprod")),
           1ull << AIK_ARM_DOTPROD);
}

void lengthsOfVectorsAreExact() {
  Fixture fixture;
  TargetAttr wide = fixture.parse("cpu:aarch64+sve512");
  CHECK_EQ(wide.getVectorBits(), 512);
  CHECK_EQ(wide.getVscale(), 4);
  CHECK_EQ(wide.getFeatures().str(), "+sve");
  CHECK_EQ(getFeatureBits(wide), 1ull << AIK_ARM_SVE | 1ull << AIK_ARM_SVE512);
  TargetAttr both = fixture.parse("cpu:aarch64+sve+bf16+sve256");
  CHECK_EQ(both.getVectorBits(), 256);
  CHECK_EQ(both.getFeatures().str(), "+sve,+bf16");
  // Of an unknown length, registers are as wide as everywhere.
  TargetAttr any = fixture.parse("cpu:aarch64+sve");
  CHECK_EQ(any.getVectorBits(), 128);
  CHECK_EQ(any.getVscale(), 0);
  CHECK_EQ(getFeatureBits(any), 1ull << AIK_ARM_SVE);
  CHECK(!fixture.complaintAbout("cpu:aarch64+sve256+sve512").empty());
}

/// Who names what multiplies tiles means the tiles, too.
void tilesComeWithTheirInstructions() {
  Fixture fixture;
  TargetAttr tiles = fixture.parse("cpu:x86-64+amx-bf16+amx-int8");
  CHECK_EQ(tiles.getFeatures().str(), "+amx-tile,+amx-bf16,+amx-int8");
  CHECK(getFeatureBits(tiles) >> AIK_X86_AMX_TILE & 1);
  CHECK_EQ(fixture.parse("cpu:x86-64+amx-tile+amx-fp16").getFeatures().str(),
           "+amx-tile,+amx-fp16");
}

void architecturesAreThoseOfArtifacts() {
  Fixture fixture;
  CHECK(getArch(fixture.parse("cpu:x86-64-v3")) == AIK_ARCH_X86_64);
  CHECK(getArch(fixture.parse("cpu:aarch64")) == AIK_ARCH_AARCH64);
}

void nonsenseIsRefused() {
  Fixture fixture;
  for (llvm::StringRef text :
       {"", "gpu", "cpu:", "cpu:x86-64-v9", "cpu:x86-64+", "cpu:x86-64+neon",
        "cpu:aarch64+avx2", "cpu+avx2", "CPU", "cpu:aarch64 ",
        "cpu:aarch64++dotprod"})
    CHECK(!fixture.complaintAbout(text).empty());
}

} // namespace

int main() {
  run("every listed target works", everyListedTargetWorks);
  run("this machine has a baseline", thisMachineHasABaseline);
  run("levels contain each other", levelsContainEachOther);
  run("every feature has its own bit", everyFeatureHasItsOwnBit);
  run("lengths of vectors are exact", lengthsOfVectorsAreExact);
  run("tiles come with their instructions", tilesComeWithTheirInstructions);
  run("architectures are those of artifacts", architecturesAreThoseOfArtifacts);
  run("nonsense is refused", nonsenseIsRefused);
  return finish();
}
