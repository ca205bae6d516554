//===- AIKernelInterfaces.td - What compute ops promise beyond MLIR's own -===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interfaces by which passes know an op without naming it: how to call its
// reference, what must be checked at run time, and what one execution costs.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_INTERFACES_TD
#define AIKERNEL_INTERFACES_TD

include "mlir/IR/OpBase.td"

def AIKernel_ShapeContractOpInterface
    : OpInterface<"ShapeContractOpInterface"> {
  let cppNamespace = "::aikernel";
  let description = [{
    An op that states which dimension of which operand and result is which of
    its sizes. Verification, run-time checks of sizes, shape reification and
    tiling follow from it (namespace `contract`).
  }];
  let methods = [
    InterfaceMethod<"The statement, from the operands that the op has now.",
      "::aikernel::ShapeContract", "getShapeContract", (ins)>,
    InterfaceMethod<[{
        Changes `tiled`, a copy of this op on a tile at `offsets` with `sizes`
        (one per parallel size), where cutting alone would change its meaning.
      }], "::llvm::LogicalResult", "adjustTile",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Operation *":$tiled,
           "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
           "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes), "", [{
        return ::mlir::success();
      }]>
  ];
}

def AIKernel_ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let cppNamespace = "::aikernel";
  let description = [{
    An op with a function in the reference library:
    `aik_ref_<mnemonic>(operands, results, params)`.
  }];
  let methods = [
    InterfaceMethod<"The numbers that the reference takes besides tensors.",
      "::llvm::SmallVector<double>", "getReferenceParams", (ins)>,
    InterfaceMethod<[{
        The tensors that the reference takes, in its order; a null value stands
        for an absent optional operand.
      }], "::llvm::SmallVector<::mlir::Value>", "getReferenceOperands", (ins)>,
    InterfaceMethod<"The name of the reference without its prefix `aik_ref_`.",
      "::llvm::StringRef", "getReferenceName", (ins), "", [{
        return $_op->getName().stripDialect();
      }]>
  ];
}

def AIKernel_RuntimeCheckOpInterface : OpInterface<"RuntimeCheckOpInterface"> {
  let cppNamespace = "::aikernel";
  let description = [{
    An op with requirements that only show at run time.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds, at the insertion point, an `i1` for each requirement (true: it
        holds) and hands it to `require` with the error number (AIK_E* of
        Entry.h) and the sentence to return when it does not hold.
      }], "void", "buildRuntimeChecks",
      (ins "::mlir::OpBuilder &":$builder,
           "::aikernel::RequireFn":$require)>
  ];
}

def AIKernel_CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::aikernel";
  let description = [{
    An op that knows its arithmetic: additions, multiplications, divisions and
    elementary functions each count as one operation.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the number of floating-point operations of one execution, an
        `index` value, from the sizes of the operands.
      }], "::mlir::Value", "buildFlops", (ins "::mlir::OpBuilder &":$builder)>
  ];
}

#endif // AIKERNEL_INTERFACES_TD
