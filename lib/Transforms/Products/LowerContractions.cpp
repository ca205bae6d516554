//===- LowerContractions.cpp - Products inside a tile to packed ones ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: linalg contractions on memrefs (C += A B in any layout) that were not
// packed for the whole product: those inside the tile of another op, and small
// ones. Out: calls of a function that packs blocks of both operands on the
// stack and multiplies them:
//
//   for kk in K, jj in N
//     aikernel.pack_panels B[kk.., jj..]
//     for ii in M
//       aikernel.pack_panels A[ii.., kk..]
//       C[ii.., jj..] += aikernel.packed_product
//
// Upstream's vector.contract path spills or shuffles here (docs/Rationale.md).
//
// A matrix and one vector of floats are read once, so that packing is all
// there would be to wait for: they become a linalg.generic without the loop of
// one row or column, which aik-vectorize takes along the matrix's rows.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Kernels/Contractions.h"
#include "AIKernel/Transforms/Passes.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "Tiles/MatrixInstructions.h"
#include "Tiles/MatrixViews.h"
#include "Tiles/SharedFunctions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#define DEBUG_TYPE "aik-lower-contractions"

namespace aikernel {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// A block of the sum, in bytes of one row: both panels stay in L1. Blocks of
/// rows and columns: what is packed stays in L2 and on a worker's stack.
constexpr int64_t kBlockDepthBytes = 1024;
constexpr int64_t kBlockRows = 64;
constexpr int64_t kBlockColumns = 128;

/// Emits the function that computes C[m, n] += A[m, k] B[k, n] on
/// two-dimensional views.
class BlockedProduct {
public:
  BlockedProduct(func::FuncOp function, const MatrixInstruction &instruction)
      : b(function), op(instruction), left(function.getArgument(0)),
        right(function.getArgument(1)), result(function.getArgument(2)) {}

  void emit() {
    Type element = elementType(op.operand, b.getContext());
    int64_t steps =
        kBlockDepthBytes * 8 / element.getIntOrFloatBitWidth() / op.depth;
    int64_t rowPanels = kBlockRows / op.rows + 1;
    int64_t columnPanels = kBlockColumns / op.columns() + 1;
    int64_t blockDepth = steps * op.depth;
    int64_t blockRows = rowPanels * op.rows;
    int64_t blockColumns = columnPanels * op.columns();
    // One step of the tile may be several of the right operand.
    int64_t multiple = op.depth / op.rightDepth();
    Value packedLeft =
        stackBuffer(element, {1, rowPanels, steps, op.rows, op.depth});
    Value packedRight = stackBuffer(element, {1, columnPanels, steps * multiple,
                                              op.columns(), op.rightDepth()});
    Value sizeM = memref::DimOp::create(b, left, 0);
    Value sizeK = memref::DimOp::create(b, left, 1);
    Value sizeN = memref::DimOp::create(b, right, 1);
    blocks(sizeK, blockDepth, [&](Value k, Value depth) {
      blocks(sizeN, blockColumns, [&](Value n, Value width) {
        pack(view(right, k, n, depth, width), packedRight, /*panelDim=*/1,
             multiple, /*flipSign=*/false);
        blocks(sizeM, blockRows, [&](Value m, Value height) {
          pack(view(left, m, k, height, depth), packedLeft, /*panelDim=*/0, 1,
               op.leftIsUnsigned);
          AffineMap none = AffineMap::get(2, 0, b.getContext());
          PackedProductOp::create(
              b, TypeRange{}, packedLeft, packedRight, depth,
              view(result, m, n, height, width), b.getStringAttr(op.name),
              AffineMapAttr::get(none), AffineMapAttr::get(none),
              AffineMapAttr::get(b.getMultiDimIdentityMap(2)), UnitAttr());
        });
      });
    });
    func::ReturnOp::create(b);
  }

private:
  Value stackBuffer(Type element, ArrayRef<int64_t> sizes) {
    auto type = MemRefType::get(sizes, element);
    return memref::AllocaOp::create(b, type, b.getI64IntegerAttr(64));
  }

  /// A loop over blocks of `size`; the last one may be shorter.
  void blocks(Value size, int64_t block,
              function_ref<void(Value, Value)> body) {
    b.loop(size, block, [&](Value start) {
      body(start, b.smaller(b.minus(size, start), b.index(block)));
    });
  }

