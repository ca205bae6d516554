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
// register tile is always full, contiguous and of the accumulator's type.
// Upstream's vector.contract path spills or shuffles here (docs/Rationale.md).
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define DEBUG_TYPE "aik-lower-contractions"

namespace aikernel {
#define GEN_PASS_DEF_LOWERCONTRACTIONSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

/// K block: with the usual tiles a panel of A and one of B stay in half of a
/// 32 KiB L1 cache. N block: the packed block of B stays in L2 and on a
/// worker's stack.
constexpr int64_t kBlockK = 256;
constexpr int64_t kBlockNBytes = 512;

/// Which loop of the generic plays which part.
struct ContractionLoops {
  unsigned m, n, k;
  SmallVector<unsigned> others;
};

/// Follows widening conversions back to the block argument they start from.
Value stripExtensions(Value value) {
  while (auto ext = value.getDefiningOp<arith::ExtFOp>())
    value = ext.getIn();
  return value;
}

/// acc + a * b with a and b the (widened) inputs, in either order.
bool isMultiplyAdd(linalg::GenericOp op) {
  Block &body = op.getRegion().front();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value acc = body.getArgument(2);
  Value product = add.getLhs() == acc   ? add.getRhs()
                  : add.getRhs() == acc ? add.getLhs()
                                        : Value();
  auto mul = product ? product.getDefiningOp<arith::MulFOp>() : nullptr;
  if (!mul)
    return false;
  Value lhs = stripExtensions(mul.getLhs());
  Value rhs = stripExtensions(mul.getRhs());
  return (lhs == body.getArgument(0) && rhs == body.getArgument(1)) ||
         (lhs == body.getArgument(1) && rhs == body.getArgument(0));
}

std::optional<ContractionLoops> matchContraction(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !op.hasPureBufferSemantics() || !isMultiplyAdd(op))
    return std::nullopt;
  Type acc = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  if (!acc.isF32() && !acc.isF64())
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims))
    return std::nullopt;
  ContractionLoops loops{dims->m.back(), dims->n.back(), dims->k.back(), {}};
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    if (i != loops.m && i != loops.n && i != loops.k)
      loops.others.push_back(i);
  return loops;
}

/// Buffers on the stack, shared by the contractions of one loop body: they run
/// one after the other.
class Scratch {
public:
  Value get(OpBuilder &builder, Operation *user, MemRefType type) {
    Block *block = scopeOf(user);
    Value &buffer = buffers[{block, type}];
    if (!buffer) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(block);
      buffer = memref::AllocaOp::create(builder, user->getLoc(), type,
                                        builder.getI64IntegerAttr(64));
    }
    return buffer;
  }

private:
  /// An alloca inside a sequential loop would grow the stack each iteration.
  static Block *scopeOf(Operation *op) {
    for (Operation *parent = op->getParentOp();; parent = parent->getParentOp())
      if (isa<scf::ForallOp, FunctionOpInterface>(parent))
        return &parent->getRegion(0).front();
  }
  DenseMap<std::pair<Block *, Type>, Value> buffers;
};

class ContractionEmitter {
public:
  ContractionEmitter(RewriterBase &rewriter, linalg::GenericOp op,
                     const ContractionLoops &loops,
                     const aikernel::RegisterTile &tile, Scratch &scratch)
      : b(rewriter), op(op), loc(op.getLoc()), loops(loops),
        scratch(scratch) {
    element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
    unsigned bytes = element.getIntOrFloatBitWidth() / 8;
    lanes = tile.vectorBits / 8 / bytes;
    rows = tile.rows;
    vectors = tile.vectors;
    multipliesByLane = tile.multipliesByLane;
    panel = lanes * vectors;
    blockN = std::max<int64_t>(1, kBlockNBytes / bytes / panel) * panel;
    vectorType = VectorType::get({(int64_t)lanes}, element);
    ivs.resize(op.getNumLoops());
  }

