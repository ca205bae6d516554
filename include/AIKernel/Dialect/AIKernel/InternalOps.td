//===- InternalOps.td - Ops that only passes write ---------*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops between the passes that know a function and the pass that gives it its
// final signature.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_INTERNALOPS_TD
#define AIKERNEL_INTERNALOPS_TD

include "AIKernel/Dialect/AIKernel/AIKernelDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AIKernel_EnvOp : AIKernel_Op<"env", [Pure]> {
  let summary = "the aik_env of the running function";
  let description = [{
    Stands for the pointer to the `aik_env` (Entry.h) with which the function
    was called. `aik-lower-entries` replaces it by the function's argument.

    ```mlir
    %env = aikernel.env : !llvm.ptr
    ```
  }];
  let results = (outs AnyType:$env);
  let assemblyFormat = "attr-dict `:` type($env)";
}

def AIKernel_PropagateOp : AIKernel_Op<"propagate", [MemoryEffects<[MemWrite]>]> {
  let summary = "return the error of a call";
  let description = [{
    When `status` is not 0 the function returns it at once. Whoever made it has
    recorded what it means.

    ```mlir
    aikernel.propagate %status
    ```
  }];
  let arguments = (ins I32:$status);
  let assemblyFormat = "$status attr-dict";
}

#endif // AIKERNEL_INTERNALOPS_TD
