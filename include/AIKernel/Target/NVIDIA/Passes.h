//===- Passes.h - From shared GPU code to NVIDIA's own --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TARGET_NVIDIA_PASSES_H
#define AIKERNEL_TARGET_NVIDIA_PASSES_H

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace aikernel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "AIKernel/Target/NVIDIA/Passes.h.inc"

} // namespace aikernel

#endif // AIKERNEL_TARGET_NVIDIA_PASSES_H
