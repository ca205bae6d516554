//===- aik-opt.cpp - Runs single passes and pipelines on MLIR text --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: MLIR in any of the dialects that a compilation passes through, and pass
// flags. Out: the IR after those passes. A plain MlirOptMain.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Compiler.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  aikernel::registerAIKernel(registry);
  aikernel::registerAIKernelPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "AIKernel pass driver\n", registry));
}
