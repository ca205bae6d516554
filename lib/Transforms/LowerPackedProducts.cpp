//===- LowerPackedProducts.cpp - Packed products to register tiles --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.pack_panels and aikernel.packed_product on memrefs.
// Out: packing as parallel loops over panels, products as calls:
//
//   for each block of the sum                     (its panels stay in L1, L2)
//     for each panel of columns
//       for each panel of rows
//         C += register tile over the block
//
// One function serves all products of the same instruction, whatever their
// sizes, so a program with ten of them compiles one.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Entries.h"
#include "AIKernel/Transforms/PanelPacking.h"
#include "AIKernel/Transforms/Passes.h"
#include "AIKernel/Transforms/RegisterTiles.h"
#include "AIKernel/Transforms/TileRegisters.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#define DEBUG_TYPE "aik-lower-packed-products"

namespace aikernel {
#define GEN_PASS_DEF_LOWERPACKEDPRODUCTSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Emits the function C[m, n] += A B over packed panels:
/// (A: memref<blocks x panels x steps x width>, B, depth, whether to overwrite
/// C at first, C: memref<? x ?>).
class TileLoopsEmitter {
public:
  TileLoopsEmitter(func::FuncOp function, const MatrixInstruction &instruction)
      : b(function.getContext()), loc(function.getLoc()), op(instruction),
        tile(b, loc, instruction) {
    Block *entry = function.addEntryBlock();
    b.setInsertionPointToStart(entry);
    left = entry->getArgument(0);
    right = entry->getArgument(1);
    depth = entry->getArgument(2);
    overwrite = entry->getArgument(3);
    result = entry->getArgument(4);
    rows = op.rows;
    columns = op.columns();
    lanes = op.lanes();
    stepsOfBlock = memref::DimOp::create(b, loc, left, 2);
  }

  void emit() {
    edge = memref::AllocaOp::create(
        b, loc,
        MemRefType::get({rows, columns}, tile.rowVector().getElementType()),
        b.getI64IntegerAttr(64));
    if (op.leftIsUnsigned)
      starts = memref::AllocaOp::create(
          b, loc, MemRefType::get({columns}, tile.rowVector().getElementType()),
          b.getI64IntegerAttr(64));
    Value sizeM = memref::DimOp::create(b, loc, result, 0);
    Value sizeN = memref::DimOp::create(b, loc, result, 1);
    Value steps = ceilDiv(depth, op.depth);
    // An empty sum still writes its zeros.
    Value blocks = arith::MaxSIOp::create(
        b, loc, arith::CeilDivUIOp::create(b, loc, steps, stepsOfBlock),
        index(1));
    loop(blocks, 1, [&](Value block) {
      Value before = arith::MulIOp::create(b, loc, block, stepsOfBlock);
      Value here = min(stepsOfBlock, minus(steps, before));
      isFirst = arith::AndIOp::create(b, loc, overwrite, equals(block, 0));
      loop(sizeN, columns, [&](Value n) {
        Value rightPanel = panelOf(right, block, n, columns);
        Value width = min(index(columns), minus(sizeN, n));
        if (op.leftIsUnsigned)
          tile.writeStarts(rightPanel, here, starts);
        loop(sizeM, rows, [&](Value m) {
          Value leftPanel = panelOf(left, block, m, rows);
          Value height = min(index(rows), minus(sizeM, m));
          emitTile(leftPanel, rightPanel, here, m, height, n, width);
        });
      });
    });
    func::ReturnOp::create(b, loc);
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value x, int64_t y) {
    return y ? arith::AddIOp::create(b, loc, x, index(y)) : x;
  }
  Value minus(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value ceilDiv(Value x, int64_t y) {
    return y == 1 ? x : arith::DivUIOp::create(b, loc, add(x, y - 1), index(y));
  }
  Value equals(Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, index(y));
  }
  void loop(Value end, int64_t step, function_ref<void(Value)> body) {
    auto forOp = scf::ForOp::create(b, loc, index(0), end, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    body(forOp.getInductionVar());
  }
  void choose(Value condition, function_ref<void()> then,
              function_ref<void()> otherwise) {
    auto choice = scf::IfOp::create(b, loc, condition, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    then();
    b.setInsertionPointToStart(choice.elseBlock());
    otherwise();
  }

  /// memref<steps x width> of the panel that starts at row or column `start`.
  Value panelOf(Value packed, Value block, Value start, int64_t size) {
    auto type = cast<MemRefType>(packed.getType());
    Value panel = arith::DivUIOp::create(b, loc, start, index(size));
    SmallVector<OpFoldResult> offsets{block, panel, b.getIndexAttr(0),
                                      b.getIndexAttr(0)};
    SmallVector<OpFoldResult> sizes{
        b.getIndexAttr(1), b.getIndexAttr(1),
        memref::DimOp::create(b, loc, packed, 2).getResult(),
        b.getIndexAttr(type.getDimSize(3))};
    SmallVector<OpFoldResult> strides(4, b.getIndexAttr(1));
    auto reduced =
        cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
            type.getShape().drop_front(2), type, offsets, sizes, strides));
    return memref::SubViewOp::create(b, loc, reduced, packed, offsets, sizes,
                                     strides);
  }

