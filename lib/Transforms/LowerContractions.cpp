//===- LowerContractions.cpp - Matrix products to packed register tiles ---===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: linalg.generic contractions on memrefs (C += A B in any layout, operands
// of any float type, the accumulator of f32 or f64), inside the tile loops.
// Out: loops over K blocks that pack a block of B and a panel of A into small
// dense buffers on the stack, and a register tile that multiplies them.
//
//   for kk in K step KC
//     for jj in N step NC
//       pack B[kk.., jj..] as [NC/NR][KC][NR], converted, padded with zeros
//       for i in M step MR
//         pack A[i.., kk..] as [KC][MR], converted, padded with zeros
//         for each panel of B
//           MR x NR accumulators in registers over KC steps, then C += tile
//
// Packing is where transposes, element types and ragged edges end: the
// register tile is always full, contiguous and of the accumulator's type. One
// function serves all products of the same types, so a program with ten of
// them compiles one.
// Upstream's vector.contract path spills or shuffles here (docs/Rationale.md).
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Contractions.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#define DEBUG_TYPE "aik-lower-contractions"

namespace aikernel {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using aikernel::ContractionLoops;

namespace {

/// K block: with the usual tiles a panel of A and one of B stay in half of a
/// 32 KiB L1 cache. N block: the packed block of B stays in L2 and on a
/// worker's stack.
constexpr int64_t kBlockK = 256;
constexpr int64_t kBlockNBytes = 512;

/// Emits the function that computes C[m, n] += A[m, k] B[k, n] on
/// two-dimensional views. One function serves all products of the same element
/// types and contiguous dimensions.
class ContractionEmitter {
public:
  ContractionEmitter(OpBuilder &builder, Location loc,
                     const aikernel::RegisterTile &tile, func::FuncOp function)
      : b(builder), loc(loc), function(function) {
    element = getElementTypeOrSelf(function.getArgumentTypes()[2]);
    unsigned bytes = element.getIntOrFloatBitWidth() / 8;
    lanes = tile.vectorBits / 8 / bytes;
    rows = tile.rows;
    vectors = tile.vectors;
    multipliesByLane = tile.multipliesByLane;
    panel = lanes * vectors;
    blockN = std::max<int64_t>(1, kBlockNBytes / bytes / panel) * panel;
    vectorType = VectorType::get({(int64_t)lanes}, element);
  }