  Value view(Value matrix, Value row, Value column, Value rows, Value columns) {
    OpFoldResult one = b.getIndexAttr(1);
    return memref::SubViewOp::create(b, matrix,
                                     ArrayRef<OpFoldResult>{row, column},
                                     ArrayRef<OpFoldResult>{rows, columns},
                                     ArrayRef<OpFoldResult>{one, one});
  }

  void pack(Value matrix, Value packed, int64_t panelDim, int64_t multiple,
            bool flipSign) {
    PackPanelsOp::create(b, TypeRange{}, matrix, packed, panelDim, 1 - panelDim,
                         multiple, flipSign);
  }

  LoopBuilder b;
  const MatrixInstruction &op;
  Value left, right, result;
};

/// Replaces contractions by calls of the functions above.
class ContractionLowering {
public:
  explicit ContractionLowering(ModuleOp module)
      : builder(module.getContext()), functions(module) {}

  void lower(linalg::GenericOp op, const ContractionLoops &loops,
             const MatrixInstruction &instruction) {
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> ivs = emitOtherLoops(op, loops);
    SmallVector<Value> operands{viewOf(op, 0, loops.m, loops.k, ivs),
                                viewOf(op, 1, loops.k, loops.n, ivs),
                                viewOf(op, 2, loops.m, loops.n, ivs)};
    functions.call(
        builder, loc, "aik$product", operands,
        builder.getStringAttr(instruction.name),
        [&](func::FuncOp made) { BlockedProduct(made, instruction).emit(); });
    op.erase();
  }

  void lowerMatrixAndVector(linalg::GenericOp op, const ContractionLoops &loops,
                            unsigned kept) {
    SmallVector<OpFoldResult> ivs = emitOtherLoops(op, loops);
    SmallVector<Value> views;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      views.push_back(viewOfLoops(op, operand, {kept, loops.k}, ivs));
      AffineMap map = op.getMatchingIndexingMap(&operand);
      SmallVector<AffineExpr> exprs;
      for (AffineExpr expr : map.getResults())
        if (auto dim = dyn_cast<AffineDimExpr>(expr);
            dim && llvm::is_contained({kept, loops.k}, dim.getPosition()))
          exprs.push_back(
              builder.getAffineDimExpr(dim.getPosition() == kept ? 0 : 1));
      maps.push_back(AffineMap::get(2, 0, exprs, builder.getContext()));
    }
    auto thin = linalg::GenericOp::create(
        builder, op.getLoc(), ValueRange(views).drop_back(), views.back(), maps,
        ArrayRef{utils::IteratorType::parallel,
                 utils::IteratorType::reduction});
    thin.getRegion().takeBody(op.getRegion());
    op.erase();
  }

private:
  /// Loops over batches; how far each loop of the op is inside them.
  SmallVector<OpFoldResult> emitOtherLoops(linalg::GenericOp op,
                                           const ContractionLoops &loops) {
    builder.setInsertionPoint(op);
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> ivs(op.getNumLoops(), builder.getIndexAttr(0));
    SmallVector<Range> ranges = cast<linalg::LinalgOp>(op.getOperation())
                                    .createLoopRanges(builder, loc);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    for (unsigned dim : loops.others) {
      Value extent =
          getValueOrCreateConstantIndexOp(builder, loc, ranges[dim].size);
      auto loop = scf::ForOp::create(builder, loc, zero, extent, one);
      builder.setInsertionPointToStart(loop.getBody());
      ivs[dim] = loop.getInductionVar();
    }
    return ivs;
  }