  void emitTile(Value leftPanel, Value rightPanel, Value steps, Value m,
                Value height, Value n, Value width) {
    if (op.accumulators == Accumulators::Tiles)
      return emitTileRegisters(leftPanel, rightPanel, steps, m, height, n,
                               width);
    bool isContiguous =
        cast<MemRefType>(result.getType()).getStridesAndOffset().first[1] == 1;
    auto ragged = [&] {
      SmallVector<unsigned> counts = tile.rowCounts();
      emitRows(counts, leftPanel, rightPanel, steps, height);
      addEdge(m, height, n, width);
    };
    if (!isContiguous)
      return ragged();
    Value full = arith::AndIOp::create(b, loc, equals(height, rows),
                                       equals(width, columns));
    choose(
        full,
        [&] {
          prefetchTile(m, n);
          addTile(tile.multiply(leftPanel, rightPanel, steps, rows, starts), m,
                  n);
        },
        ragged);
  }

  /// Tile registers add to the result where it is; at its edges they go
  /// through the buffer.
  void emitTileRegisters(Value leftPanel, Value rightPanel, Value steps,
                         Value m, Value height, Value n, Value width) {
    TileRegisters registers(b, loc, op);
    auto ragged = [&] {
      Value few = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                        height, index(rows / 2));
      auto compute = [&](int64_t count) {
        registers.multiply(leftPanel, rightPanel, steps, count, edge, index(0),
                           index(0), /*overwrite=*/true);
      };
      choose(few, [&] { compute(rows / 2); }, [&] { compute(rows); });
      addEdge(m, height, n, width);
    };
    bool isContiguous =
        cast<MemRefType>(result.getType()).getStridesAndOffset().first[1] == 1;
    if (!isContiguous)
      return ragged();
    auto whole = [&](bool first) {
      registers.multiply(leftPanel, rightPanel, steps, rows, result, m, n,
                         first);
    };
    Value full = arith::AndIOp::create(b, loc, equals(height, rows),
                                       equals(width, columns));
    choose(
        full,
        [&] { choose(isFirst, [&] { whole(true); }, [&] { whole(false); }); },
        ragged);
  }

