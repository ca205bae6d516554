//===- Plugin.cpp - The dialect and passes, for a stock mlir-opt ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: mlir-opt --load-dialect-plugin and --load-pass-plugin with this library.
// Out: an mlir-opt that knows the aikernel dialect and the aik-* passes.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Compiler.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

static constexpr char kName[] = "AIKernel";

extern "C" LLVM_ATTRIBUTE_WEAK LLVM_ABI mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, AIKERNEL_VERSION,
          [](mlir::DialectRegistry *registry) {
            aikernel::registerAIKernel(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK LLVM_ABI mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, AIKERNEL_VERSION,
          [] { aikernel::registerAIKernelPasses(); }};
}
