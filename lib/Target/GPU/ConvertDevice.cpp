//===- ConvertDevice.cpp - Kernels to the LLVM dialect --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a gpu.module of blocks and branches on buffers, vectors and scalars.
// Out: the same in the LLVM dialect and the vendor's.
//
//===----------------------------------------------------------------------===//

#include "ConvertDevice.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace aikernel;

/// What no instruction does is a call into lib/Builtins.
static LogicalResult callBuiltins(gpu::GPUModuleOp device) {
  RewritePatternSet patterns(device.getContext());
  populateMathToLibmConversionPatterns(patterns);
  ConversionTarget target(*device.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalDialect<math::MathDialect>();
  target
      .addLegalOp<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
                  math::CountLeadingZerosOp, math::CountTrailingZerosOp,
                  math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundOp,
                  math::RoundEvenOp, math::RsqrtOp, math::SqrtOp, math::TruncOp,
                  math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>();
  return applyPartialConversion(device, target, std::move(patterns));
}

/// Instructions for the rest; first, since the vendors' patterns for the gpu
/// dialect would call libraries of theirs.
static LogicalResult convertMath(gpu::GPUModuleOp device,
                                 const LLVMTypeConverter &types) {
  RewritePatternSet patterns(device.getContext());
  populateMathToLLVMConversionPatterns(types, patterns,
                                       /*approximateLog1p=*/false);
  ConversionTarget target(*device.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalDialect<math::MathDialect>();
  return applyPartialConversion(device, target, std::move(patterns));
}

LogicalResult aikernel::convertDevice(
    gpu::GPUModuleOp device, LLVMTypeConverter &types,
    function_ref<void(RewritePatternSet &, ConversionTarget &)> add) {
  MLIRContext *context = device.getContext();
  RewritePatternSet rewrites(context);
  populateGpuRewritePatterns(rewrites);
  if (failed(applyPatternsGreedily(device, std::move(rewrites))) ||
      failed(callBuiltins(device)) || failed(convertMath(device, types)))
    return failure();
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget target(*context);
  target.addIllegalDialect<gpu::GPUDialect, arith::ArithDialect,
                           cf::ControlFlowDialect, func::FuncDialect,
                           math::MathDialect, memref::MemRefDialect,
                           ub::UBDialect, vector::VectorDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  add(patterns, target);
  return applyPartialConversion(device, target, std::move(patterns));
}
