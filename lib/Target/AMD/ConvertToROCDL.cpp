//===- ConvertToROCDL.cpp - Kernels in AMD's own dialect ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a gpu.module of blocks and branches on buffers, vectors and scalars.
// Out: the same in the ROCDL and LLVM dialects.
//
//===----------------------------------------------------------------------===//

#include "../GPU/ConvertDevice.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/AMD/Passes.h"
#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "llvm/Support/FormatVariadic.h"

#define DEBUG_TYPE "aik-convert-to-rocdl"

namespace aikernel {
#define GEN_PASS_DEF_CONVERTTOROCDLPASS
#include "AIKernel/Target/AMD/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

/// Where this hardware keeps what is a thread's own.
constexpr unsigned kPrivateSpace = 5;

struct ConvertToROCDLPass
    : aikernel::impl::ConvertToROCDLPassBase<ConvertToROCDLPass> {
  using ConvertToROCDLPassBase::ConvertToROCDLPassBase;

  void runOnOperation() override {
    StringRef chip = aikernel::getTarget(getOperation()).getName();
    chip.consume_front("amd:");
    FailureOr<amdgpu::Chipset> chipset = amdgpu::Chipset::parse(chip);
    if (failed(chipset)) {
      getOperation().emitError("is for '") << chip << "', no known processor";
      return signalPassFailure();
    }
    LLVMTypeConverter types(&getContext());
    amdgpu::populateCommonGPUTypeAndAttributeConversions(types);
    auto add = [&](RewritePatternSet &patterns, ConversionTarget &target) {
      populateGpuToROCDLConversionPatterns(types, patterns,
                                           gpu::amd::Runtime::HIP, *chipset);
      target.addLegalDialect<ROCDL::ROCDLDialect>();
    };
    if (failed(aikernel::convertDevice(getOperation(), types, add)))
      return signalPassFailure();
    moveStack();
    sayHowManyThreads();
  }

private:
  /// A kernel that does not say may be launched with 256 threads at most, and
  /// gets registers for so many.
  void sayHowManyThreads() {
    getOperation().walk([](LLVM::LLVMFuncOp kernel) {
      auto size = kernel->getAttrOfType<DenseI32ArrayAttr>(
          ROCDL::ROCDLDialect::ReqdWorkGroupSizeAttrHelper::getNameStr());
      if (!size)
        return;
      int64_t threads = 1;
      for (int32_t extent : size.asArrayRef())
        threads *= extent;
      kernel->setAttr(
          ROCDL::ROCDLDialect::FlatWorkGroupSizeAttrHelper::getNameStr(),
          StringAttr::get(kernel.getContext(),
                          llvm::formatv("{0},{0}", threads)));
    });
  }

  /// Stack memory has an address space of its own here.
  void moveStack() {
    SmallVector<LLVM::AllocaOp> stack;
    getOperation().walk([&](LLVM::AllocaOp op) { stack.push_back(op); });
    auto type = LLVM::LLVMPointerType::get(&getContext(), kPrivateSpace);
    for (LLVM::AllocaOp op : stack) {
      OpBuilder builder(op);
      Value moved = LLVM::AllocaOp::create(builder, op.getLoc(), type,
                                           op.getElemType(), op.getArraySize(),
                                           op.getAlignment().value_or(0));
      Value plain = LLVM::AddrSpaceCastOp::create(builder, op.getLoc(),
                                                  op.getType(), moved);
      op.replaceAllUsesWith(plain);
      op.erase();
    }
  }
};

} // namespace
