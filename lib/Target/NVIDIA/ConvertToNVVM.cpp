//===- ConvertToNVVM.cpp - Kernels in NVIDIA's own dialect ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a gpu.module of blocks and branches on buffers, vectors and scalars.
// Out: the same in the NVVM and LLVM dialects.
//
//===----------------------------------------------------------------------===//

#include "../GPU/ConvertDevice.h"
#include "AIKernel-c/Entry.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

#define DEBUG_TYPE "aik-convert-to-nvvm"

namespace aikernel {
#define GEN_PASS_DEF_CONVERTTONVVMPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

/// The conversion of gpu.func drops these attributes of arguments.
void passMapsByValue(LLVM::LLVMFuncOp function) {
  auto arguments = function->getAttrOfType<DenseI32ArrayAttr>(
      aikernel::kMapArgumentsAttrName);
  if (!arguments)
    return;
  Builder builder(function.getContext());
  auto map = LLVM::LLVMArrayType::get(builder.getI8Type(), AIK_MAP_WORDS * 8);
  for (int32_t argument : arguments.asArrayRef()) {
    function.setArgAttr(argument, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(map));
    function.setArgAttr(argument, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(64));
    function.setArgAttr(argument, NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
  }
  function->removeAttr(aikernel::kMapArgumentsAttrName);
}

struct ConvertToNVVMPass
    : aikernel::impl::ConvertToNVVMPassBase<ConvertToNVVMPass> {
  using ConvertToNVVMPassBase::ConvertToNVVMPassBase;

  void runOnOperation() override {
    LLVMTypeConverter types(&getContext());
    configureGpuToNVVMTypeConverter(types);
    types.addConversion([](nvgpu::DeviceAsyncTokenType type) -> Type {
      return IntegerType::get(type.getContext(), 32);
    });
    auto add = [&](RewritePatternSet &patterns, ConversionTarget &target) {
      // They include calls of NVIDIA's library for what others have done by
      // then.
      populateGpuToNVVMConversionPatterns(types, patterns, /*benefit=*/0);
      populateNVGPUToNVVMConversionPatterns(types, patterns);
      target.addLegalDialect<NVVM::NVVMDialect>();
      target.addIllegalDialect<nvgpu::NVGPUDialect>();
    };
    if (failed(aikernel::convertDevice(getOperation(), types, add)))
      return signalPassFailure();
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      passMapsByValue(function);
      // A block is of that size, not of at most that size.
      if (function->hasAttr(NVVM::NVVMDialect::getReqntidAttrName()))
        function->removeAttr(NVVM::NVVMDialect::getMaxntidAttrName());
    }
  }
};

} // namespace
