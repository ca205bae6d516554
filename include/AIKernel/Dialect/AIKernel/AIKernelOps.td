//===- AIKernelOps.td - Every op, one include per family ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mlir-tblgen reads: one include per family.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_OPS_TD
#define AIKERNEL_OPS_TD

include "AIKernel/Dialect/AIKernel/ActivationOps.td"
include "AIKernel/Dialect/AIKernel/AttentionOps.td"
include "AIKernel/Dialect/AIKernel/BlockProduct.td"
include "AIKernel/Dialect/AIKernel/InternalOps.td"
include "AIKernel/Dialect/AIKernel/LaneProduct.td"
include "AIKernel/Dialect/AIKernel/LinearOps.td"
include "AIKernel/Dialect/AIKernel/MemoryOps.td"
include "AIKernel/Dialect/AIKernel/NormOps.td"
include "AIKernel/Dialect/AIKernel/OnlineAttention.td"
include "AIKernel/Dialect/AIKernel/PackedProduct.td"
include "AIKernel/Dialect/AIKernel/QuantOps.td"
include "AIKernel/Dialect/AIKernel/RuntimeOps.td"
include "AIKernel/Dialect/AIKernel/SubmitOps.td"
include "AIKernel/Dialect/AIKernel/TargetAttrs.td"

#endif // AIKERNEL_OPS_TD
