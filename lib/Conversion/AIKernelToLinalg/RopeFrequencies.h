//===- RopeFrequencies.h - Turns per position of rope's pairs -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_ROPEFREQUENCIES_H
#define AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_ROPEFREQUENCIES_H

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"

namespace aikernel::tolinalg {

/// For each pair of rotated features, round(2^64 f / 2 pi) modulo 2^64, where f
/// is the angle per position in radians after scaling.
llvm::SmallVector<uint64_t> computeTurnsPerPosition(RopeOp op);

/// The factor that the scaling puts on cosine and sine.
double attentionFactor(RopeOp op);

} // namespace aikernel::tolinalg

#endif // AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_ROPEFREQUENCIES_H
