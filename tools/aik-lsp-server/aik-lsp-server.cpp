//===- aik-lsp-server.cpp - Editors understand aikernel programs ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the language server protocol on standard input. Out: diagnostics, hovers
// and definitions for the dialects of this project.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Compiler.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  aikernel::registerAIKernel(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
