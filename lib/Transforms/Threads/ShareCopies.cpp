//===- ShareCopies.cpp - Threads share large copies -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: bufferized functions with memref.copy outside of parallel loops: an
// argument that is a result, a cache that was not donated, pieces of a
// concatenation. Out: the large ones as scf.forall over tiles.
//
//   memref.copy %x, %y : memref<8192x4096xf32>
//   ==>  scf.forall (%i) = (0) to (8192) step (4) {
//          memref.copy (memref.subview %x), (memref.subview %y)
//        }
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#define DEBUG_TYPE "aik-share-copies"

namespace aikernel {
#define GEN_PASS_DEF_SHARECOPIESPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Elements of a tile, as for other work that waits for memory.
constexpr int64_t kTileElements = 16384;
/// Fewer are over before other threads have begun.
constexpr int64_t kFewestElements = 8 * kTileElements;
/// What an unknown size is taken to be.
constexpr int64_t kUnknownExtent = 1024;

/// Within one buffer what is read may be written before.
bool mayBeShared(memref::CopyOp copy) {
  Value source = rootOf(copy.getSource()), target = rootOf(copy.getTarget());
  return isa<MemRefType>(copy.getSource().getType()) &&
         !copy->getParentOfType<scf::ForallOp>() && source != target &&
         !isChosen(source) && !isChosen(target);
}

/// Sizes of the tile, filled from the last dimension on; none if there is too
/// little to share.
SmallVector<int64_t> chooseTile(MemRefType type) {
  int64_t elements = 1, budget = kTileElements;
  SmallVector<int64_t> tile(type.getRank(), 1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    int64_t extent =
        type.isDynamicDim(dim) ? kUnknownExtent : type.getDimSize(dim);
    tile[dim] = std::clamp<int64_t>(extent, 1, budget);
    budget /= tile[dim];
    elements =
        std::min(elements * std::min(extent, kFewestElements), kFewestElements);
  }
  return elements < kFewestElements ? SmallVector<int64_t>() : tile;
}

void share(memref::CopyOp copy, ArrayRef<int64_t> tile) {
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  SmallVector<OpFoldResult> sizes =
      memref::getMixedSizes(b, loc, copy.getSource());
  SmallVector<OpFoldResult> unit(tile.size(), b.getIndexAttr(1));
  // Whole rows begin where the buffer does, as anybody can see.
  SmallVector<OpFoldResult> begin, end, steps;
  for (auto [size, all] : llvm::zip(tile, sizes))
    if (getConstantIntValue(all) != size) {
      begin.push_back(b.getIndexAttr(0));
      end.push_back(all);
      steps.push_back(b.getIndexAttr(size));
    }
  auto loop = scf::ForallOp::create(b, loc, begin, end, steps, ValueRange(),
                                    std::nullopt);
  b.setInsertionPointToStart(loop.getBody());
  AffineExpr stop = b.getAffineSymbolExpr(0), start = b.getAffineDimExpr(0);
  SmallVector<OpFoldResult> at, here;
  ArrayRef<Value> ivs(loop.getInductionVars());
  for (auto [size, all] : llvm::zip(tile, sizes)) {
    std::optional<int64_t> known = getConstantIntValue(all);
    if (known == size) {
      at.push_back(b.getIndexAttr(0));
      here.push_back(all);
      continue;
    }
    Value iv = ivs.front();
    ivs = ivs.drop_front();
    at.push_back(iv);
    AffineMap smaller = AffineMap::get(
        1, 1, {b.getAffineConstantExpr(size), stop - start}, b.getContext());
    bool isEven = known && *known % size == 0;
    here.push_back(isEven ? OpFoldResult(b.getIndexAttr(size))
                          : affine::makeComposedFoldedAffineMin(b, loc, smaller,
                                                                {iv, all}));
  }
  auto part = [&](Value buffer) -> Value {
    return memref::SubViewOp::create(b, loc, buffer, at, here, unit);
  };
  memref::CopyOp::create(b, loc, part(copy.getSource()),
                         part(copy.getTarget()));
  copy.erase();
}

struct ShareCopiesPass : aikernel::impl::ShareCopiesPassBase<ShareCopiesPass> {
  using ShareCopiesPassBase::ShareCopiesPassBase;

  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) {
      if (mayBeShared(copy))
        copies.push_back(copy);
    });
    for (memref::CopyOp copy : copies)
      if (SmallVector<int64_t> tile =
              chooseTile(cast<MemRefType>(copy.getSource().getType()));
          !tile.empty())
        share(copy, tile);
  }
};

} // namespace
