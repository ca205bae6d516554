//===- WarpMatrices.cpp - Matrix instructions of single warps -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: words of lanes. Out: nvvm.mma.sync, and the memory that warps share.
//
//===----------------------------------------------------------------------===//

#include "WarpMatrices.h"
#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace aikernel;

static constexpr StringLiteral kSharedName = "aik_shared";

LoopBuilder::Values aikernel::multiplyWarpMatrices(LoopBuilder &b, Type element,
                                                   ArrayRef<Value> left,
                                                   ArrayRef<Value> right,
                                                   ArrayRef<Value> sums) {
  bool isHalf = element.isF16();
  auto asOperands = [&](ArrayRef<Value> words) {
    LoopBuilder::Values operands(words);
    auto pair = VectorType::get({2}, element);
    for (Value &operand : operands)
      if (isHalf)
        operand = LLVM::BitcastOp::create(b, pair, operand);
    return operands;
  };
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(4, b.getF32Type()));
  NVVM::MMATypes kind = isHalf ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  Value made = NVVM::MmaOp::create(
      b, type, asOperands(left), asOperands(right), sums,
      ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt,
      std::array<NVVM::MMATypes, 2>{kind, kind},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  LoopBuilder::Values results;
  for (int64_t i = 0; i < 4; ++i)
    results.push_back(
        LLVM::ExtractValueOp::create(b, made, ArrayRef<int64_t>{i}));
  return results;
}

Value aikernel::getDynamicShared(ImplicitLocOpBuilder &b,
                                 gpu::GPUFuncOp kernel) {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  if (!module.lookupSymbol(kSharedName)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External,
                           kSharedName, Attribute(), tile::kTileAlignment,
                           /*addrSpace=*/3);
  }
  return LLVM::AddressOfOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 3), kSharedName);
}
