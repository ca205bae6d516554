//===- AIKernelComputeOp.td - Base classes of the compute ops -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The traits and the shape of the assembly that all compute ops share.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_COMPUTEOP_TD
#define AIKERNEL_COMPUTEOP_TD

include "AIKernel/Dialect/AIKernel/AIKernelAttrs.td"
include "AIKernel/Dialect/AIKernel/AIKernelInterfaces.td"
include "AIKernel/Dialect/AIKernel/AIKernelTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

// Functional, on ranked tensors, without side effects.
class AIKernel_ComputeOp<string mnemonic, list<Trait> traits = []>
    : AIKernel_Op<mnemonic, !listconcat([Pure], traits)> {
}

// Result 0 has the type of operand 0.
class AIKernel_SameTypeOp<string mnemonic, list<Trait> traits = []>
    : AIKernel_ComputeOp<mnemonic, traits> {
}

#endif // AIKERNEL_COMPUTEOP_TD
