//===- ExpandReshapes.cpp - Reshapes with several unknown sizes -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: memref.expand_shape. Out: memref.reinterpret_cast with the sizes that the
// op was given, where more than one of a group are unknown:
//
//   memref.expand_shape %m [[0, 1]] output_shape [%a, %b]
//   ==>  %base, %at, %size, %stride = memref.extract_strided_metadata %m
//        memref.reinterpret_cast %base to offset: [%at], sizes: [%a, %b],
//          strides: [%b * %stride, %stride]
//
// expand-strided-metadata, which lowers the others, finds an unknown
// size by dividing and takes one in each group.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#define DEBUG_TYPE "aik-expand-reshapes"

namespace aikernel {
#define GEN_PASS_DEF_EXPANDRESHAPESPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

bool hasSeveralUnknowns(memref::ExpandShapeOp op) {
  return llvm::any_of(op.getReassociationIndices(), [&](auto &group) {
    return llvm::count_if(group, [&](int64_t dim) {
             return op.getResultType().isDynamicDim(dim);
           }) > 1;
  });
}

class Reshape {
public:
  explicit Reshape(memref::ExpandShapeOp op)
      : op(op), builder(op), loc(op.getLoc()) {}

  void expand() {
    auto source =
        memref::ExtractStridedMetadataOp::create(builder, loc, op.getSrc());
    auto [knownStrides, knownOffset] = op.getResultType().getStridesAndOffset();
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    SmallVector<OpFoldResult> strides(sizes.size());
    for (auto [group, stride] :
         llvm::zip_equal(op.getReassociationIndices(), source.getStrides())) {
      Value step = stride;
      for (int64_t dim : llvm::reverse(group)) {
        strides[dim] = asTheTypeSays(knownStrides[dim], step);
        Value size = getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]);
        step = arith::MulIOp::create(builder, loc, step, size);
        sizes[dim] = asTheTypeSays(op.getResultType().getDimSize(dim), size);
      }
    }
    Value made = memref::ReinterpretCastOp::create(
        builder, loc, op.getResultType(), source.getBaseBuffer(),
        asTheTypeSays(knownOffset, source.getOffset()), sizes, strides);
    op.replaceAllUsesWith(made);
    op.erase();
  }

private:
  OpFoldResult asTheTypeSays(int64_t known, Value value) {
    if (ShapedType::isDynamic(known))
      return value;
    return builder.getIndexAttr(known);
  }

  memref::ExpandShapeOp op;
  OpBuilder builder;
  Location loc;
};

struct ExpandReshapesPass
    : aikernel::impl::ExpandReshapesPassBase<ExpandReshapesPass> {
  using ExpandReshapesPassBase::ExpandReshapesPassBase;

  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> ops;
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      if (hasSeveralUnknowns(op))
        ops.push_back(op);
    });
    for (memref::ExpandShapeOp op : ops)
      Reshape(op).expand();
  }
};

} // namespace