  /// The narrowest tile that has `height` rows, into the edge buffer.
  void emitRows(ArrayRef<unsigned> counts, Value leftPanel, Value rightPanel,
                Value steps, Value height) {
    auto computeRows = [&](unsigned count) {
      SmallVector<Value> sums =
          tile.multiply(leftPanel, rightPanel, steps, count, starts);
      unsigned perRow = tile.vectorsOfRow();
      for (auto [position, value] : llvm::enumerate(sums))
        vector::StoreOp::create(b, loc, value, edge,
                                ValueRange{index(position / perRow),
                                           index(position % perRow * lanes)});
    };
    if (counts.size() == 1)
      return computeRows(counts[0]);
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                       height, index(counts[0]));
    choose(
        fits, [&] { computeRows(counts[0]); },
        [&] {
          emitRows(counts.drop_front(), leftPanel, rightPanel, steps, height);
        });
  }

  Value plus(Value x, Value y) {
    if (isa<FloatType>(getElementTypeOrSelf(x)))
      return arith::AddFOp::create(b, loc, x, y);
    return arith::AddIOp::create(b, loc, x, y);
  }

  /// What was there before, or zero at the first block of an overwritten C.
  Value before(Value loaded) {
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(loaded.getType()));
    return arith::SelectOp::create(b, loc, isFirst, zero, loaded);
  }

  /// The tile of C is on its way while its sums are made.
  void prefetchTile(Value m, Value n) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column : {int64_t(0), columns - 1})
        memref::PrefetchOp::create(
            b, loc, result, ValueRange{add(m, row), add(n, column)},
            /*isWrite=*/true, /*localityHint=*/3, /*isDataCache=*/true);
  }

  void addTile(ArrayRef<Value> sums, Value m, Value n) {
    unsigned perRow = tile.vectorsOfRow();
    auto forEach = [&](function_ref<void(Value, ValueRange)> body) {
      for (auto [position, value] : llvm::enumerate(sums))
        body(value,
             {add(m, position / perRow), add(n, position % perRow * lanes)});
    };
    auto store = [&](Value value, ValueRange where) {
      vector::StoreOp::create(b, loc, value, result, where);
    };
    auto accumulate = [&](Value value, ValueRange where) {
      Value old =
          vector::LoadOp::create(b, loc, tile.rowVector(), result, where);
      store(plus(old, value), where);
    };
    // What C held before is not waited for.
    choose(isFirst, [&] { forEach(store); }, [&] { forEach(accumulate); });
  }

  void addEdge(Value m, Value height, Value n, Value width) {
    loop(height, 1, [&](Value row) {
      loop(width, 1, [&](Value column) {
        SmallVector<Value> where{arith::AddIOp::create(b, loc, m, row),
                                 arith::AddIOp::create(b, loc, n, column)};
        Value old = memref::LoadOp::create(b, loc, result, where);
        Value part =
            memref::LoadOp::create(b, loc, edge, ValueRange{row, column});
        memref::StoreOp::create(b, loc, plus(before(old), part), result, where);
      });
    });
  }

  OpBuilder b;
  Location loc;
  const MatrixInstruction &op;
  RegisterTileEmitter tile;
  int64_t rows, columns, lanes;
  Value left, right, depth, overwrite, result, stepsOfBlock, edge, starts,
      isFirst;
};

/// Replaces the two ops by loops and calls of the functions they need.
class Lowering {
public:
  explicit Lowering(ModuleOp module)
      : module(module), b(module.getContext()),
        vectorBits(getVectorBits(module)) {}

