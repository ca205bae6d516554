//===- MemoryOps.td - Page-locked host memory -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that devices can read without a copy, through the runtime's calls.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_MEMORYOPS_TD
#define AIKERNEL_MEMORYOPS_TD

include "AIKernel/Dialect/AIKernel/AIKernelDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AIKernel_MemAllocPinnedOp : AIKernel_Op<"mem.alloc_pinned"> {
  let summary = "page-locked host memory, huge pages first";
  let description = [{
    Obtained through the runtime's call. One size per dynamic dimension; a
    negative one, or more than 2^48 bytes, is an error of the call. Where
    huge pages or locking are not to be had the memory is ordinary;
    `aikernel.mem.query` says what it is.

    ```mlir
    %m = aikernel.mem.alloc_pinned(%n) : memref<?x64xf32>
    %s = aikernel.mem.alloc_pinned : memref<4096xi8>
    ```
  }];
  let arguments = (ins Variadic<Index>:$dynamic_sizes);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$memory);
  let hasVerifier = 1;
  let assemblyFormat = [{
    (`(` $dynamic_sizes^ `)`)? attr-dict `:` type($memory)
  }];
}

def AIKernel_MemFreeOp : AIKernel_Op<"mem.free"> {
  let summary = "gives memory of `aikernel.mem.alloc_pinned` back";
  let description = [{
    In the block that allocated it, once, and behind everything that may look
    at the memory: views, tensors made from it, and commands that were
    submitted and not waited for without a timeout. What may be used afterwards
    is refused.

    ```mlir
    aikernel.mem.free %m : memref<?x64xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemFree]>:$memory);
  let assemblyFormat = "$memory attr-dict `:` type($memory)";
}

def AIKernel_MemQueryOp : AIKernel_Op<"mem.query", [MemoryEffects<[MemRead]>]> {
  let summary = "what kind of pages were obtained";
  let description = [{
    The page size in bytes behind `memory`, and whether it is locked.

    ```mlir
    %page, %locked = aikernel.mem.query %m : memref<?x64xf32> -> i64, i1
    ```
  }];
  let arguments = (ins AnyMemRef:$memory);
  let results = (outs I64:$page_size, I1:$locked);
  let assemblyFormat = [{
    $memory attr-dict `:` type($memory) `->` type($page_size) `,` type($locked)
  }];
}

#endif // AIKERNEL_MEMORYOPS_TD
