//===- LowerAttention.cpp - Online attention to register tiles ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.online_attention on memrefs, with an instruction. Out: loops
// over batches and heads that call a function for one head, which serves
// operands of all lengths.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/AttentionPasses.h"
#include "AIKernel/Transforms/AttentionTiles.h"
#include "AIKernel/Transforms/LoopBuilder.h"
#include "AIKernel/Transforms/MatrixViews.h"
#include "AIKernel/Transforms/SharedFunctions.h"

#define DEBUG_TYPE "aik-lower-attention"

namespace aikernel {
#define GEN_PASS_DEF_LOWERATTENTIONPASS
#include "AIKernel/Transforms/AttentionPasses.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

class AttentionLowering {
public:
  explicit AttentionLowering(ModuleOp module)
      : b(module.getLoc(), module.getContext()), functions(module) {}

  void lower(OnlineAttentionOp attention) {
    op = attention;
    b.setInsertionPoint(op);
    b.setLoc(op.getLoc());
    Value batches = memref::DimOp::create(b, op.getQ(), 0);
    Value heads = memref::DimOp::create(b, op.getQ(), op.getHeadDim());
    b.loop(batches, 1, [&](Value batch) {
      b.loop(heads, 1, [&](Value head) { lowerHead(batch, head); });
    });
    op.erase();
  }

private:
  void lowerHead(Value batch, Value head) {
    Value keyHead = arith::DivUIOp::create(
        b, b.plus(op.getHeadOffset(), head), op.getGroup());
    SmallVector<Value> operands{rows(op.getQ(), batch, head),
                                rows(op.getK(), batch, keyHead),
                                rows(op.getV(), batch, keyHead),
                                view(op.getAcc(), {batch, head, zero(), zero()},
                                     {2, 3}),
                                view(op.getMax(), {batch, head, zero()}, {1, 2},
                                     /*isVector=*/true),
                                view(op.getSum(), {batch, head, zero()}, {1, 2},
                                     /*isVector=*/true),
                                op.getScale(),
                                op.getKeyOffset()};
    if (op.getMask())
      operands.push_back(maskOf(batch, head));
    for (Value bound : {op.getBegin(), op.getEnd()})
      if (bound)
        operands.push_back(
            view(bound, {batch, zero()}, {0, 1}, /*isVector=*/true));
    AttentionForm form = formOf();
    Attribute variant = b.getArrayAttr(
        {op.getInstructionAttr(),
         b.getI64ArrayAttr({form.depth, form.features, form.hasMask,
                            form.hasBegin, form.hasEnd}),
         form.softcap ? Attribute(b.getF64FloatAttr(*form.softcap))
                      : b.getUnitAttr()});
    functions.call(b, b.getLoc(), "aik$attention", operands, variant,
                   [&](func::FuncOp made) { emitAttention(made, form); });
  }

  AttentionForm formOf() {
    auto features = [](Value memref) {
      return cast<MemRefType>(memref.getType()).getDimSize(3);
    };
    std::optional<double> softcap;
    if (std::optional<APFloat> cap = op.getSoftcap())
      softcap = cap->convertToDouble();
    return {*findInstruction(*op.getInstruction()),
            features(op.getK()),
            features(op.getV()),
            softcap,
            op.getMask() != nullptr,
            op.getBegin() != nullptr,
            op.getEnd() != nullptr,
            fusesMultiplyAdd(op, /*otherwise=*/false)};
  }

  OpFoldResult zero() { return b.getIndexAttr(0); }

  /// The matrix along two dimensions, or the row along the second one.
  Value view(Value memref, ArrayRef<OpFoldResult> at,
             std::array<int64_t, 2> dims, bool isVector = false) {
    auto size = [&](int64_t dim) {
      return memref::getMixedSize(b, b.getLoc(), memref, dim);
    };
    return viewAsMatrix(b, b.getLoc(), memref, at, dims,
                        {isVector ? b.getIndexAttr(1) : size(dims[0]),
                         size(dims[1])});
  }

  /// [row, feature] of one head of q, k or v.
  Value rows(Value memref, Value batch, Value head) {
    SmallVector<OpFoldResult> at(4, zero());
    at[0] = batch, at[op.getHeadDim()] = head;
    return view(memref, at, {op.getSequenceDim(), 3});
  }

  /// [query, key] of one head. Along dimensions of size 1 it stands still.
  Value maskOf(Value batch, Value head) {
    auto type = cast<MemRefType>(op.getMask().getType());
    int64_t rank = type.getRank();
    auto metadata = memref::ExtractStridedMetadataOp::create(b, op.getMask());
    SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
    auto strideOf = [&](int64_t loop) -> OpFoldResult {
      int64_t dim = loop - (4 - rank);
      if (dim < 0 || type.getDimSize(dim) == 1)
        return zero();
      return strides[dim];
    };
    auto asValue = [&](OpFoldResult value) {
      return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
    };
    Value offset = asValue(metadata.getConstifiedMixedOffset());
    offset = b.plus(offset, b.times(batch, asValue(strideOf(0))));
    offset = b.plus(offset, b.times(head, asValue(strideOf(1))));
    bool isContiguous = isConstantIntValue(strideOf(3), 1);
    constexpr int64_t kOpen = ShapedType::kDynamic;
    auto layout = StridedLayoutAttr::get(
        b.getContext(), kOpen, {kOpen, isContiguous ? 1 : kOpen});
    SmallVector<OpFoldResult> sizes{
        asValue(memref::getMixedSize(b, b.getLoc(), op.getQ(),
                                     op.getSequenceDim())),
        asValue(memref::getMixedSize(b, b.getLoc(), op.getK(),
                                     op.getSequenceDim()))};
    SmallVector<OpFoldResult> viewStrides{
        asValue(strideOf(2)),
        isContiguous ? strideOf(3) : OpFoldResult(asValue(strideOf(3)))};
    return memref::ReinterpretCastOp::create(
        b, MemRefType::get({kOpen, kOpen}, type.getElementType(), layout),
        metadata.getBaseBuffer(), OpFoldResult(offset), sizes, viewStrides);
  }

  LoopBuilder b;
  SharedFunctions functions;
  OnlineAttentionOp op;
};

struct LowerAttention
    : aikernel::impl::LowerAttentionPassBase<LowerAttention> {
  void runOnOperation() override {
    SmallVector<OnlineAttentionOp> worklist;
    getOperation().walk([&](OnlineAttentionOp op) { worklist.push_back(op); });
    AttentionLowering lowering(getOperation());
    for (OnlineAttentionOp op : worklist) {
      if (!op.getInstruction() || !findInstruction(*op.getInstruction())) {
        op.emitError("names no instruction of the table");
        return signalPassFailure();
      }
      lowering.lower(op);
    }
  }
};

} // namespace
