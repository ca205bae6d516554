//===- TileAttention.cpp - Verification of ops for attention --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op of a program for attention. Out: whether it, and those that it
// uses, are valid.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/Tile/TileOps.h"

using namespace mlir;
using namespace aikernel::tile;

//===----------------------------------------------------------------------===//
// Claimed tiles
//===----------------------------------------------------------------------===//

PostOp ClaimTilesOp::getPost() { return *getBody().getOps<PostOp>().begin(); }

LogicalResult ClaimTilesOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || (*this)->getParentOp() != role || !role.fills())
    return emitOpError("belongs into a role that fills rings, of which one "
                       "thread claims, and into no loop");
  if (!getCounter().getType().getElementType().isInteger(32))
    return emitOpError("claims through a counter of i32");
  unsigned posts = llvm::range_size(getBody().getOps<PostOp>());
  if (posts != 1)
    return emitOpError() << "posts each tile once but does so " << posts
                         << " times: the other role would wait for ever";
  if (getPost().getMailbox() != getMailbox())
    return emitOpError("posts its tiles into another mailbox");
  return success();
}

LogicalResult ClaimTilesOp::verifyRegions() {
  return checkTileLoop(*this, getBody().front(), 1, getInits().getTypes());
}

LogicalResult PostOp::verify() {
  int64_t words = getMailbox().getType().getWords();
  if (int64_t(getWords().size()) != words)
    return emitOpError() << "posts " << getWords().size()
                         << " words, slots have " << words;
  return success();
}

LogicalResult PostedTilesOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || (*this)->getParentOp() != role || role.fills())
    return emitOpError("belongs into a role that fills no rings");
  return success();
}

LogicalResult PostedTilesOp::verifyRegions() {
  return checkTileLoop(*this, getBody().front(),
                       getMailbox().getType().getWords(),
                       getInits().getTypes());
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

LogicalResult ClearOp::verify() {
  ArrayRef<SharedType> tiles = getStage().getType().getTiles();
  if (getTile() >= tiles.size())
    return emitOpError() << "there is no tile " << getTile();
  if (!tiles[getTile()].getRowMajor())
    return emitOpError("is of a row-major tile");
  return success();
}

/// Of f32, and nobody writes it any more.
static LogicalResult checkScores(Operation *op, FragType type) {
  if (type.getPending())
    return op->emitOpError("reads a fragment that is still pending");
  if (!type.getElementType().isF32())
    return op->emitOpError("is of a fragment of f32");
  return success();
}

LogicalResult CapOp::verify() {
  if (getCap().isZero())
    return emitOpError("caps scores at a number that is not 0");
  return checkScores(*this, getScores().getType());
}

LogicalResult AddMaskOp::verify() {
  Type element = cast<MemRefType>(getMask().getType()).getElementType();
  if (!element.isF32() && !element.isBF16() && !element.isF16())
    return emitOpError("adds a mask of f32, bf16 or f16");
  return checkScores(*this, getScores().getType());
}

LogicalResult MaskOp::verify() {
  if (getWindow() && !getDiagonal())
    return emitOpError("has a window, which needs a diagonal");
  return checkScores(*this, getScores().getType());
}

LogicalResult SoftmaxOp::verify() {
  if (getScale().isNegative() || getScale().isZero())
    return emitOpError("scales scores by a positive number");
  return checkScores(*this, getScores().getType());
}

LogicalResult ScaleRowsOp::verify() {
  return checkScores(*this, getFrag().getType());
}

static LogicalResult checkRounding(Operation *op, FragType from, FragType to) {
  if (failed(checkScores(op, from)))
    return failure();
  if (to.getPending() || to.getElementType().isF32() ||
      from.getRows() != to.getRows() || from.getColumns() != to.getColumns())
    return op->emitOpError("gives the same fragment in a narrow type");
  return success();
}

LogicalResult RoundOp::verify() {
  return checkRounding(*this, getFrag().getType(), getResult().getType());
}

LogicalResult DivideRowsOp::verify() {
  return checkRounding(*this, getFrag().getType(), getResult().getType());
}