  void lower(PackPanelsOp op) {
    b.setInsertionPoint(op);
    Location loc = op.getLoc();
    auto source = cast<MemRefType>(op.getSource().getType());
    auto dest = cast<MemRefType>(op.getDest().getType());
    int64_t rank = dest.getRank(), outer = rank - 5;
    int64_t width = dest.getDimSize(rank - 2),
            depth = dest.getDimSize(rank - 1);
    int64_t panelDim = op.getPanelDim(), depthDim = op.getDepthDim();
    // One iteration packs one panel; in parallel where this is not part of a
    // worker's own tile.
    SmallVector<OpFoldResult> counts;
    for (int64_t dim = 0; dim < outer; ++dim)
      counts.push_back(sizeOf(op.getDest(), dim, loc));
    counts.push_back(affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0).ceilDiv(width),
        {sizeOf(op.getSource(), panelDim, loc)}));
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> ivs;
    bool isParallel =
        op->getParentOfType<func::FuncOp>()->hasAttr(kEntryAttrName) &&
        !op->getParentOfType<scf::ForallOp>();
    if (isParallel) {
      auto loop = scf::ForallOp::create(b, loc, counts, ValueRange{},
                                        /*mapping=*/std::nullopt);
      b.setInsertionPoint(loop.getTerminator());
      llvm::append_range(ivs, loop.getInductionVars());
    } else {
      for (OpFoldResult count : counts) {
        auto loop = scf::ForOp::create(
            b, loc, index(0, loc),
            getValueOrCreateConstantIndexOp(b, loc, count), index(1, loc));
        b.setInsertionPointToStart(loop.getBody());
        ivs.push_back(loop.getInductionVar());
      }
    }
    Value panel = ivs.pop_back_val();
    Value start = arith::MulIOp::create(b, loc, panel, index(width, loc));
    Value all = memref::DimOp::create(b, loc, op.getSource(), panelDim);
    Value height = arith::MinSIOp::create(
        b, loc, index(width, loc), arith::SubIOp::create(b, loc, all, start));

    // The rows of this panel as a matrix [rows, sum].
    SmallVector<OpFoldResult> at(source.getRank());
    unsigned next = 0;
    for (int64_t dim = 0; dim < source.getRank(); ++dim)
      if (dim != panelDim && dim != depthDim)
        at[dim] = ivs[next++];
    at[panelDim] = start;
    at[depthDim] = b.getIndexAttr(0);
    Value matrix = view(op.getSource(), at, {panelDim, depthDim},
                        {height, sizeOf(op.getSource(), depthDim, loc)}, loc);
    SmallVector<OpFoldResult> to(ivs.begin(), ivs.end());
    to.append({b.getIndexAttr(0), panel, b.getIndexAttr(0), b.getIndexAttr(0),
               b.getIndexAttr(0)});
    Value packed = viewPacked(op.getDest(), to, /*wholePanels=*/false, loc);
    PanelForm form{depth, (int64_t)op.getStepMultiple(), op.getFlipSign(),
                   vectorBits};
    int64_t variant =
        (form.depth << 32) + form.stepMultiple * 2 + (form.flipSign ? 1 : 0);
    func::FuncOp function =
        functionFor("aik$pack", {matrix, packed}, variant, loc,
                    [&](func::FuncOp made) { emitPanelPacking(made, form); });
    func::CallOp::create(b, loc, function, ValueRange{matrix, packed});
    op.erase();
  }

  void lower(PackedProductOp op) {
    b.setInsertionPoint(op);
    Location loc = op.getLoc();
    const MatrixInstruction *instruction = findInstruction(op.getInstruction());
    AffineMap outMap = op.getOutMap();
    unsigned loops = op.getNumLoops();
    SmallVector<OpFoldResult> extents(loops);
    for (auto [dim, expr] : llvm::enumerate(outMap.getResults()))
      extents[cast<AffineDimExpr>(expr).getPosition()] =
          sizeOf(op.getOut(), dim, loc);
    SmallVector<OpFoldResult> ivs(loops, b.getIndexAttr(0));
    for (unsigned dim = 0; dim + 2 < loops; ++dim) {
      auto loop = scf::ForOp::create(
          b, loc, index(0, loc),
          getValueOrCreateConstantIndexOp(b, loc, extents[dim]), index(1, loc));
      b.setInsertionPointToStart(loop.getBody());
      ivs[dim] = loop.getInductionVar();
    }
    auto packedAt = [&](Value operand, AffineMap map) {
      SmallVector<OpFoldResult> at;
      for (AffineExpr expr : map.getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        at.push_back(dim ? ivs[dim.getPosition()]
                         : OpFoldResult(b.getIndexAttr(
                               cast<AffineConstantExpr>(expr).getValue())));
      }
      at.append(5, b.getIndexAttr(0));
      return viewPacked(operand, at, /*wholePanels=*/true, loc);
    };
    Value left = packedAt(op.getLhs(), op.getLhsMap());
    Value right = packedAt(op.getRhs(), op.getRhsMap());
    SmallVector<OpFoldResult> at(loops);
    int64_t rowDim = 0, columnDim = 0;
    for (auto [dim, expr] : llvm::enumerate(outMap.getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      at[dim] = ivs[loop];
      if (loop == loops - 2)
        rowDim = dim;
      if (loop == loops - 1)
        columnDim = dim;
    }
    Value out = view(op.getOut(), at, {rowDim, columnDim},
                     {extents[loops - 2], extents[loops - 1]}, loc);
    Value overwrite =
        arith::ConstantIntOp::create(b, loc, op.getOverwrite(), /*width=*/1);
    SmallVector<Value> operands{left, right, op.getDepth(), overwrite, out};
    func::FuncOp function = functionFor(
        "aik$tiles", operands, instruction - getMatrixInstructions().begin(),
        loc, [&](func::FuncOp made) {
          TileLoopsEmitter(made, *instruction).emit();
        });
    func::CallOp::create(b, loc, function, operands);
    op.erase();
  }

private:
  Value index(int64_t value, Location loc) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  OpFoldResult sizeOf(Value memref, int64_t dim, Location loc) {
    auto type = cast<MemRefType>(memref.getType());
    if (!type.isDynamicDim(dim))
      return b.getIndexAttr(type.getDimSize(dim));
    return memref::DimOp::create(b, loc, memref, dim).getResult();
  }

  /// Strides and the offset of `at`, as folded values.
  std::pair<OpFoldResult, SmallVector<OpFoldResult>>
  address(memref::ExtractStridedMetadataOp metadata, ArrayRef<OpFoldResult> at,
          Location loc) {
    SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
    AffineExpr sum = b.getAffineSymbolExpr(0);
    SmallVector<OpFoldResult> terms{metadata.getConstifiedMixedOffset()};
    for (auto [position, stride] : llvm::zip(at, strides)) {
      unsigned symbol = terms.size();
      sum = sum +
            b.getAffineSymbolExpr(symbol) * b.getAffineSymbolExpr(symbol + 1);
      terms.append({position, stride});
    }
    OpFoldResult offset = affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(0, terms.size(), sum), terms);
    return {offset, strides};
  }

  Value reinterpret(Value base, Type element, OpFoldResult offset,
                    ArrayRef<OpFoldResult> sizes,
                    ArrayRef<OpFoldResult> strides,
                    ArrayRef<int64_t> staticSizes,
                    ArrayRef<int64_t> staticStrides, Location loc) {
    auto type = MemRefType::get(staticSizes, element,
                                StridedLayoutAttr::get(b.getContext(),
                                                       ShapedType::kDynamic,
                                                       staticStrides));
    // Only what the type says is static, so that one function serves all.
    auto mixed = [&](ArrayRef<OpFoldResult> values, ArrayRef<int64_t> known) {
      SmallVector<OpFoldResult> result;
      for (auto [value, constant] : llvm::zip(values, known))
        result.push_back(
            ShapedType::isDynamic(constant)
                ? OpFoldResult(getValueOrCreateConstantIndexOp(b, loc, value))
                : OpFoldResult(b.getIndexAttr(constant)));
      return result;
    };
    OpFoldResult start = getValueOrCreateConstantIndexOp(b, loc, offset);
    return memref::ReinterpretCastOp::create(b, loc, type, base, start,
                                             mixed(sizes, staticSizes),
                                             mixed(strides, staticStrides));
  }

  /// The matrix along two dimensions of a memref, from `at` on.
  Value view(Value memref, ArrayRef<OpFoldResult> at,
             std::array<int64_t, 2> dims, std::array<OpFoldResult, 2> sizes,
             Location loc) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<int64_t> known = type.getStridesAndOffset().first;
    auto [offset, strides] = address(metadata, at, loc);
    int64_t unknown = ShapedType::kDynamic;
    std::array<int64_t, 2> staticStrides{unknown, unknown};
    if (known[dims[1]] == 1)
      staticStrides[1] = 1;
    else if (known[dims[0]] == 1)
      staticStrides[0] = 1;
    return reinterpret(metadata.getBaseBuffer(), type.getElementType(), offset,
                       sizes, {strides[dims[0]], strides[dims[1]]},
                       {unknown, unknown}, staticStrides, loc);
  }

  /// Blocks and steps of one panel, or of all panels, of a packed operand.
  Value viewPacked(Value memref, ArrayRef<OpFoldResult> at, bool wholePanels,
                   Location loc) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    auto type = cast<MemRefType>(memref.getType());
    int64_t rank = type.getRank();
    int64_t width = type.getDimSize(rank - 2) * type.getDimSize(rank - 1);
    auto [offset, strides] = address(metadata, at, loc);
    int64_t unknown = ShapedType::kDynamic;
    SmallVector<OpFoldResult> sizes{sizeOf(memref, rank - 5, loc)};
    SmallVector<OpFoldResult> mixedStrides{strides[rank - 5]};
    SmallVector<int64_t> staticSizes{unknown}, staticStrides{unknown};
    if (wholePanels) {
      sizes.push_back(sizeOf(memref, rank - 4, loc));
      mixedStrides.push_back(strides[rank - 4]);
      staticSizes.push_back(unknown);
      staticStrides.push_back(unknown);
    }
    // Known, but left open: one function serves all lengths of blocks.
    sizes.append({sizeOf(memref, rank - 3, loc), b.getIndexAttr(width)});
    mixedStrides.append({b.getIndexAttr(width), b.getIndexAttr(1)});
    staticSizes.append({unknown, width});
    staticStrides.append({width, 1});
    return reinterpret(metadata.getBaseBuffer(), type.getElementType(), offset,
                       sizes, mixedStrides, staticSizes, staticStrides, loc);
  }

  func::FuncOp functionFor(StringRef name, ValueRange operands, int64_t variant,
                           Location loc,
                           function_ref<void(func::FuncOp)> emit) {
    auto type = b.getFunctionType(operands.getTypes(), {});
    func::FuncOp &function = functions[{b.getStringAttr(name), type, variant}];
    if (function)
      return function;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    std::string symbol = (name + Twine(functions.size() - 1)).str();
    function = func::FuncOp::create(b, loc, symbol, type);
    function.setPrivate();
    function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
    emit(function);
    return function;
  }

  ModuleOp module;
  OpBuilder b;
  unsigned vectorBits;
  DenseMap<std::tuple<StringAttr, Type, int64_t>, func::FuncOp> functions;
};

struct LowerPackedProductsPass
    : aikernel::impl::LowerPackedProductsPassBase<LowerPackedProductsPass> {
  using LowerPackedProductsPassBase::LowerPackedProductsPassBase;

  void runOnOperation() override {
    SmallVector<PackPanelsOp> packs;
    SmallVector<PackedProductOp> products;
    getOperation()->walk([&](Operation *op) {
      if (auto pack = dyn_cast<PackPanelsOp>(op))
        packs.push_back(pack);
      if (auto product = dyn_cast<PackedProductOp>(op))
        products.push_back(product);
    });
    for (PackedProductOp op : products)
      if (!findInstruction(op.getInstruction())) {
        op.emitError("names the instruction '")
            << op.getInstruction() << "', which is not in the table";
        return signalPassFailure();
      }
    Lowering lowering(getOperation());
    for (PackPanelsOp op : packs)
      lowering.lower(op);
    for (PackedProductOp op : products)
      lowering.lower(op);
  }
};

} // namespace
