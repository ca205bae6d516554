//===- SeparateProducts.cpp - One product of matrices per kernel ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels on tensors, in a module for sm_90a.
// Out: of a kernel with several products of matrices, such as the gate and the
// up projection of a gated layer, each product but the last is a kernel of its
// own, called before. It rounds its sums as those who read them would have
// done. A tile program computes one product: the sums of two do not leave
// registers for a tile that is large enough, while writing and reading one of
// them again takes a few percent of the time of a product.
//
//===----------------------------------------------------------------------===//

#include "../GPU/Processor.h"
#include "../GPU/TileProducts.h"
#include "../GPU/WholeTensors.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "AIKernel/Transforms/Kernels/Contractions.h"
#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "aik-separate-products"

namespace aikernel {
#define GEN_PASS_DEF_SEPARATEPRODUCTSPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// What all readers of the sums round them to first, or their own type.
Type readAs(linalg::GenericOp product) {
  Type found;
  for (OpOperand &use : product->getUses()) {
    auto reader = cast<linalg::GenericOp>(use.getOwner());
    for (Operation *user : reader.getMatchingBlockArgument(&use).getUsers()) {
      auto round = dyn_cast<arith::TruncFOp>(user);
      if (!round || (found && round.getType() != found))
        return getElementTypeOrSelf(product.getResult(0));
      found = round.getType();
    }
  }
  return found ? found : getElementTypeOrSelf(product.getResult(0));
}

class Separation {
public:
  Separation(func::FuncOp kernel, linalg::GenericOp product)
      : kernel(kernel), product(product), element(readAs(product)),
        b(kernel.getContext()) {}

  static bool isPossible(linalg::GenericOp product) {
    return isTileProduct(product) &&
           isa<BlockArgument>(product.getOperand(0)) &&
           isa<BlockArgument>(product.getOperand(1)) &&
           llvm::all_of(product->getUsers(), [](Operation *user) {
             auto reader = dyn_cast<linalg::GenericOp>(user);
             return reader &&
                    reader.getNumParallelLoops() == reader.getNumLoops();
           });
  }

  void run(StringRef name) {
    auto lhs = cast<BlockArgument>(product.getOperand(0));
    auto rhs = cast<BlockArgument>(product.getOperand(1));
    sums = cast<RankedTensorType>(product.getResult(0).getType());
    rounded = sums.clone(element);
    func::FuncOp own = buildKernel(name, lhs, rhs);
    unsigned place = lhs.getArgNumber();
    callBefore(own, lhs.getArgNumber(), rhs.getArgNumber(), place);
    (void)kernel.insertArgument(place, rounded, DictionaryAttr(),
                                product.getLoc());
    readInstead(kernel.getArgument(place));
    Operation *zeros = product.getDpsInits()[0].getDefiningOp();
    product.erase();
    if (zeros->use_empty())
      zeros->erase();
    eraseUnused(rhs);
  }

private:
  func::FuncOp buildKernel(StringRef name, Value lhs, Value rhs) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(kernel);
    Location loc = product.getLoc();
    auto type =
        b.getFunctionType({lhs.getType(), rhs.getType(), rounded}, {rounded});
    auto own = func::FuncOp::create(b, loc, name, type);
    own.setPrivate();
    own->setAttr(kKernelAttrName, b.getUnitAttr());
    Block *body = own.addEntryBlock();
    b.setInsertionPointToStart(body);
    Value out = body->getArgument(2), into = out;
    if (element != sums.getElementType())
      into = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, out),
                                     sums.getElementType());
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(sums.getElementType()));
    Value zeros = linalg::FillOp::create(b, loc, zero, into).getResult(0);
    IRMapping values;
    values.map(lhs, body->getArgument(0));
    values.map(rhs, body->getArgument(1));
    values.map(product.getDpsInits()[0], zeros);
    Operation *root = b.clone(*product, values);
    ContractionLoops loops = *matchContraction(product);
    SmallVector<int64_t> tileable{loops.m, loops.n};
    if (element != sums.getElementType()) {
      root = linalg::GenericOp::create(
          b, loc, TypeRange{rounded}, root->getResults(), ValueRange{out},
          SmallVector<AffineMap>(2, b.getMultiDimIdentityMap(2)),
          SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
          [&](OpBuilder &builder, Location loc, ValueRange elements) {
            Value narrow =
                arith::TruncFOp::create(builder, loc, element, elements[0]);
            linalg::YieldOp::create(builder, loc, narrow);
          });
      tileable = {0, 1};
    }
    llvm::sort(tileable);
    root->setAttr(kRootAttrName, b.getDenseI64ArrayAttr(tileable));
    func::ReturnOp::create(b, loc, root->getResults());
    return own;
  }

  void callBefore(func::FuncOp own, unsigned lhs, unsigned rhs,
                  unsigned place) {
    ContractionLoops loops = *matchContraction(product);
    AffineMap map =
        product.getMatchingIndexingMap(product.getDpsInputOperand(0));
    unsigned rowDim =
        *map.getResultPosition(getAffineDimExpr(loops.m, product.getContext()));
    for (func::CallOp call : callsOf(kernel)) {
      b.setInsertionPoint(call);
      Location loc = product.getLoc();
      SmallVector<Value> rows;
      if (rounded.isDynamicDim(0))
        rows.push_back(
            tensor::DimOp::create(b, loc, call.getOperand(lhs), rowDim));
      Value out = tensor::EmptyOp::create(b, loc, rounded, rows);
      auto first = func::CallOp::create(
          b, loc, own,
          ValueRange{call.getOperand(lhs), call.getOperand(rhs), out});
      call->insertOperands(place, first.getResults());
    }
  }

  void readInstead(BlockArgument argument) {
    for (OpOperand &use : llvm::make_early_inc_range(product->getUses())) {
      auto reader = cast<linalg::GenericOp>(use.getOwner());
      BlockArgument read = reader.getMatchingBlockArgument(&use);
      use.set(argument);
      if (read.getType() == element)
        continue;
      read.setType(element);
      for (Operation *round : llvm::make_early_inc_range(read.getUsers())) {
        round->getResult(0).replaceAllUsesWith(read);
        round->erase();
      }
    }
  }

  void eraseUnused(BlockArgument argument) {
    if (!argument.use_empty())
      return;
    unsigned number = argument.getArgNumber();
    for (func::CallOp call : callsOf(kernel))
      call->eraseOperand(number);
    (void)kernel.eraseArgument(number);
  }

  func::FuncOp kernel;
  linalg::GenericOp product;
  Type element;
  RankedTensorType sums, rounded;
  OpBuilder b;
};

struct SeparateProductsPass
    : aikernel::impl::SeparateProductsPassBase<SeparateProductsPass> {
  using SeparateProductsPassBase::SeparateProductsPassBase;

  void runOnOperation() override {
    if (!getProcessor(getTarget(getOperation())).hasWarpgroups)
      return;
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!kernel->hasAttr(kKernelAttrName))
        continue;
      SmallVector<linalg::GenericOp> products;
      for (auto generic : kernel.getOps<linalg::GenericOp>())
        if (generic.getNumReductionLoops() > 0)
          products.push_back(generic);
      if (products.size() < 2 ||
          !llvm::all_of(products, Separation::isPossible))
        continue;
      for (auto [i, product] :
           llvm::enumerate(ArrayRef<linalg::GenericOp>(products).drop_back()))
        Separation(kernel, product)
            .run((kernel.getSymName() + "$" + Twine(i)).str());
    }
  }
};

} // namespace