  void emit() {
    Block *entry = function.addEntryBlock();
    b.setInsertionPointToStart(entry);
    left = entry->getArgument(0);
    right = entry->getArgument(1);
    result = entry->getArgument(2);
    packedA = stackBuffer({kBlockK, rows});
    packedB = stackBuffer({blockN / panel, kBlockK, panel});
    edge = stackBuffer({rows, panel});
    emitBlocks();
    func::ReturnOp::create(b, loc);
  }

private:
  Value stackBuffer(ArrayRef<int64_t> shape) {
    return memref::AllocaOp::create(b, loc, MemRefType::get(shape, element),
                                    b.getI64IntegerAttr(64));
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value minus(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value size(Value memref, int64_t dim) {
    return memref::DimOp::create(b, loc, memref, dim);
  }

  void loop(Value begin, Value end, int64_t step,
            function_ref<void(Value)> body) {
    auto forOp = scf::ForOp::create(b, loc, begin, end, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    body(forOp.getInductionVar());
  }

  void emitBlocks() {
    Value sizeM = size(left, 0), sizeK = size(left, 1), sizeN = size(right, 1);
    loop(index(0), sizeK, kBlockK, [&](Value kk) {
      Value depth = min(index(kBlockK), minus(sizeK, kk));
      loop(index(0), sizeN, blockN, [&](Value jj) {
        Value width = min(index(blockN), minus(sizeN, jj));
        packB(kk, depth, jj, width);
        loop(index(0), sizeM, rows, [&](Value i) {
          Value height = min(index(rows), minus(sizeM, i));
          packA(kk, depth, i, height);
          loop(index(0), width, panel, [&](Value j) {
            SmallVector<Value> tile = multiply(depth, j);
            update(tile, i, height, add(jj, j), minus(width, j));
          });
        });
      });
    });
  }

  /// An element of A or B as the accumulator's type.
  Value loadConverted(Value memref, Value row, Value column) {
    Value value =
        memref::LoadOp::create(b, loc, memref, ValueRange{row, column});
    if (value.getType() != element)
      value = arith::ExtFOp::create(b, loc, element, value);
    return value;
  }

  Value zero() {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  }

  bool isContiguousAlong(Value memref, unsigned dim) {
    return cast<MemRefType>(memref.getType())
               .getStridesAndOffset()
               .first[dim] == 1;
  }

  /// Rows of a packed panel are [k][lane]: lanes from `from` on are zero.
  void fillPadding(Value buffer, SmallVector<Value> prefix, Value from,
                   int64_t to, Value depth) {
    loop(index(0), depth, 1, [&](Value k) {
      loop(from, index(to), 1, [&](Value lane) {
        SmallVector<Value> where = prefix;
        where.append({k, lane});
        memref::StoreOp::create(b, loc, zero(), buffer, where);
      });
    });
  }

  /// One row of a full panel, a vector at a time.
  void copyPanelRow(Value which, Value k, Value fromK, Value n) {
    auto type = VectorType::get({(int64_t)lanes}, getElementTypeOrSelf(right));
    for (unsigned v = 0; v < vectors; ++v) {
      Value value = vector::LoadOp::create(
          b, loc, type, right, ValueRange{fromK, add(n, index(v * lanes))});
      if (type != vectorType)
        value = arith::ExtFOp::create(b, loc, vectorType, value);
      vector::StoreOp::create(b, loc, value, packedB,
                              ValueRange{which, k, index(v * lanes)});
    }
  }

  void packB(Value kk, Value depth, Value jj, Value width) {
    loop(index(0), width, panel, [&](Value j) {
      Value which = arith::DivUIOp::create(b, loc, j, index(panel));
      Value valid = min(index(panel), minus(width, j));
      Value n = add(jj, j);
      auto copy = [&](Value k, Value lane) {
        Value value = loadConverted(right, add(kk, k), add(n, lane));
        memref::StoreOp::create(b, loc, value, packedB,
                                ValueRange{which, k, lane});
      };
      if (isContiguousAlong(right, 1)) {
        Value full = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           valid, index(panel));
        auto choice = scf::IfOp::create(b, loc, full, /*withElse=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(choice.thenBlock());
        loop(index(0), depth, 1,
             [&](Value k) { copyPanelRow(which, k, add(kk, k), n); });
        b.setInsertionPointToStart(choice.elseBlock());
        loop(index(0), depth, 1, [&](Value k) {
          loop(index(0), valid, 1, [&](Value lane) { copy(k, lane); });
        });
      } else {
        loop(index(0), valid, 1, [&](Value lane) {
          loop(index(0), depth, 1, [&](Value k) { copy(k, lane); });
        });
      }
      fillPadding(packedB, {which}, valid, panel, depth);
    });
  }

  void packA(Value kk, Value depth, Value i, Value height) {
    auto copy = [&](Value k, Value row) {
      Value value = loadConverted(left, add(i, row), add(kk, k));
      memref::StoreOp::create(b, loc, value, packedA, ValueRange{k, row});
    };
    if (isContiguousAlong(left, 0))
      loop(index(0), depth, 1, [&](Value k) {
        loop(index(0), height, 1, [&](Value row) { copy(k, row); });
      });
    else
      loop(index(0), height, 1, [&](Value row) {
        loop(index(0), depth, 1, [&](Value k) { copy(k, row); });
      });
    fillPadding(packedA, {}, height, rows, depth);
  }

  /// One register tile over `depth` steps; returns rows * vectors vectors.
  SmallVector<Value> multiply(Value depth, Value j) {
    Value which = arith::DivUIOp::create(b, loc, j, index(panel));
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
    SmallVector<Value> start(rows * vectors, zeros);
    auto forOp = scf::ForOp::create(b, loc, index(0), depth, index(1), start);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Value k = forOp.getInductionVar();
    SmallVector<Value> columns;
    for (unsigned v = 0; v < vectors; ++v)
      columns.push_back(vector::LoadOp::create(
          b, loc, vectorType, packedB, ValueRange{which, k, index(v * lanes)}));
    SmallVector<Value> next;
    Value laneGroup;
    for (unsigned row = 0; row < rows; ++row) {
      Value factor;
      if (multipliesByLane) {
        if (row % lanes == 0)
          laneGroup = vector::LoadOp::create(
              b, loc,
              VectorType::get({std::min<int64_t>(lanes, rows - row)}, element),
              packedA, ValueRange{k, index(row)});
        factor = vector::ExtractOp::create(b, loc, laneGroup, row % lanes);
      } else {
        factor =
            memref::LoadOp::create(b, loc, packedA, ValueRange{k, index(row)});
      }
      Value splat = vector::BroadcastOp::create(b, loc, vectorType, factor);
      for (unsigned v = 0; v < vectors; ++v) {
        Value acc = forOp.getRegionIterArg(row * vectors + v);
        // `contract` lets the target fuse; there is no fma call to fall to.
        auto fuse = arith::FastMathFlags::contract;
        Value product = arith::MulFOp::create(b, loc, splat, columns[v], fuse);
        next.push_back(arith::AddFOp::create(b, loc, acc, product, fuse));
      }
    }
    scf::YieldOp::create(b, loc, next);
    return llvm::to_vector_of<Value>(forOp.getResults());
  }

  /// C += tile; ragged tiles go through a small buffer.
  void update(ArrayRef<Value> tile, Value i, Value height, Value n,
              Value width) {
    Value fullHeight = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                             height, index(rows));
    Value fullWidth = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                            width, index(panel));
    Value full = arith::AndIOp::create(b, loc, fullHeight, fullWidth);
    OpBuilder::InsertionGuard guard(b);
    if (isContiguousAlong(result, 1)) {
      auto choice = scf::IfOp::create(b, loc, full, /*withElse=*/true);
      b.setInsertionPointToStart(choice.thenBlock());
      for (unsigned row = 0; row < rows; ++row)
        for (unsigned v = 0; v < vectors; ++v) {
          SmallVector<Value> where{add(i, index(row)),
                                   add(n, index(v * lanes))};
          Value old = vector::LoadOp::create(b, loc, vectorType, result, where);
          Value sum =
              arith::AddFOp::create(b, loc, old, tile[row * vectors + v]);
          vector::StoreOp::create(b, loc, sum, result, where);
        }
      b.setInsertionPointToStart(choice.elseBlock());
    }
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned v = 0; v < vectors; ++v)
        vector::StoreOp::create(b, loc, tile[row * vectors + v], edge,
                                ValueRange{index(row), index(v * lanes)});
    Value validWidth = min(width, index(panel));
    loop(index(0), height, 1, [&](Value row) {
      loop(index(0), validWidth, 1, [&](Value lane) {
        SmallVector<Value> where{add(i, row), add(n, lane)};
        Value old = memref::LoadOp::create(b, loc, result, where);
        Value part =
            memref::LoadOp::create(b, loc, edge, ValueRange{row, lane});
        Value sum = arith::AddFOp::create(b, loc, old, part);
        memref::StoreOp::create(b, loc, sum, result, where);
      });
    });
  }

  OpBuilder &b;
  Location loc;
  func::FuncOp function;
  Type element;
  VectorType vectorType;
  unsigned lanes, rows, vectors;
  bool multipliesByLane;
  int64_t panel, blockN;
  Value left, right, result, packedA, packedB, edge;
};

/// Replaces contractions by calls of the functions above.
class ContractionLowering {
public:
  ContractionLowering(ModuleOp module)
      : module(module), builder(module.getContext()),
        tile(aikernel::getRegisterTile(module)) {}

  void lower(linalg::GenericOp op, const ContractionLoops &loops) {
    builder.setInsertionPoint(op);
    Location loc = op.getLoc();
    SmallVector<Value> ivs(op.getNumLoops());
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
    SmallVector<Value> operands{viewOf(op, 0, loops.m, loops.k, ivs),
                                viewOf(op, 1, loops.k, loops.n, ivs),
                                viewOf(op, 2, loops.m, loops.n, ivs)};
    func::CallOp::create(builder, loc, functionFor(operands, loc), operands);
    op.erase();
  }

private:
  /// The operand at the current outer position, as a matrix [first, second] of
  /// which only the contiguous dimension is known statically.
  Value viewOf(linalg::GenericOp op, unsigned operand, unsigned first,
               unsigned second, ArrayRef<Value> ivs) {
    Location loc = op.getLoc();
    Value memref = op->getOperand(operand);
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, memref);
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<int64_t> staticStrides = type.getStridesAndOffset().first;
    AffineExpr sum = builder.getAffineSymbolExpr(0);
    SmallVector<OpFoldResult> terms{metadata.getConstifiedMixedOffset()};
    SmallVector<OpFoldResult> sizes(2), strides(2);
    bool contiguous[2] = {false, false};
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      OpFoldResult stride = metadata.getConstifiedMixedStrides()[position];
      auto dim = dyn_cast<AffineDimExpr>(expr);
      std::optional<unsigned> axis;
      if (dim && dim.getPosition() == first)
        axis = 0;
      else if (dim && dim.getPosition() == second)
        axis = 1;
      if (axis) {
        sizes[*axis] = metadata.getConstifiedMixedSizes()[position];
        strides[*axis] = stride;
        contiguous[*axis] = staticStrides[position] == 1;
        continue;
      }
      SmallVector<OpFoldResult> outer;
      for (Value iv : ivs)
        outer.push_back(iv ? OpFoldResult(iv)
                           : OpFoldResult(builder.getIndexAttr(0)));
      OpFoldResult index = affine::makeComposedFoldedAffineApply(
          builder, loc, map.getSubMap({(unsigned)position}), outer);
      unsigned symbol = terms.size();
      sum = sum + builder.getAffineSymbolExpr(symbol) *
                      builder.getAffineSymbolExpr(symbol + 1);
      terms.append({index, stride});
    }
    OpFoldResult offset = affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(0, terms.size(), sum), terms);
    SmallVector<int64_t> typeStrides(2, ShapedType::kDynamic);
    for (unsigned axis : {0, 1})
      if (contiguous[axis])
        typeStrides[axis] = 1;
    // Where both are 1 the second one is walked.
    if (contiguous[0] && contiguous[1])
      typeStrides[0] = ShapedType::kDynamic;
    auto viewType = MemRefType::get(
        {ShapedType::kDynamic, ShapedType::kDynamic}, type.getElementType(),
        StridedLayoutAttr::get(builder.getContext(), ShapedType::kDynamic,
                               typeStrides));
    auto asValue = [&](OpFoldResult value) -> OpFoldResult {
      return getValueOrCreateConstantIndexOp(builder, loc, value);
    };
    SmallVector<OpFoldResult> mixedStrides;
    for (unsigned axis : {0, 1})
      mixedStrides.push_back(typeStrides[axis] == 1
                                 ? OpFoldResult(builder.getIndexAttr(1))
                                 : asValue(strides[axis]));
    return memref::ReinterpretCastOp::create(
        builder, loc, viewType, metadata.getBaseBuffer(), asValue(offset),
        ArrayRef<OpFoldResult>{asValue(sizes[0]), asValue(sizes[1])},
        mixedStrides);
  }

  func::FuncOp functionFor(ArrayRef<Value> operands, Location loc) {
    auto type = builder.getFunctionType(ValueRange(operands).getTypes(), {});
    func::FuncOp &function = functions[type];
    if (function)
      return function;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    std::string name = ("aik$product" + Twine(functions.size() - 1)).str();
    function = func::FuncOp::create(builder, loc, name, type);
    function.setPrivate();
    function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
    ContractionEmitter(builder, loc, tile, function).emit();
    return function;
  }

  ModuleOp module;
  OpBuilder builder;
  aikernel::RegisterTile tile;
  DenseMap<Type, func::FuncOp> functions;
};

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
      bool sumsFloats =
          op.getNumDpsInits() == 1 &&
          isa<FloatType>(getElementTypeOrSelf(op.getDpsInits()[0]));
      if (!sumsFloats || !op.hasPureBufferSemantics())
        continue;
      if (auto loops = aikernel::matchContraction(op))
        lowering.lower(op, *loops);
    }
  }
};

} // namespace
