//===- RuntimeOps.td - What passes add to a program to check it -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that a person does not write: run-time checks and calls of references.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIMEOPS_TD
#define AIKERNEL_RUNTIMEOPS_TD

include "AIKernel/Dialect/AIKernel/AIKernelDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AIKernel_CheckOp : AIKernel_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "a requirement that shows at run time";
  let description = [{
    When `condition` is false the function returns the error number `code`
    (AIK_E* of Entry.h) with `message` in the fault record.

    ```mlir
    aikernel.check %ok, 22, "operand 'b' of 'aikernel.matmul' has the wrong size"
    ```
  }];
  let arguments = (ins I1:$condition, I32Attr:$code, StrAttr:$message);
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let assemblyFormat = "$condition `,` custom<PlainInt>($code) `,` $message attr-dict";
}

#endif // AIKERNEL_RUNTIMEOPS_TD
