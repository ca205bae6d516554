//===- LowerBlockProducts.cpp - Block products become loops ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: pack_blocks and block_gemv of packed weights, on memrefs.
// Out: parallel loops over panels, that is ranges of rows, which call functions
// that the products of a format share.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/BlockKernels.h"
#include "AIKernel/Transforms/Passes.h"
#include "AIKernel/Transforms/SharedFunctions.h"
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
    lower(op, "aik$packblocks", layoutOf(op), op.getDest(), emitBlockPacking);
  }

  void lower(BlockGemvOp op) {
    lower(op, "aik$blockgemv", layoutOf(op), op.getW(),
          [&](func::FuncOp function, const QuantPanel &layout) {
            emitBlockGemv(function, layout, products);
          });
  }

private:
  /// The format, and whether codes are whole bytes.
  using Layout = std::pair<QuantAttr, bool>;

  template <typename OpTy>
  static Layout layoutOf(OpTy op) {
    return {op.getFormat(), op.getWholeBytes()};
  }

  using EmitFn = function_ref<void(func::FuncOp, const QuantPanel &)>;

  /// One iteration computes a panel of `packed`.
  void lower(Operation *op, StringRef name, Layout layout, Value packed,
             EmitFn emit) {
    b.setInsertionPoint(op);
    Location loc = op->getLoc();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(withoutSizes(operand));
    OpFoldResult panels = memref::DimOp::create(b, loc, packed, 0).getResult();
    auto loop = scf::ForallOp::create(b, loc, panels, ValueRange{},
                                      /*mapping=*/std::nullopt);
    b.setInsertionPoint(loop.getTerminator());
    operands.push_back(loop.getInductionVar(0));
    Attribute variant =
        b.getArrayAttr({layout.first, b.getBoolAttr(layout.second)});
    functions.call(b, loc, name, operands, variant, [&](func::FuncOp made) {
      emit(made, QuantPanel(getQuantFormat(layout.first), layout.second));
    });
    op->erase();
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

struct LowerBlockProductsPass
    : aikernel::impl::LowerBlockProductsPassBase<LowerBlockProductsPass> {
  using LowerBlockProductsPassBase::LowerBlockProductsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<PackBlocksOp, BlockGemvOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (failed(checkBuffers(op)))
        return signalPassFailure();
      auto gemv = dyn_cast<BlockGemvOp>(op);
      if (gemv && !gemv.isPacked()) {
        op->emitOpError("needs weights that aik-pack-blocks has packed");
        return signalPassFailure();
      }
    }
    Lowering lowering(getOperation());
    for (Operation *op : ops) {
      if (auto pack = dyn_cast<PackBlocksOp>(op))
        lowering.lower(pack);
      else
        lowering.lower(cast<BlockGemvOp>(op));
    }
  }
};

} // namespace
