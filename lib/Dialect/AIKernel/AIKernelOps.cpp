//===- AIKernelOps.cpp - The generated definitions of all ops -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the generated definitions. Out: the op classes, compiled once for all
// families, with the small parsers that their assembly formats name.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace aikernel;

/// An integer attribute without its type, as in `22`.
static ParseResult parsePlainInt(OpAsmParser &parser, IntegerAttr &code) {
  int32_t value;
  if (parser.parseInteger(value))
    return failure();
  code = parser.getBuilder().getI32IntegerAttr(value);
  return success();
}

static void printPlainInt(OpAsmPrinter &printer, Operation *,
                          IntegerAttr code) {
  printer << code.getInt();
}

#define GET_OP_CLASSES
#include "AIKernel/Dialect/AIKernel/AIKernelOps.cpp.inc"
