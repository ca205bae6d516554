//===- MathPasses.h - Passes that write out scalar and vector math --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors, options and registration of the passes in MathPasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_MATHPASSES_H
#define AIKERNEL_TRANSFORMS_MATHPASSES_H

#include "mlir/Pass/Pass.h"

namespace aikernel {

#define GEN_PASS_DECL
#include "AIKernel/Transforms/MathPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "AIKernel/Transforms/MathPasses.h.inc"

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_MATHPASSES_H