  void emit() {
    for (Range &range : cast<linalg::LinalgOp>(op.getOperation())
                            .createLoopRanges(b, loc))
      extents.push_back(getValueOrCreateConstantIndexOp(b, loc, range.size));
    packedA = scratch.get(b, op, MemRefType::get({kBlockK, rows}, element));
    packedB = scratch.get(
        b, op, MemRefType::get({blockN / panel, kBlockK, panel}, element));
    edge = scratch.get(b, op, MemRefType::get({rows, panel}, element));
    emitOuter(loops.others);
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value minus(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value less(Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  }

  void loop(Value begin, Value end, int64_t step,
            function_ref<void(Value)> body) {
    auto forOp = scf::ForOp::create(b, loc, begin, end, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    body(forOp.getInductionVar());
  }

  void emitOuter(ArrayRef<unsigned> dims) {
    if (dims.empty())
      return emitBlocks();
    loop(index(0), extents[dims[0]], 1, [&](Value iv) {
      ivs[dims[0]] = iv;
      emitOuter(dims.drop_front());
    });
  }

  void emitBlocks() {
    Value sizeM = extents[loops.m], sizeN = extents[loops.n],
          sizeK = extents[loops.k];
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

  /// The operand's element at the current outer position and (m, n, k), as the
  /// accumulator's type.
  Value loadConverted(unsigned operand, Value m, Value n, Value k) {
    ivs[loops.m] = m;
    ivs[loops.n] = n;
    ivs[loops.k] = k;
    Value value =
        memref::LoadOp::create(b, loc, op->getOperand(operand), at(operand));
    if (value.getType() != element)
      value = arith::ExtFOp::create(b, loc, element, value);
    return value;
  }

  SmallVector<Value> at(unsigned operand) {
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
    SmallVector<OpFoldResult> dims;
    for (Value iv : ivs)
      dims.push_back(iv ? OpFoldResult(iv) : OpFoldResult(b.getIndexAttr(0)));
    SmallVector<Value> indices;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      indices.push_back(getValueOrCreateConstantIndexOp(
          b, loc,
          affine::makeComposedFoldedAffineApply(b, loc, map.getSubMap({i}),
                                                dims)));
    return indices;
  }

  Value zero() {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  }

  /// Is the operand contiguous in memory along a loop?
  bool isContiguousAlong(unsigned operand, unsigned dim) {
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
    auto type = cast<MemRefType>(op->getOperand(operand).getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    return map.getResult(map.getNumResults() - 1) ==
               getAffineDimExpr(dim, op.getContext()) &&
           succeeded(type.getStridesAndOffset(strides, offset)) &&
           strides.back() == 1;
  }

  void fillPadding(Value buffer, SmallVector<Value> prefix, Value from,
                   int64_t to, Value depth) {
    // Rows of the panel are [k][lane]: lanes from `from` on are zero.
    loop(index(0), depth, 1, [&](Value k) {
      loop(from, index(to), 1, [&](Value lane) {
        SmallVector<Value> where = prefix;
        where.append({k, lane});
        memref::StoreOp::create(b, loc, zero(), buffer, where);
      });
    });
  }

  /// One row of a full panel, a vector at a time.
  void copyPanelRow(Value which, Value k, Value n, Value fromK) {
    ivs[loops.m] = nullptr;
    ivs[loops.k] = fromK;
    Value source = op->getOperand(1);
    auto type =
        VectorType::get({(int64_t)lanes}, getElementTypeOrSelf(source));
    for (unsigned v = 0; v < vectors; ++v) {
      ivs[loops.n] = add(n, index(v * lanes));
      Value value = vector::LoadOp::create(b, loc, type, source, at(1));
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
      auto copy = [&](Value k, Value lane) {
        Value value = loadConverted(1, nullptr, add(jj, add(j, lane)),
                                    add(kk, k));
        memref::StoreOp::create(b, loc, value, packedB,
                                ValueRange{which, k, lane});
      };
      if (isContiguousAlong(1, loops.n)) {
        Value full = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           valid, index(panel));
        auto choice = scf::IfOp::create(b, loc, full, /*withElse=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(choice.thenBlock());
        loop(index(0), depth, 1, [&](Value k) {
          copyPanelRow(which, k, add(jj, j), add(kk, k));
        });
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
      Value value = loadConverted(0, add(i, row), nullptr, add(kk, k));
      memref::StoreOp::create(b, loc, value, packedA, ValueRange{k, row});
    };
    if (isContiguousAlong(0, loops.m))
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
    auto forOp =
        scf::ForOp::create(b, loc, index(0), depth, index(1), start);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Value k = forOp.getInductionVar();
    SmallVector<Value> right;
    for (unsigned v = 0; v < vectors; ++v)
      right.push_back(vector::LoadOp::create(
          b, loc, vectorType, packedB,
          ValueRange{which, k, index(v * lanes)}));
    SmallVector<Value> next;
    Value leftLanes;
    for (unsigned row = 0; row < rows; ++row) {
      Value left;
      if (multipliesByLane) {
        if (row % lanes == 0)
          leftLanes = vector::LoadOp::create(
              b, loc,
              VectorType::get({std::min<int64_t>(lanes, rows - row)}, element),
              packedA, ValueRange{k, index(row)});
        left = vector::ExtractOp::create(b, loc, leftLanes, row % lanes);
      } else {
        left = memref::LoadOp::create(b, loc, packedA,
                                      ValueRange{k, index(row)});
      }
      Value splat = vector::BroadcastOp::create(b, loc, vectorType, left);
      for (unsigned v = 0; v < vectors; ++v) {
        Value acc = forOp.getRegionIterArg(row * vectors + v);
        // `contract` lets the target fuse; there is no fma call to fall to.
        auto fuse = arith::FastMathFlags::contract;
        Value product =
            arith::MulFOp::create(b, loc, splat, right[v], fuse);
        next.push_back(arith::AddFOp::create(b, loc, acc, product, fuse));
      }
    }
    scf::YieldOp::create(b, loc, next);
    return llvm::to_vector_of<Value>(forOp.getResults());
  }

  /// C += tile; ragged tiles go through a small buffer.
  void update(ArrayRef<Value> tile, Value i, Value height, Value n,
              Value width) {
    Value fullHeight = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, height, index(rows));
    Value fullWidth = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                            width, index(panel));
    Value full = arith::AndIOp::create(b, loc, fullHeight, fullWidth);
    if (!isContiguousAlong(2, loops.n))
      full = arith::ConstantIntOp::create(b, loc, 0, 1);
    auto choice = scf::IfOp::create(b, loc, full, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    Value result = op.getDpsInits()[0];
    b.setInsertionPointToStart(choice.thenBlock());
    if (isContiguousAlong(2, loops.n))
      for (unsigned row = 0; row < rows; ++row)
        for (unsigned v = 0; v < vectors; ++v) {
          ivs[loops.m] = add(i, index(row));
          ivs[loops.n] = add(n, index(v * lanes));
          SmallVector<Value> where = at(2);
          Value old = vector::LoadOp::create(b, loc, vectorType, result, where);
          Value sum =
              arith::AddFOp::create(b, loc, old, tile[row * vectors + v]);
          vector::StoreOp::create(b, loc, sum, result, where);
        }
    b.setInsertionPointToStart(choice.elseBlock());
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned v = 0; v < vectors; ++v)
        vector::StoreOp::create(b, loc, tile[row * vectors + v], edge,
                                ValueRange{index(row), index(v * lanes)});
    Value validWidth = min(width, index(panel));
    loop(index(0), height, 1, [&](Value row) {
      loop(index(0), validWidth, 1, [&](Value lane) {
        ivs[loops.m] = add(i, row);
        ivs[loops.n] = add(n, lane);
        SmallVector<Value> where = at(2);
        Value old = memref::LoadOp::create(b, loc, result, where);
        Value part =
            memref::LoadOp::create(b, loc, edge, ValueRange{row, lane});
        Value sum = arith::AddFOp::create(b, loc, old, part);
        memref::StoreOp::create(b, loc, sum, result, where);
      });
    });
  }

  RewriterBase &b;
  linalg::GenericOp op;
  Location loc;
  const ContractionLoops &loops;
  Scratch &scratch;
  Type element;
  VectorType vectorType;
  unsigned lanes, rows, vectors;
  bool multipliesByLane;
  int64_t panel, blockN;
  Value packedA, packedB, edge;
  SmallVector<Value> extents, ivs;
};

struct LowerContractionsPass
    : aikernel::impl::LowerContractionsPassBase<LowerContractionsPass> {
  using LowerContractionsPassBase::LowerContractionsPassBase;

  void runOnOperation() override {
    aikernel::RegisterTile tile = aikernel::getRegisterTile(getOperation());
    Scratch scratch;
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
    for (linalg::GenericOp op : generics) {
      std::optional<ContractionLoops> loops = matchContraction(op);
      if (!loops)
        continue;
      rewriter.setInsertionPoint(op);
      ContractionEmitter(rewriter, op, *loops, tile, scratch).emit();
      rewriter.eraseOp(op);
    }
  }
};

} // namespace
