//===- aik-reduce.cpp - Makes a failing program smaller -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program and a script that says whether it still fails. Out: a smaller
// program that fails.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Compiler.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  aikernel::registerAIKernel(registry);
  mlir::registerAllPasses();
  aikernel::registerAIKernelPasses();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
