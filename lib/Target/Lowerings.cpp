//===- Lowerings.cpp - Pieces of the pipelines of all back ends -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a pass manager. Out: the same with the passes of one step added.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "AIKernel/Conversion/SubmitToRuntime/Passes.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace aikernel;

void aikernel::populateBufferization(OpPassManager &pm) {
  pm.addPass(createInlineCallsPass());
  // Sizes in terms of arguments, not of intermediates: PlanMemory needs them
  // before anything is computed.
  pm.addNestedPass<func::FuncOp>(createSCFForLoopCanonicalizationPass());
  pm.addPass(createResolveSizesPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createPrepareWeightsPass());
  pm.addPass(createSeparateDestinationsPass());
  pm.addPass(createExpandInsertionsPass());
  pm.addPass(createAddDestinationsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  pm.addPass(createCarryInPlacePass());
  pm.addPass(bufferization::createOneShotBufferizePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void aikernel::populateControlFlow(OpPassManager &pm) {
  // @reference has no target and runs anywhere.
  ExpandMathPassOptions anywhere;
  anywhere.hasFma = false;
  pm.addPass(createSubmitToRuntimePass());
  pm.addPass(createOutlineParallelPass());
  pm.addPass(createLowerEntriesPass());
  // Functions do not see each other from here on: several at once.
  OpPassManager &each = pm.nestAny();
  math::MathExpandOpsPassOptions rare;
  rare.opMnemonics = {"clampf", "fpowi"};
  each.addPass(math::createMathExpandOpsPass(rare));
  each.addPass(createExpandMathPass(anywhere));
  each.addPass(createLoadAddendsPass());
  // Arithmetic of narrow types is done in f32 and rounded once, the same way on
  // every target: LLVM 22 was seen to round a tie down on AArch64 without bf16.
  arith::ArithEmulateUnsupportedFloatsOptions narrow;
  narrow.sourceTypeStrs = {"bf16", "f8E4M3FN", "f8E5M2"};
  narrow.targetTypeStr = "f32";
  each.addPass(arith::createArithEmulateUnsupportedFloats(narrow));
  each.addPass(createExpandFloatConversionsPass());
  each.addPass(createExpandReshapesPass());
  each.addPass(memref::createExpandStridedMetadataPass());
  each.addPass(createLowerAffinePass());
  each.addPass(createGuardDivisionsPass());
  each.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerChecksPass());
}

void aikernel::populateHostLLVM(OpPassManager &pm) {
  OpPassManager &each = pm.nestAny();
  each.addPass(createConvertVectorToLLVMPass());
  // What has no LLVM intrinsic becomes a call into lib/Builtins.
  each.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertToLLVMPass());
  OpPassManager &eachConverted = pm.nestAny();
  eachConverted.addPass(createReconcileUnrealizedCastsPass());
  eachConverted.addPass(createCanonicalizerPass());
  eachConverted.addPass(createCSEPass());
}

void aikernel::populateHostLowering(OpPassManager &pm) {
  populateControlFlow(pm);
  populateHostLLVM(pm);
}
