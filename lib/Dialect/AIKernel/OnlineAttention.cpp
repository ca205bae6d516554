//===- OnlineAttention.cpp - Verification of online_attention -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks, types, effects and the shapes of results. Sizes that only show at run
// time were checked on the op that this one was made from.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace aikernel;

static LogicalResult verifyRank(OnlineAttentionOp op, Value tensor,
                                StringRef name, int64_t lowest,
                                int64_t highest) {
  if (!tensor)
    return success();
  int64_t rank = cast<ShapedType>(tensor.getType()).getRank();
  if (rank >= lowest && rank <= highest)
    return success();
  return op.emitOpError() << "operand '" << name << "' has rank " << rank
                          << ", expected " << highest;
}

LogicalResult OnlineAttentionOp::verify() {
  bool isOnMemory =
      !getOutputs().empty() && isa<MemRefType>(getOutputs()[0].getType());
  if (getOutputs().size() != 3 || getResults().size() != (isOnMemory ? 0 : 3))
    return emitOpError() << "needs three outputs and three results: acc, max "
                            "and sum";
  if (failed(verifyRank(*this, getQ(), "q", 4, 4)) ||
      failed(verifyRank(*this, getK(), "k", 4, 4)) ||
      failed(verifyRank(*this, getV(), "v", 4, 4)) ||
      failed(verifyRank(*this, getMask(), "mask", 0, 4)) ||
      failed(verifyRank(*this, getBegin(), "begin", 2, 2)) ||
      failed(verifyRank(*this, getEnd(), "end", 2, 2)) ||
      failed(verifyRank(*this, getKvLen(), "kv_len", 1, 1)) ||
      failed(verifyRank(*this, getAcc(), "acc", 4, 4)) ||
      failed(verifyRank(*this, getMax(), "max", 3, 3)) ||
      failed(verifyRank(*this, getSum(), "sum", 3, 3)))
    return failure();
  for (Value output : getOutputs())
    if (getElementTypeOrSelf(output.getType()) != getScale().getType())
      return emitOpError() << "output type " << output.getType()
                           << " does not have the type of 'scale', "
                           << getScale().getType();
  return success();
}

/// Rows of a key head up to which its keys are read rather than packed, and
/// what the number of features must be a multiple of: every target's vectors.
static constexpr int64_t kFewRows = 16;
static constexpr int64_t kFeatureMultiple = 16;

/// Rows of a key head up to which its keys are packed for all of them together.
static constexpr int64_t kMostSharedRows = 256;
/// With more queries to a head, or fewer keys for each query, packing is not
/// enough of the work to be worth combining parts.
static constexpr int64_t kMostSharedQueries = 32;
static constexpr int64_t kFewestKeysOfQuery = 4;

/// Elements of the queries, and of their sums, that are handled together; and
/// numbers of queries that are whole strips of register tiles.
static constexpr int64_t kElementsAtOnce = 49152;
static constexpr int64_t kQueryCounts[] = {384, 192, 96};

int64_t OnlineAttentionOp::getQueriesAtOnce() {
  int64_t features = 1;
  for (Value tensor : {getK(), getV()})
    features =
        std::max(features, cast<ShapedType>(tensor.getType()).getDimSize(3));
  for (int64_t queries : kQueryCounts)
    if (queries * features <= kElementsAtOnce)
      return queries;
  return kQueryCounts[std::size(kQueryCounts) - 1];
}

int64_t OnlineAttentionOp::getConstantGroup() {
  APInt group;
  return matchPattern(getGroup(), m_ConstantInt(&group)) ? group.getSExtValue()
                                                         : 0;
}

/// Rows of a key head, of all its query heads, where they are known and can be
/// split along the keys; else 0.
static int64_t rowsToSplit(OnlineAttentionOp op) {
  auto sizeOf = [](Value tensor, int64_t dim) {
    return cast<ShapedType>(tensor.getType()).getDimSize(dim);
  };
  int64_t queries = sizeOf(op.getQ(), op.getSequenceDim());
  int64_t group = op.getConstantGroup();
  // Of larger ones the product might not be a number of 64 bits.
  bool isSmall = !ShapedType::isDynamic(queries) &&
                 queries <= kMostSharedRows && group <= kMostSharedRows;
  bool hasWholeVectors =
      llvm::all_of(ValueRange{op.getK(), op.getV()}, [&](Value tensor) {
        int64_t features = sizeOf(tensor, 3);
        return !ShapedType::isDynamic(features) &&
               features % kFeatureMultiple == 0;
      });
  return op.getInstruction() && isSmall && hasWholeVectors ? queries * group
                                                           : 0;
}

bool OnlineAttentionOp::hasFewRows() {
  int64_t rows = rowsToSplit(*this);
  return rows > 0 && rows <= kFewRows;
}

bool OnlineAttentionOp::sharesPackedKeys() {
  int64_t rows = rowsToSplit(*this), group = getConstantGroup();
  // The rows of a mask need not follow each other from head to head.
  if (rows <= kFewRows || group == 1 || getMask() ||
      rows > std::min(kMostSharedRows, getQueriesAtOnce()))
    return false;
  int64_t queries = rows / group;
  int64_t keys =
      cast<ShapedType>(getK().getType()).getDimSize(getSequenceDim());
  return queries <= kMostSharedQueries &&
         (ShapedType::isDynamic(keys) || keys >= kFewestKeysOfQuery * queries);
}

void OnlineAttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

LogicalResult
OnlineAttentionOp::reifyResultShapes(OpBuilder &builder,
                                     ReifiedRankedShapedTypeDims &shapes) {
  for (Value output : getOutputs())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), output));
  return success();
}

//===----------------------------------------------------------------------===//
// attention_part
//===----------------------------------------------------------------------===//

LogicalResult AttentionPartOp::verify() {
  if (getParts().size() < 3 || getParts().size() > 4 ||
      getOutputs().size() != 3)
    return emitOpError() << "needs three parts and three outputs: acc, max and "
                            "sum";
  if (getParts().size() == 4) {
    auto counters = cast<MemRefType>(getParts()[3].getType());
    if (counters.getRank() != 1 || !counters.getElementType().isInteger(64))
      return emitOpError() << "counts arrived blocks in a vector of i64, not "
                           << counters;
  }
  auto rankOf = [](Value memref) {
    return cast<MemRefType>(memref.getType()).getRank();
  };
  SmallVector<Value> tensors{getQ(), getK(), getV(), getParts()[0], getAcc()};
  for (Value tensor : tensors)
    if (rankOf(tensor) != 4)
      return emitOpError() << "q, k, v and accumulators have rank 4, not "
                           << rankOf(tensor);
  for (Value rows : {getParts()[1], getParts()[2], getMax(), getSum()})
    if (rankOf(rows) != 3)
      return emitOpError() << "maximums and sums have rank 3, not "
                           << rankOf(rows);
  if (ShapedType::isDynamic(getHeads()) ||
      ShapedType::isDynamic(getQueries()) ||
      ShapedType::isDynamic(getDepth()) || ShapedType::isDynamic(getFeatures()))
    return emitOpError() << "needs constant numbers of heads, queries and "
                            "features";
  return success();
}

void AttentionPartOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (llvm::is_contained(getParts(), operand.get()) ||
        llvm::is_contained(getOutputs(), operand.get()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}
