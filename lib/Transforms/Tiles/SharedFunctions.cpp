//===- SharedFunctions.cpp - Kernels that several ops call ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the kind, operands and variant of a kernel. Out: a call, and the function
// at the end of the module if it is the first.
//
//===----------------------------------------------------------------------===//

#include "SharedFunctions.h"

using namespace mlir;
using namespace aikernel;

void SharedFunctions::call(OpBuilder &builder, Location loc, StringRef kind,
                           ValueRange operands, Attribute variant,
                           function_ref<void(func::FuncOp)> emit) {
  FunctionType type = builder.getFunctionType(operands.getTypes(), {});
  func::FuncOp &function =
      functions[{builder.getStringAttr(kind), type, variant}];
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    std::string name = (kind + Twine(functions.size() - 1)).str();
    function = func::FuncOp::create(builder, loc, name, type);
    function.setPrivate();
    function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
    emit(function);
  }
  func::CallOp::create(builder, loc, function, operands);
}
