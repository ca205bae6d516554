//===- SubmitOps.td - Command queues: record, submit, wait ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All spelled `aikernel.gpu.*`. Compute ops placed on a device lower to exactly
// these ops, so what a person can write is what the compiler itself uses.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_SUBMITOPS_TD
#define AIKERNEL_SUBMITOPS_TD

include "AIKernel/Dialect/AIKernel/AIKernelTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AIKernel_GpuQueueCreateOp
    : AIKernel_Op<"gpu.queue_create", [MemoryEffects<[MemWrite]>]> {
  let summary = "a user-mode command queue of a device";
  let description = [{
    `device` is `self`, the device that the function runs on, or `cpu`, `null`,
    `nvidia:<n>` or `amd:<n>`. In code for a GPU the memory is that GPU's, and
    so must the queue be: `self`, or its name.

    ```mlir
    %queue = aikernel.gpu.queue_create {device = "self"} -> !aikernel.queue
    ```
  }];
  let arguments = (ins StrAttr:$device);
  let hasVerifier = 1;
  let results = (outs AIKernel_QueueType:$queue);
  let assemblyFormat = "attr-dict `->` type($queue)";
}

def AIKernel_GpuCommandsOp
    : AIKernel_Op<"gpu.commands", [NoTerminator, RecursiveMemoryEffects,
                                   SingleBlock]> {
  let summary = "records commands into one buffer";
  let description = [{
    The region holds `aikernel.gpu.launch`, `.copy`, `.fill` and `.barrier`,
    and ops without side effects that compute what they need. Commands start in
    order; those after a barrier start when those before it are done. Nothing
    runs before the buffer is submitted.

    On an NVIDIA GPU a buffer is a CUDA graph, made when it is submitted first
    and launched again where a later run records the same; it is updated where
    only parameters differ. Its commands are done one after the other, as if
    there were a barrier between any two.

    ```mlir
    %commands = aikernel.gpu.commands {
      aikernel.gpu.fill %dst, %zero : memref<64xf32>, f32
      aikernel.gpu.barrier
      aikernel.gpu.launch @kernel(%src, %dst) : memref<64xf32>, memref<64xf32>
    } -> !aikernel.commands
    ```
  }];
  let hasRegionVerifier = 1;
  let regions = (region AnyRegion:$body);
  let results = (outs AIKernel_CommandsType:$commands);
  let assemblyFormat = "$body attr-dict `->` type($commands)";
}

class AIKernel_CommandOp<string mnemonic, list<Trait> traits = []>
    : AIKernel_Op<mnemonic, !listconcat([HasParent<"GpuCommandsOp">], traits)>;

def AIKernel_GpuLaunchOp
    : AIKernel_CommandOp<"gpu.launch", [
        DeclareOpInterfaceMethods<SymbolUserOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "runs a kernel function on memrefs";
  let description = [{
    The callee is a function on memrefs and scalars without results.

    ```mlir
    aikernel.gpu.launch @kernel(%src, %dst) : memref<64xf32>, memref<64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $callee `(` $arguments `)` attr-dict (`:` type($arguments)^)?
  }];
}

def AIKernel_GpuCopyOp : AIKernel_CommandOp<"gpu.copy"> {
  let summary = "copies one memref to another";
  let description = [{
    Shapes and element types agree; the two do not overlap.

    ```mlir
    aikernel.gpu.copy %src, %dst : memref<64xf32>, memref<64xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
      Arg<AnyMemRef, "", [MemWrite]>:$destination);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $source `,` $destination attr-dict `:` type($source) `,` type($destination)
  }];
}

def AIKernel_GpuFillOp : AIKernel_CommandOp<"gpu.fill"> {
  let summary = "writes one value into every element";
  let description = [{
    ```mlir
    aikernel.gpu.fill %dst, %zero : memref<64xf32>, f32
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemWrite]>:$destination,
      AnyType:$value);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $destination `,` $value attr-dict `:` type($destination) `,` type($value)
  }];
}

def AIKernel_GpuBarrierOp
    : AIKernel_CommandOp<"gpu.barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "later commands wait for earlier ones";
  let description = [{
    ```mlir
    aikernel.gpu.barrier
    ```
  }];
  let hasCanonicalizeMethod = 1;
  let assemblyFormat = "attr-dict";
}

def AIKernel_GpuSubmitCommandsOp : AIKernel_Op<"gpu.submit_commands"> {
  let summary = "puts a command buffer on a queue's ring";
  let description = [{
    Rings the doorbell and returns at once; the fence is reached when the last
    command is done. A buffer may be submitted again.

    ```mlir
    %fence = aikernel.gpu.submit_commands %queue, %commands -> !aikernel.fence
    ```
  }];
  let arguments = (ins AIKernel_QueueType:$queue,
      AIKernel_CommandsType:$commands);
  let results = (outs AIKernel_FenceType:$fence);
  let assemblyFormat = [{
    $queue `,` $commands attr-dict `->` type($fence)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$queue,
                                 "::mlir::Value":$commands), [{
    build($_builder, $_state, FenceType::get($_builder.getContext()), queue,
          commands);
  }]>];
}

def AIKernel_GpuWaitOp : AIKernel_Op<"gpu.wait"> {
  let summary = "waits for a fence";
  let description = [{
    0, or a negative error number: that of the first command that failed, or
    -110 (AIK_ETIMEDOUT) when `timeout` nanoseconds have passed. Without
    `timeout` it waits as long as it takes. In a run on a GPU nobody else runs on
    that device meanwhile, and a graph of runs (`aik_graph_begin`) can be
    recorded of no function that waits, nor may it run on a stream that the
    caller captures.

    ```mlir
    %status = aikernel.gpu.wait %fence {timeout = 1000000000 : i64} -> i32
    ```
  }];
  let arguments = (ins AIKernel_FenceType:$fence,
      OptionalAttr<I64Attr>:$timeout);
  let results = (outs I32:$status);
  let hasVerifier = 1;
  let assemblyFormat = "$fence attr-dict `->` type($status)";
}

#endif // AIKERNEL_SUBMITOPS_TD
