//===- TargetAttrs.cpp - What passes may ask of the target ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: any operation. Out: the facts of the #aikernel.target around it.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"

using namespace aikernel;

TargetAttr aikernel::getTarget(mlir::Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(kTargetAttrName))
      return target;
  return {};
}

unsigned aikernel::getVectorBits(mlir::Operation *op) {
  TargetAttr target = getTarget(op);
  return target ? target.getVectorBits() : 128;
}

bool aikernel::fusesMultiplyAdd(mlir::Operation *op, bool otherwise) {
  TargetAttr target = getTarget(op);
  if (!target)
    return otherwise;
  return target.getArch() != "x86_64" || target.getFeatures().contains("+fma");
}

bool aikernel::keepsNaNInMinMax(mlir::Operation *op) {
  TargetAttr target = getTarget(op);
  return target && target.getArch() != "x86_64";
}

bool aikernel::roundsToBf16(mlir::Operation *op) {
  TargetAttr target = getTarget(op);
  if (target && target.getArch() == "nvptx64")
    return true;
  // LLVM 22 cannot select it for SVE vectors longer than NEON's.
  return target && target.getArch() == "aarch64" && target.getVscale() <= 1 &&
         target.getFeatures().contains("+bf16");
}

/// Does the target have this feature of x86?
static bool hasX86Feature(mlir::Operation *op, llvm::StringRef feature) {
  TargetAttr target = aikernel::getTarget(op);
  return target && target.getArch() == "x86_64" &&
         target.getFeatures().contains(feature);
}

bool aikernel::hasWordMasks(mlir::Operation *op) {
  return hasX86Feature(op, "+avx512bw");
}

bool aikernel::partsPairsOfWords(mlir::Operation *op) {
  return hasX86Feature(op, "+avx2");
}

bool aikernel::keepsWrittenLines(mlir::Operation *op) {
  TargetAttr target = getTarget(op);
  return target && target.getArch() == "x86_64";
}

bool aikernel::mayAskToOverwrite(mlir::Operation *op) {
  // All that came later have this, other makers' as well. Those with tile
  // registers are known to do better past the caches. Code for any AVX-512 has
  // no VNNI.
  return hasX86Feature(op, "+avx512vnni") &&
         !hasX86Feature(op, "+avx512vbmi") &&
         !hasX86Feature(op, "+avx512bf16") && !hasX86Feature(op, "+amx-tile");
}

bool aikernel::hasOnlyNeon(mlir::Operation *op) {
  TargetAttr target = getTarget(op);
  return target && target.getArch() == "aarch64" && target.getVscale() == 0;
}

int64_t aikernel::getRoughReciprocalLanes(mlir::Operation *op) {
  if (hasX86Feature(op, "+avx512f"))
    return 16;
  return hasOnlyNeon(op) ? 4 : 0;
}
