//===- LowerBlockProducts.cpp - Block products become loops ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: pack_blocks and products of packed weights, on memrefs.
// Out: parallel loops over panels, that is ranges of rows, which call functions
// that the products of a format share.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Passes.h"
#include "BlockKernels.h"
#include "Tiles/MatrixViews.h"
#include "Tiles/SharedFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#define DEBUG_TYPE "aik-lower-block-products"

namespace aikernel {
#define GEN_PASS_DEF_LOWERBLOCKPRODUCTSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Functions load and store vectors along the last dimension.
LogicalResult checkBuffers(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type)
      return op->emitOpError("must be bufferized before it is lowered");
    if (type.getStridesAndOffset().first.back() != 1)
      return op->emitOpError("reads and writes rows without gaps, not ")
             << type;
  }
  return success();
}

class Lowering {
public:
  explicit Lowering(ModuleOp module)
      : b(module.getContext()), products(module), functions(module) {}

  void lower(PackBlocksOp op) {
    b.setInsertionPoint(op);
    lower(op, "aik$packblocks", layoutOf(op),
          {withoutSizes(op.getSource()), withoutSizes(op.getDest())},
          op.getDest(), emitBlockPacking);
  }

  void lower(BlockGemvOp op) {
    b.setInsertionPoint(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operand == op.getWScales() || operand == op.getWZeros()
                             ? panelsOf(operand)
                             : withoutSizes(operand));
    lower(op, "aik$blockgemv", layoutOf(op), operands, op.getW(),
          [&](func::FuncOp function, const QuantPanel &layout) {
            emitBlockGemv(function, layout, products);
          });
  }

  void lower(BlockMatmulOp op) {
    b.setInsertionPoint(op);
    auto x = cast<MemRefType>(op.getX().getType());
    int64_t rows = x.getDimSize(3), depth = x.getDimSize(4);
    BlockTile tile{rows, depth, x.getDimSize(2) * depth,
                   /*isDirect=*/x.getDimSize(0) == 1 && x.getDimSize(1) == 1 &&
                       rows <= kMostDirectRows,
                   /*mayBeFew=*/x.isDynamicDim(1) && rows >= kMostDirectRows};
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operand == op.getW() || operand == op.getOut()
                             ? withoutSizes(operand)
                             : panelsOf(operand));
    Layout layout = layoutOf(op);
    layout.push_back(b.getI64ArrayAttr(
        {tile.rows, tile.depth, tile.elements, tile.isDirect, tile.mayBeFew}));
    lower(op, "aik$blockmatmul", layout, operands, op.getW(),
          [&](func::FuncOp function, const QuantPanel &layout) {
            emitBlockMatmul(function, layout, products, tile);
          });
  }

private:
  /// The format, whether codes are whole bytes, and what else a function
  /// depends on.
  using Layout = SmallVector<Attribute>;

  template <typename OpTy>
  Layout layoutOf(OpTy op) {
    return {op.getFormat(), b.getBoolAttr(op.getWholeBytes())};
  }

  using EmitFn = function_ref<void(func::FuncOp, const QuantPanel &)>;

  /// One iteration computes a panel of `packed`; in parallel where this is not
  /// part of a worker's own tile.
  void lower(Operation *op, StringRef name, const Layout &layout,
             SmallVector<Value> operands, Value packed, EmitFn emit) {
    Location loc = op->getLoc();
    Value panels = memref::DimOp::create(b, loc, packed, 0);
    if (op->getParentOfType<scf::ForallOp>()) {
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      auto loop = scf::ForOp::create(b, loc, zero, panels, one);
      b.setInsertionPointToStart(loop.getBody());
      operands.push_back(loop.getInductionVar());
    } else {
      auto loop = scf::ForallOp::create(
          b, loc, SmallVector<OpFoldResult>{panels}, ValueRange{},
          /*mapping=*/std::nullopt);
      b.setInsertionPoint(loop.getTerminator());
      operands.push_back(loop.getInductionVar(0));
    }
    functions.call(b, loc, name, operands, b.getArrayAttr(layout),
                   [&](func::FuncOp made) {
                     auto format = cast<QuantAttr>(layout[0]);
                     bool wholeBytes = cast<BoolAttr>(layout[1]).getValue();
                     emit(made, QuantPanel(getQuantFormat(format), wholeBytes));
                   });
    op->erase();
  }

  /// [parts, panels, steps, rows, depth] without the last border.
  Value panelsOf(Value packed) {
    SmallVector<OpFoldResult> start(5, b.getIndexAttr(0));
    return viewPanels(b, packed.getLoc(), packed, start);
  }

  /// The memref with only those sizes and strides that a format fixes, so that
  /// one function serves all.
  Value withoutSizes(Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    int64_t rank = type.getRank();
    SmallVector<int64_t> sizes(rank, ShapedType::kDynamic);
    SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
    strides.back() = 1;
    auto general = MemRefType::get(
        sizes, type.getElementType(),
        StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides));
    return memref::CastOp::create(b, memref.getLoc(), general, memref);
  }

  OpBuilder b;
  ByteProducts products;
  SharedFunctions functions;
};

LogicalResult checkSteps(BlockMatmulOp op, const ByteProducts &products) {
  ArrayRef<int64_t> x = cast<MemRefType>(op.getX().getType()).getShape();
  QuantPanel layout(getQuantFormat(op.getFormat()), op.getWholeBytes());
  if (takesSteps(products, layout, x[3], x[4]))
    return success();
  return op.emitOpError("has steps of ")
         << x[4] << " elements in panels of " << x[3]
         << " rows, for which the target has no instruction";
}

struct LowerBlockProductsPass
    : aikernel::impl::LowerBlockProductsPassBase<LowerBlockProductsPass> {
  using LowerBlockProductsPassBase::LowerBlockProductsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<PackBlocksOp, BlockGemvOp, BlockMatmulOp>(op))
        ops.push_back(op);
    });
    ByteProducts products(getOperation());
    int64_t lanes = products.getLanesOfRow();
    for (Operation *op : ops) {
      if (failed(checkBuffers(op)))
        return signalPassFailure();
      auto gemv = dyn_cast<BlockGemvOp>(op);
      auto matmul = dyn_cast<BlockMatmulOp>(op);
      if ((gemv && !gemv.isPacked()) || (matmul && !matmul.isPacked())) {
        op->emitOpError("needs weights that aik-pack-blocks has packed");
        return signalPassFailure();
      }
      int64_t copies =
          matmul ? cast<MemRefType>(matmul.getScales().getType()).getDimSize(4)
                 : lanes;
      if (copies != lanes) {
        op->emitOpError("needs numbers of rows in ")
            << lanes << " lanes, not " << copies;
        return signalPassFailure();
      }
      if (matmul && failed(checkSteps(matmul, products)))
        return signalPassFailure();
    }
    Lowering lowering(getOperation());
    for (Operation *op : ops) {
      if (auto pack = dyn_cast<PackBlocksOp>(op))
        lowering.lower(pack);
      else if (auto gemv = dyn_cast<BlockGemvOp>(op))
        lowering.lower(gemv);
      else
        lowering.lower(cast<BlockMatmulOp>(op));
    }
  }
};

} // namespace
