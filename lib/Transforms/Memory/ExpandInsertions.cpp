//===- ExpandInsertions.cpp - Insert in the shape of the computation ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: tensors that were computed with more dimensions than they are inserted
// with. Out: they are inserted as they were computed, into an expanded tensor:
//
//   %e = tensor.empty() : tensor<4x2x64xf32>
//   %x = op outs(%e)
//   %c = tensor.collapse_shape %x into tensor<4x128xf32>
//   %r = tensor.insert_slice %c into %d[%at, 0] [4, 128] [1, 1]
//   ==>  %g = tensor.expand_shape %d into tensor<32x2x64xf32>
//        %e = tensor.empty() : tensor<4x2x64xf32>
//        %x = op outs(%e)
//        %i = tensor.insert_slice %x into %g[%at, 0, 0] [4, 2, 64] [1, 1, 1]
//        %r = tensor.collapse_shape %i
//
// What the insertion needs stands before the empty tensor now, so that upstream
// elimination of empty tensors, which does not look through reshapes, lets the
// op write straight into the place: keys that were just turned go into their
// cache and nowhere else.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Passes.h"
#include "DestinationChain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "aik-expand-insertions"

namespace aikernel {
#define GEN_PASS_DEF_EXPANDINSERTIONSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Dimensions that were collapsed must be inserted whole.
bool insertsWhole(tensor::InsertSliceOp insert,
                  tensor::CollapseShapeOp collapse) {
  RankedTensorType type = insert.getDestType();
  if (insert.getSourceType().getRank() != type.getRank() ||
      !insert.hasUnitStride())
    return false;
  for (auto [dim, group] :
       llvm::enumerate(collapse.getReassociationIndices())) {
    if (group.size() == 1)
      continue;
    if (type.isDynamicDim(dim) || insert.isDynamicSize(dim) ||
        insert.getStaticSize(dim) != type.getDimSize(dim))
      return false;
    for (int64_t inner : group)
      if (collapse.getSrcType().isDynamicDim(inner))
        return false;
  }
  return true;
}

/// The empty tensor that the collapsed one starts from, moved to its first use.
tensor::EmptyOp findStart(tensor::InsertSliceOp insert,
                          tensor::CollapseShapeOp collapse) {
  auto empty = startOfDestinationChain(collapse.getSrc())
                   .getDefiningOp<tensor::EmptyOp>();
  if (!empty || empty->getBlock() != insert->getBlock())
    return {};
  Operation *first = insert;
  for (Operation *user : empty->getUsers()) {
    Operation *outer = insert->getBlock()->findAncestorOpInBlock(*user);
    if (outer && outer->isBeforeInBlock(first))
      first = outer;
  }
  empty->moveBefore(first);
  return empty;
}

void expand(RewriterBase &rewriter, tensor::InsertSliceOp insert,
            tensor::CollapseShapeOp collapse) {
  tensor::EmptyOp empty = findStart(insert, collapse);
  if (!empty)
    return;
  SmallVector<Value> needed{insert.getDest()};
  llvm::append_range(needed, insert.getOffsets());
  llvm::append_range(needed, insert.getSizes());
  if (failed(moveValueDefinitions(rewriter, needed, empty)))
    return;
  Location loc = insert.getLoc();
  rewriter.setInsertionPoint(empty);
  RankedTensorType from = collapse.getSrcType();
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> destSizes, offsets, sizes;
  for (auto [dim, group] : llvm::enumerate(collapse.getReassociationIndices()))
    for (int64_t inner : group) {
      bool isSame = group.size() == 1;
      shape.push_back(isSame ? insert.getDestType().getDimSize(dim)
                             : from.getDimSize(inner));
      OpFoldResult whole = rewriter.getIndexAttr(from.getDimSize(inner));
      destSizes.push_back(
          isSame ? tensor::getMixedSize(rewriter, loc, insert.getDest(), dim)
                 : whole);
      offsets.push_back(isSame ? insert.getMixedOffsets()[dim]
                               : OpFoldResult(rewriter.getIndexAttr(0)));
      sizes.push_back(isSame ? insert.getMixedSizes()[dim] : whole);
    }
  Value expanded = tensor::ExpandShapeOp::create(
      rewriter, loc, RankedTensorType::get(shape, from.getElementType()),
      insert.getDest(), collapse.getReassociationIndices(), destSizes);
  rewriter.setInsertionPoint(insert);
  SmallVector<OpFoldResult> strides(shape.size(), rewriter.getIndexAttr(1));
  Value inserted = tensor::InsertSliceOp::create(
      rewriter, loc, collapse.getSrc(), expanded, offsets, sizes, strides);
  rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
      insert, insert.getDestType(), inserted,
      collapse.getReassociationIndices());
}

struct ExpandInsertionsPass
    : aikernel::impl::ExpandInsertionsPassBase<ExpandInsertionsPass> {
  using ExpandInsertionsPassBase::ExpandInsertionsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<tensor::InsertSliceOp> inserts;
    getOperation().walk(
        [&](tensor::InsertSliceOp insert) { inserts.push_back(insert); });
    for (tensor::InsertSliceOp insert : inserts) {
      auto collapse =
          insert.getSource().getDefiningOp<tensor::CollapseShapeOp>();
      if (collapse && insertsWhole(insert, collapse))
        expand(rewriter, insert, collapse);
    }
  }
};

} // namespace