  /// The operand at the current outer position, without the dimensions that
  /// belong to none of the loops.
  Value viewOfLoops(linalg::GenericOp op, OpOperand &operand,
                    ArrayRef<unsigned> loops, ArrayRef<OpFoldResult> ivs) {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<OpFoldResult> at, sizes;
    SmallVector<int64_t> shape;
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      at.push_back(affine::makeComposedFoldedAffineApply(
          builder, loc, map.getSubMap({(unsigned)position}), ivs));
      if (!dim || !llvm::is_contained(loops, dim.getPosition())) {
        sizes.push_back(builder.getIndexAttr(1));
        continue;
      }
      sizes.push_back(
          memref::getMixedSize(builder, loc, operand.get(), position));
      shape.push_back(type.getDimSize(position));
    }
    SmallVector<OpFoldResult> strides(at.size(), builder.getIndexAttr(1));
    MemRefType view = memref::SubViewOp::inferRankReducedResultType(
        shape, type, at, sizes, strides);
    return memref::SubViewOp::create(builder, loc, view, operand.get(), at,
                                     sizes, strides);
  }

  /// The operand at the current outer position, as a matrix [first, second].
  Value viewOf(linalg::GenericOp op, unsigned operand, unsigned first,
               unsigned second, ArrayRef<OpFoldResult> ivs) {
    Location loc = op.getLoc();
    Value memref = op->getOperand(operand);
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
    SmallVector<OpFoldResult> at;
    std::array<int64_t, 2> dims;
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (dim && dim.getPosition() == first)
        dims[0] = position;
      if (dim && dim.getPosition() == second)
        dims[1] = position;
      at.push_back(affine::makeComposedFoldedAffineApply(
          builder, loc, map.getSubMap({(unsigned)position}), ivs));
    }
    return viewAsMatrix(builder, loc, memref, at, dims,
                        {memref::getMixedSize(builder, loc, memref, dims[0]),
                         memref::getMixedSize(builder, loc, memref, dims[1])});
  }

  OpBuilder builder;
  SharedFunctions functions;
};

/// The loop that is left where the other of rows and columns has one step, if
/// vectors can go along the rows of the matrix and of what they meet there.
std::optional<unsigned> matrixAndVectorLoop(linalg::GenericOp op,
                                            const ContractionLoops &loops) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (sizes[loops.m] != 1 && sizes[loops.n] != 1)
    return std::nullopt;
  bool isOneRow = sizes[loops.m] == 1;
  unsigned kept = isOneRow ? loops.n : loops.m;
  OpOperand &matrix = op->getOpOperand(isOneRow ? 1 : 0);
  OpOperand &vector = op->getOpOperand(isOneRow ? 0 : 1);
  OpOperand &result = op->getOpOperand(2);
  auto isFloat = [](Value operand) {
    return isa<FloatType>(getElementTypeOrSelf(operand));
  };
  if (!llvm::all_of(op->getOperands(), isFloat))
    return std::nullopt;
  auto positionOf = [&](OpOperand &operand, unsigned loop) {
    return op.getMatchingIndexingMap(&operand).getResultPosition(
        getAffineDimExpr(loop, op.getContext()));
  };
  auto isAlong = [&](OpOperand &operand, unsigned loop) {
    std::optional<unsigned> position = positionOf(operand, loop);
    SmallVector<int64_t> strides;
    int64_t offset;
    return position &&
           succeeded(cast<MemRefType>(operand.get().getType())
                         .getStridesAndOffset(strides, offset)) &&
           strides[*position] == 1;
  };
  std::optional<unsigned> k = positionOf(matrix, loops.k);
  std::optional<unsigned> free = positionOf(matrix, kept);
  if (!k || !free || !positionOf(vector, loops.k) || !positionOf(result, kept))
    return std::nullopt;
  bool isAlongSum = *k > *free;
  bool fits = isAlongSum ? isAlong(matrix, loops.k) && isAlong(vector, loops.k)
                         : isAlong(matrix, kept) && isAlong(result, kept);
  return fits ? std::optional(kept) : std::nullopt;
}

struct LowerContractionsPass
    : aikernel::impl::LowerContractionsPassBase<LowerContractionsPass> {
  using LowerContractionsPassBase::LowerContractionsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> named;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (linalg::isaContractionOpInterface(op) &&
          !isa<linalg::GenericOp>(op.getOperation()) &&
          op.hasPureBufferSemantics())
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
    SmallVector<linalg::GenericOp> generics;
    getOperation()->walk([&](linalg::GenericOp op) { generics.push_back(op); });
    ContractionLowering lowering(getOperation());
    for (linalg::GenericOp op : generics) {
      std::optional<ContractionLoops> loops = matchContraction(op);
      if (!loops || !op.hasPureBufferSemantics())
        continue;
      if (std::optional<unsigned> kept = matrixAndVectorLoop(op, *loops)) {
        lowering.lowerMatrixAndVector(op, *loops, *kept);
        continue;
      }
      const MatrixInstruction *instruction =
          chooseInstruction(op, getElementTypeOrSelf(op->getOperand(0)),
                            getElementTypeOrSelf(op->getOperand(1)),
                            getElementTypeOrSelf(op->getOperand(2)));
      if (instruction)
        lowering.lower(op, *loops, *instruction);
    }
  }
};

} // namespace
