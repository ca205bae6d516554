//===- AIKernelTypes.td - Handles of the submit group ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opaque handles: what the runtime's calls give and take.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TYPES_TD
#define AIKERNEL_TYPES_TD

include "AIKernel/Dialect/AIKernel/AIKernelDialect.td"
include "mlir/IR/AttrTypeBase.td"

class AIKernel_Handle<string name, string mnemonic_> : TypeDef<AIKernel_Dialect, name> {
  let mnemonic = mnemonic_;
}

def AIKernel_QueueType : AIKernel_Handle<"Queue", "queue"> {
  let summary = "a user-mode command queue of one device";
}
def AIKernel_CommandsType : AIKernel_Handle<"Commands", "commands"> {
  let summary = "a recorded command buffer";
}
def AIKernel_FenceType : AIKernel_Handle<"Fence", "fence"> {
  let summary = "the end of one submission, to wait for";
}

#endif // AIKERNEL_TYPES_TD
