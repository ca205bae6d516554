//===- TargetAttrs.td - What is compiled for, and how ------*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// #aikernel.target sits on each nested module from the phase `scheduled` on;
// passes ask it instead of taking options. #aikernel.schedule sits on the root
// op of a kernel: SelectSchedule writes it, the passes after it only read it,
// so a person can edit it in between.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_TARGETATTRS
#define AIKERNEL_DIALECT_AIKERNEL_TARGETATTRS

include "AIKernel/Dialect/AIKernel/AIKernelDialect.td"
include "mlir/IR/AttrTypeBase.td"

def AIKernel_TargetAttr : AttrDef<AIKernel_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "One instruction set that code is generated for";
  let description = [{
    The name as a user may write it (`cpu:x86-64-v3`), the architecture and the
    LLVM features, and the width of a vector register. Which instructions
    multiply matrices is in a table of its own (MatrixInstructions.cpp), by
    features. `vscale` is the exact length of SVE vectors in units of 128 bits;
    without it code must do with any length.

    ```mlir
    #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma",
                     vector_bits = 256>
    ```
  }];
  let parameters = (ins StringRefParameter<"the name">:$name,
      StringRefParameter<"x86_64 or aarch64">:$arch,
      StringRefParameter<"LLVM features">:$features,
      "unsigned":$vector_bits,
      DefaultValuedParameter<"unsigned", "0">:$vscale);
  let assemblyFormat = [{
    `<` $name `,` struct($arch, $features, $vector_bits, $vscale) `>`
  }];
}

def AIKernel_ScheduleAttr : AttrDef<AIKernel_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "How a kernel is tiled";
  let description = [{
    `tiles` holds one tile size per loop of the kernel's root op, 0 where the
    loop is not tiled; those loops run in parallel. `inner` tiles the reduction
    of an op that carries its state through it: attention's keys, within a tile,
    or the sum of a packed product, of which all tiles then take a block before
    any takes the next.

    ```mlir
    #aikernel.schedule<tiles = [64, 128], inner = 0>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$tiles,
      DefaultValuedParameter<"int64_t", "0">:$inner);
  let assemblyFormat = "`<` `tiles` `=` `[` $tiles `]` (`,` `inner` `=` $inner^)? `>`";
}

#endif // AIKERNEL_DIALECT_AIKERNEL_TARGETATTRS
