//===- Cache.cpp - kv_append to tensor slices -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kv_append. Out: a loop over the batch that inserts the new rows into the
// cache, which bufferizes in place when the cache may be written.
//
//===----------------------------------------------------------------------===//

#include "Common.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

namespace {

struct LowerKvAppend : OpRewritePattern<KvAppendOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(KvAppendOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t sequence = op.getSequenceDim();
    Sizes newSizes = sizesOf(b, op.getNewRows());
    Sizes cacheSizes = sizesOf(b, op.getCache());
    auto asValue = [&](OpFoldResult size) {
      return getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
    };

    // A position out of range is refused before this code runs. The clamps
    // only keep every write inside the cache whatever happens.
    OpFoldResult rows = newSizes[sequence];
    Value capacity = asValue(cacheSizes[sequence]);
    if (!getConstantIntValue(rows) ||
        !getConstantIntValue(cacheSizes[sequence]))
      rows = arith::MinSIOp::create(b, asValue(rows), capacity).getResult();
    Value lastStart = arith::SubIOp::create(b, capacity, asValue(rows));
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);

    auto loop = scf::ForOp::create(
        b, zero, asValue(newSizes[0]), one, op.getCache(),
        [&](OpBuilder &nested, Location loc, Value batch, ValueRange carried) {
          ImplicitLocOpBuilder b(loc, nested);
          Value position = tensor::ExtractOp::create(b, op.getPos(), batch);
          Value start =
              arith::IndexCastOp::create(b, b.getIndexType(), position);
          start = arith::MinSIOp::create(b, start, lastStart);
          start = arith::MaxSIOp::create(b, start, zero);

          OpFoldResult unit = b.getIndexAttr(1), origin = b.getIndexAttr(0);
          Sizes strides(4, unit), offsets(4, origin), sizes = newSizes;
          offsets[0] = batch;
          sizes[0] = unit;
          sizes[sequence] = rows;
          Value slice = tensor::ExtractSliceOp::create(b, op.getNewRows(),
                                                       offsets, sizes, strides);
          offsets[sequence] = start;
          Value cache = tensor::InsertSliceOp::create(b, slice, carried[0],
                                                      offsets, sizes, strides);
          scf::YieldOp::create(b, cache);
        });
    rewriter.replaceOp(op,
                       castTo(b, loop.getResult(0), op.getResult().getType()));
    return success();
  }
};

} // namespace

void aikernel::populateCacheToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerKvAppend>(patterns.getContext());
}
