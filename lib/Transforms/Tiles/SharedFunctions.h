//===- SharedFunctions.h - Kernels that several ops call ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private functions of a module, made when first called: a program with ten
// products of the same form compiles one.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILES_SHAREDFUNCTIONS_H
#define AIKERNEL_LIB_TRANSFORMS_TILES_SHAREDFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace aikernel {

class SharedFunctions {
public:
  explicit SharedFunctions(mlir::ModuleOp module) : module(module) {}

  /// Calls, where `builder` stands, the function of that kind for operands of
  /// these types. What else its body depends on is in `variant`. `emit` fills
  /// the body of one that is new.
  void call(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef kind,
            mlir::ValueRange operands, mlir::Attribute variant,
            llvm::function_ref<void(mlir::func::FuncOp)> emit);

private:
  mlir::ModuleOp module;
  llvm::DenseMap<
      std::tuple<mlir::StringAttr, mlir::FunctionType, mlir::Attribute>,
      mlir::func::FuncOp>
      functions;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILES_SHAREDFUNCTIONS_H
