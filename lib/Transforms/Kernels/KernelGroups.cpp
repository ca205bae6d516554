//===- KernelGroups.cpp - What kind of work an op is ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op of the phase `structured`. Out: its kind, loops and indexing maps.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace aikernel;

/// A tile of loops touches one block of an operand: a sum of positive multiples
/// of loops, from 0 on.
static bool hasBlockOfTile(AffineExpr expr) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue() == 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return isa<AffineDimExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add)
    return hasBlockOfTile(binary.getLHS()) && hasBlockOfTile(binary.getRHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && factor &&
         factor.getValue() > 0 && hasBlockOfTile(binary.getLHS());
}

static bool isTileable(linalg::LinalgOp op) {
  // Upstream tiles results that are each a loop or none.
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isProjectedPermutation())
      return false;
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return llvm::all_of(map.getResults(), [](AffineExpr expr) {
      // The same place for every tile.
      return isa<AffineConstantExpr>(expr) || hasBlockOfTile(expr);
    });
  });
}

OpKind aikernel::kindOf(Operation *op) {
  if (isa<OnlineAttentionOp>(op))
    return OpKind::Attention;
  if (isa<PackedProductOp, BlockGemvOp, BlockMatmulOp, LaneProductOp>(op))
    return OpKind::Contraction;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      op->getNumResults() == 0 || !isTileable(linalgOp))
    return OpKind::Other;
  if (linalgOp.getNumReductionLoops() == 0)
    return OpKind::Elementwise;
  if (linalgOp.getNumDpsInputs() == 2) {
    auto dims = linalg::inferContractionDims(linalgOp);
    if (succeeded(dims) && !dims->m.empty() && !dims->n.empty())
      return OpKind::Contraction;
  }
  return OpKind::RowReduction;
}

/// Longer bodies are functions that someone wrote out.
static constexpr size_t kLongestOfCheap = 24;

bool aikernel::isCheap(Operation *op) {
  bool isLong = false;
  size_t length = 0;
  op->walk([&](Operation *nested) {
    isLong |= isa_and_nonnull<math::MathDialect>(nested->getDialect()) ||
              isa<tensor::ExtractOp>(nested);
    length += !isa<arith::ConstantOp>(nested);
  });
  return !isLong && length <= kLongestOfCheap;
}

bool aikernel::readsInit(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp &&
         llvm::any_of(linalgOp.getDpsInitsMutable(), [&](OpOperand &init) {
           return linalgOp.payloadUsesValueFromOperand(&init);
         });
}

SmallVector<utils::IteratorType> aikernel::iteratorTypesOf(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.getIteratorTypesArray();
  return cast<TilingInterface>(op).getLoopIteratorTypes();
}

unsigned aikernel::loopCountOf(Operation *op) {
  return iteratorTypesOf(op).size();
}

/// Batch, head and query index every carried value; the features of the
/// accumulator are no loop.
static AffineMap carriedMap(OnlineAttentionOp attention, unsigned number) {
  MLIRContext *context = attention.getContext();
  SmallVector<AffineExpr> exprs;
  for (unsigned loop = 0; loop < 3; ++loop)
    exprs.push_back(getAffineDimExpr(loop, context));
  if (number == 0)
    exprs.push_back(getAffineConstantExpr(0, context));
  return AffineMap::get(/*dimCount=*/4, /*symbolCount=*/0, exprs, context);
}

/// The loops of block products are the dimensions of their result.
static AffineMap mapOfBlockProduct(Operation *op) {
  auto result = cast<DestinationStyleOpInterface>(op).getDpsInits()[0];
  return AffineMap::getMultiDimIdentityMap(
      cast<ShapedType>(result.getType()).getRank(), op->getContext());
}

AffineMap aikernel::indexingMapOf(OpOperand &operand) {
  if (isa<BlockGemvOp, BlockMatmulOp, LaneProductOp>(operand.getOwner())) {
    auto dps = cast<DestinationStyleOpInterface>(operand.getOwner());
    return dps.isDpsInit(&operand) ? mapOfBlockProduct(dps) : AffineMap();
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(operand.getOwner()))
    return linalgOp.getMatchingIndexingMap(&operand);
  if (auto product = dyn_cast<PackedProductOp>(operand.getOwner()))
    if (product.isDpsInit(&operand))
      return product.getOutMap();
  if (auto attention = dyn_cast<OnlineAttentionOp>(operand.getOwner()))
    if (attention.isDpsInit(&operand))
      return carriedMap(attention,
                        attention.getTiedOpResult(&operand).getResultNumber());
  return {};
}

