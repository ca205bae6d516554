//===- FreezeAddresses.h - Addresses that LLVM takes as they are ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: optimized LLVM IR. Out: the same; where an innermost loop only reads, the
// addresses that it starts from are frozen.
//
// LLVM's loop strength reduction tries how each address of a loop could be made
// of the terms of all others. Those of a register tile are sums of places of
// panels, blocks and tiles that it takes apart again, for nothing: for large
// tiles that took most of the time of code generation. Of a frozen address it
// knows no terms. Loops that write are left alone, because it is not known
// either whether two frozen addresses are of one buffer.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_CPU_FREEZEADDRESSES_H
#define AIKERNEL_LIB_TARGET_CPU_FREEZEADDRESSES_H

namespace llvm {
class Function;
}

namespace aikernel {

void freezeAddresses(llvm::Function &function);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_CPU_FREEZEADDRESSES_H
