//===- LargeResults.cpp - Results that no cache keeps ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a tile of a buffer. Out: whether it should be stored past the caches, as
// far as the buffer and the target decide.
//
//===----------------------------------------------------------------------===//

#include "LargeResults.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

static constexpr int64_t kLeastBytes = 32 << 20;
static constexpr unsigned kWideVectorBits = 256;

bool aikernel::isTileOfLargeResult(memref::SubViewOp tile) {
  if (!keepsWrittenLines(tile) || getVectorBits(tile) < kWideVectorBits ||
      !tile.hasUnitStride() || !tile->getParentOfType<scf::ForallOp>())
    return false;
  auto result = dyn_cast<BlockArgument>(tile.getSource());
  MemRefType type = tile.getSourceType();
  auto function = tile->getParentOfType<func::FuncOp>();
  if (!result || !result.hasOneUse() || !type.hasStaticShape() ||
      !type.getLayout().isIdentity() ||
      result.getOwner() != &function.front() ||
      !function.getArgAttr(result.getArgNumber(), kResultAttrName) ||
      function.getArgAttr(result.getArgNumber(), kDonorAttrName))
    return false;
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  int64_t first = tile.getStaticOffsets().back();
  return type.getNumElements() * bytes >= kLeastBytes &&
         type.getShape().back() * bytes % kLineBytes == 0 &&
         !ShapedType::isDynamic(first) && first * bytes % kLineBytes == 0;
}

bool aikernel::storesPastCaches(Operation *op) {
  return op
      ->walk([](vector::StoreOp store) {
        return store.getNontemporal() ? WalkResult::interrupt()
                                      : WalkResult::advance();
      })
      .wasInterrupted();
}