AffineMap aikernel::indexingMapOf(OpResult result) {
  if (isa<BlockGemvOp, BlockMatmulOp, LaneProductOp>(result.getOwner()))
    return mapOfBlockProduct(result.getOwner());
  if (auto product = dyn_cast<PackedProductOp>(result.getOwner()))
    return product.getOutMap();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(result.getOwner()))
    return linalgOp.getIndexingMapMatchingResult(result);
  if (auto attention = dyn_cast<OnlineAttentionOp>(result.getOwner()))
    return carriedMap(attention, result.getResultNumber());
  return {};
}

std::optional<LoopsOfRoot> aikernel::mapThrough(OpOperand &use,
                                                const LoopsOfRoot &consumer) {
  AffineMap useMap = indexingMapOf(use);
  auto result = cast<OpResult>(use.get());
  AffineMap resultMap = indexingMapOf(result);
  if (!useMap || !resultMap ||
      useMap.getNumResults() != resultMap.getNumResults())
    return std::nullopt;
  LoopsOfRoot loops(resultMap.getNumDims(), -1);
  for (auto [used, produced] :
       llvm::zip(useMap.getResults(), resultMap.getResults())) {
    auto producedDim = dyn_cast<AffineDimExpr>(produced);
    if (!producedDim && !isa<AffineConstantExpr>(produced))
      return std::nullopt;
    if (!producedDim) // a dimension that is always computed whole
      continue;
    auto usedDim = dyn_cast<AffineDimExpr>(used);
    if (usedDim)
      loops[producedDim.getPosition()] = consumer[usedDim.getPosition()];
  }
  return loops;
}

void aikernel::forEachOp(
    Operation *root,
    function_ref<void(Operation *, const LoopsOfRoot &)> body) {
  DenseMap<Operation *, LoopsOfRoot> known;
  SmallVector<Operation *> next{root};
  LoopsOfRoot identity;
  for (unsigned i = 0, e = loopCountOf(root); i < e; ++i)
    identity.push_back(i);
  known[root] = identity;
  while (!next.empty()) {
    Operation *op = next.pop_back_val();
    LoopsOfRoot loops = known[op];
    body(op, loops);
    for (OpOperand &use : op->getOpOperands()) {
      Operation *producer = use.get().getDefiningOp();
      if (!producer || known.count(producer) ||
          kindOf(producer) == OpKind::Other)
        continue;
      if (std::optional<LoopsOfRoot> through = mapThrough(use, loops)) {
        known[producer] = *through;
        next.push_back(producer);
      }
    }
  }
}

SmallVector<int64_t> aikernel::extentsOf(Operation *root) {
  if (auto op = dyn_cast<linalg::LinalgOp>(root))
    return op.getStaticLoopRanges();
  SmallVector<int64_t> extents;
  for (unsigned i = 0, e = loopCountOf(root); i < e; ++i)
    extents.push_back(ShapedType::kDynamic);
  AffineMap map = indexingMapOf(root->getResult(0));
  auto shape = cast<ShapedType>(root->getResult(0).getType()).getShape();
  for (auto [expr, size] : llvm::zip(map.getResults(), shape))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      extents[dim.getPosition()] = size;
  if (auto attention = dyn_cast<OnlineAttentionOp>(root))
    extents.back() = cast<ShapedType>(attention.getK().getType())
                         .getDimSize(attention.getSequenceDim());
  return extents;
}

std::optional<int64_t> aikernel::stepsOf(Operation *op) {
  int64_t steps = 1;
  for (int64_t extent : extentsOf(op))
    if (ShapedType::isDynamic(extent) ||
        llvm::MulOverflow(steps, extent, steps))
      return std::nullopt;
  return steps;
}

bool aikernel::hasEmptyLoop(func::FuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    bool empty =
        kindOf(op) != OpKind::Other && llvm::is_contained(extentsOf(op), 0);
    return empty ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool aikernel::isWeight(Value operand) {
  auto argument = dyn_cast<BlockArgument>(operand);
  auto kernel = argument
                    ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                    : func::FuncOp();
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!kernel || !type || !type.hasStaticShape())
    return false;
  auto uses = SymbolTable::getSymbolUses(kernel, kernel->getParentOp());
  if (!uses || uses->empty())
    return false;
  return llvm::all_of(*uses, [&](SymbolTable::SymbolUse use) {
    auto call = dyn_cast<func::CallOp>(use.getUser());
    auto given =
        call ? dyn_cast<BlockArgument>(call.getOperand(argument.getArgNumber()))
             : BlockArgument();
    auto caller = given
                      ? dyn_cast<func::FuncOp>(given.getOwner()->getParentOp())
                      : func::FuncOp();
    return caller && caller.getArgAttr(given.getArgNumber(), kWeightAttr);
  });
}
