//===- PackProducts.cpp - Products read packed operands -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels with linalg.generic products on tensors.
// Out: each product that is worth it as two aikernel.pack_panels and one
// aikernel.packed_product, laid out for the best matrix instruction of the
// target.
//
//   %c = linalg.generic (product) ins(%a, %b) outs(%zeros)
//   ==>  %p = aikernel.pack_panels %a ; %q = aikernel.pack_panels %b
//        %c = aikernel.packed_product %p, %q {overwrite}
//
// Packing reads each operand once, so it pays when both sides are used several
// times; a product of few rows reads its operands where they are.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Kernels/Contractions.h"
#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "AIKernel/Transforms/Passes.h"
#include "ColumnsInPlace.h"
#include "RowsInPlace.h"
#include "Tiles/MatrixInstructions.h"
#include "Tiles/NumberParts.h"
#include "Tiles/QuadRounds.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#define DEBUG_TYPE "aik-pack-products"

namespace aikernel {
#define GEN_PASS_DEF_PACKPRODUCTSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Bytes of the sum that one panel of each side covers before the next block,
/// at most; with narrow panels, of which longer ones stay in L1; with those of
/// AVX-512, which come from L2 anyhow; and what a panel on the right may have
/// for tile registers where it stays in an L1 cache of 48 KiB while those on
/// the left go by.
constexpr int64_t kBlockBytes = 1536;
constexpr int64_t kBlockBytesOfNarrow = 2048;
constexpr int64_t kBlockBytesOfWide = 2560;
constexpr int64_t kPanelBytes = 32 << 10;
/// The inner loop takes that many steps at once, or a divisor of it, but where
/// sums are squares, for which `QuadRounds` has longer rounds.
constexpr int64_t kStepsOfRound = 4;
/// Fewer rows or columns than these do not pay for packing the other side.
constexpr int64_t kFewestRows = 16;
constexpr int64_t kFewestColumns = 8;
/// Nor do products of fewer multiplications than this.
constexpr int64_t kFewestMultiplications = 32 * 32 * 32;

/// Sums of numbers in parts have at least a step of them: of fewer than 16 they
/// may be less exact than as they are. So many columns pay for packing the left
/// side in parts, and so many rows for the right.
constexpr int64_t kFewestOfParts = 32;
constexpr int64_t kFewestBesideParts = 64;
/// All parts of a panel on the right are to stay in L1, also where a sibling
/// has half of it: so many numbers are one block, more are several.
constexpr int64_t kOneBlockOfParts = 192;
constexpr int64_t kBlockOfParts = 128;

/// A product whose loops are batches, rows, columns and one sum.
struct Product {
  linalg::GenericOp op;
  ContractionLoops loops;
  const MatrixInstruction *instruction;
  AffineMap maps[3];
};

/// Each result of the map is a loop or a constant.
bool isPlain(AffineMap map) {
  return llvm::all_of(map.getResults(), [](AffineExpr expr) {
    return isa<AffineDimExpr, AffineConstantExpr>(expr);
  });
}

std::optional<unsigned> positionOf(AffineMap map, unsigned loop) {
  return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
}

bool pays(linalg::GenericOp op, const ContractionLoops &loops) {
  if (isWeight(op.getOperand(1)))
    return true;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto known = [&](unsigned loop) {
    return !ShapedType::isDynamic(sizes[loop]);
  };
  if (known(loops.m) && sizes[loops.m] < kFewestRows)
    return false;
  if (known(loops.n) && sizes[loops.n] < kFewestColumns)
    return false;
  int64_t multiplications = 1;
  for (unsigned loop : {loops.m, loops.n, loops.k}) {
    if (!known(loop))
      return true;
    multiplications *= sizes[loop];
  }
  return multiplications >= kFewestMultiplications;
}

std::optional<Product> matchProduct(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics())
    return std::nullopt;
  std::optional<ContractionLoops> loops = matchContraction(op);
  if (!loops || !pays(op, *loops))
    return std::nullopt;
  Product product{op, *loops, nullptr, {}};
  for (auto [position, map] : llvm::enumerate(op.getIndexingMapsArray()))
    product.maps[position] = map;
  // One summed loop, and every other loop is one dimension of the result.
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (llvm::count(iterators, utils::IteratorType::reduction) != 1 ||
      !llvm::all_of(product.maps, isPlain) ||
      product.maps[2].getNumResults() + 1 != op.getNumLoops() ||
      !product.maps[2].isProjectedPermutation())
    return std::nullopt;
  // The left operand holds the rows.
  std::pair<unsigned, unsigned> held[] = {
      {0, loops->m}, {0, loops->k}, {1, loops->n}, {1, loops->k}};
  for (auto [operand, loop] : held)
    if (!positionOf(product.maps[operand], loop))
      return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t rows = sizes[loops->m];
  // What is not known may be little.
  bool maySplit = sizes[loops->k] >= kFewestOfParts &&
                  sizes[loops->m] >= kFewestBesideParts &&
                  sizes[loops->n] >= kFewestBesideParts;
  if (ShapedType::isDynamic(rows))
    rows = kManyRows;
  product.instruction = chooseInstruction(
      op, getElementTypeOrSelf(op.getOperand(0)),
      getElementTypeOrSelf(op.getOperand(1)),
      getElementTypeOrSelf(op.getResult(0)),
      maySplit ? ProductForm::Parts : ProductForm::Tiles, rows);
  if (!product.instruction)
    return std::nullopt;
  return product;
}

class Packer {
public:
  Packer(IRRewriter &rewriter, Product &product)
      : b(rewriter), product(product), loc(product.op.getLoc()),
        instruction(*product.instruction) {}

  void run() {
    b.setInsertionPoint(product.op);
    findLoops();
    // The static size, if either operand has one: both are cut alike.
    int64_t known = product.op.getStaticLoopRanges()[product.loops.k];
    sum = ShapedType::isDynamic(known)
              ? cast<linalg::LinalgOp>(product.op.getOperation())
                    .createLoopRanges(b, loc)[product.loops.k]
                    .size
              : OpFoldResult(b.getIndexAttr(known));
    Value depth = getValueOrCreateConstantIndexOp(b, loc, sum);
    auto [lhs, lhsMap] = pack(0, product.loops.m, instruction.rows,
                              instruction.depth, instruction.leftIsUnsigned);
    auto [rhs, rhsMap] = pack(1, product.loops.n, instruction.columns(),
                              instruction.rightDepth(), /*flipSign=*/false);
    Value out = product.op.getDpsInits()[0];
    bool overwrites = startsFromZero(out);
    if (overwrites)
      out = out.getDefiningOp<linalg::FillOp>().getDpsInits()[0];
    auto packed = PackedProductOp::create(
        b, loc, TypeRange{out.getType()}, lhs, rhs, depth, out,
        b.getStringAttr(instruction.name), AffineMapAttr::get(lhsMap),
        AffineMapAttr::get(rhsMap),
        AffineMapAttr::get(renumber(product.maps[2])),
        overwrites ? b.getUnitAttr() : UnitAttr());
    keepRoot(packed);
    b.replaceOp(product.op, packed.getResults());
  }

private:
  /// Batches, then rows, then columns.
  void findLoops() {
    newLoop.assign(product.op.getNumLoops(), -1);
    unsigned next = 0;
    for (unsigned loop : product.loops.others)
      newLoop[loop] = next++;
    newLoop[product.loops.m] = next++;
    newLoop[product.loops.n] = next++;
    loopCount = next;
  }

  /// The map in terms of the new loops, without some of its results.
  AffineMap renumber(AffineMap map, ArrayRef<unsigned> dropped = {}) {
    SmallVector<AffineExpr> exprs;
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      if (llvm::is_contained(dropped, position))
        continue;
      auto dim = dyn_cast<AffineDimExpr>(expr);
      exprs.push_back(dim ? b.getAffineDimExpr(newLoop[dim.getPosition()])
                          : expr);
    }
    return AffineMap::get(loopCount, 0, exprs, b.getContext());
  }

  /// Packs an operand; also how the loops index what comes before its panels.
  std::pair<Value, AffineMap> pack(unsigned operand, unsigned panelLoop,
                                   int64_t width, int64_t depth,
                                   bool flipSign) {
    Value source = product.op.getOperand(operand);
    AffineMap map = product.maps[operand];
    unsigned panelDim = *positionOf(map, panelLoop);
    unsigned depthDim = *positionOf(map, product.loops.k);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, source);
    Type right = elementType(instruction.operand, b.getContext());
    Type element = operand == 0
                       ? elementType(instruction.leftOperand(), b.getContext())
                       : right;
    int64_t mostSteps =
        std::max<int64_t>(1, blockLength(right) / int64_t(instruction.depth));
    SmallVector<OpFoldResult> packed;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (dim != panelDim && dim != depthDim)
        packed.push_back(size);
    AffineExpr d0 = b.getAffineDimExpr(0);
    auto ceilDiv = [&](OpFoldResult size, int64_t by) {
      return affine::makeComposedFoldedAffineApply(b, loc, d0.ceilDiv(by),
                                                   {size});
    };
    // Blocks of equal length, as far as the sum's length is known.
    OpFoldResult steps = ceilDiv(sum, instruction.depth);
    OpFoldResult blocks = ceilDiv(steps, mostSteps);
    int64_t stepsOfBlock = mostSteps;
    std::optional<int64_t> knownSteps = getConstantIntValue(steps);
    if (knownSteps) {
      int64_t count = std::max<int64_t>(1, *getConstantIntValue(blocks));
      stepsOfBlock = std::max<int64_t>(1, (*knownSteps + count - 1) / count);
      // Whole rounds of the tile's loop, but for the last.
      if (count > 1)
        stepsOfBlock = llvm::alignTo(stepsOfBlock, instruction.accumulators ==
                                                           Accumulators::Quads
                                                       ? QuadRounds::kSteps
                                                       : kStepsOfRound);
      blocks = b.getIndexAttr(
          std::max<int64_t>(1, llvm::divideCeil(*knownSteps, stepsOfBlock)));
    }
    // One step of the tile may be several of a shallower operand.
    int64_t multiple = instruction.depth / depth;
    int64_t parts = instruction.parts;
    packed.append({blocks, ceilDiv(sizes[panelDim], width),
                   b.getIndexAttr(packedSteps(stepsOfBlock, parts) * multiple),
                   b.getIndexAttr(width), b.getIndexAttr(depth)});
    Value empty = tensor::EmptyOp::create(b, loc, packed, element);
    Value result =
        PackPanelsOp::create(b, loc, TypeRange{empty.getType()}, source, empty,
                             panelDim, depthDim, multiple, flipSign, parts)
            .getResult(0);
    return {result, renumber(map, {panelDim, depthDim})};
  }

  /// The most numbers of a block of the sum.
  int64_t blockLength(Type right) {
    if (instruction.parts > 1)
      return *getConstantIntValue(sum) <= kOneBlockOfParts ? kOneBlockOfParts
                                                           : kBlockOfParts;
    if (leftPaysInPlace())
      return *getConstantIntValue(sum);
    bool isWide = instruction.isOfAVX512() &&
                  instruction.accumulators == Accumulators::Rows;
    int64_t bytes = isWide                          ? kBlockBytesOfWide
                    : instruction.vectorBits == 128 ? kBlockBytesOfNarrow
                                                    : kBlockBytes;
    if (instruction.accumulators == Accumulators::Tiles)
      bytes = std::min(bytes, kPanelBytes / instruction.columns());
    int64_t bits = right.getIntOrFloatBitWidth(), most = bytes * 8 / bits;
    std::optional<int64_t> known = getConstantIntValue(sum);
    if ((known && *known <= most) || !tilesPackColumns())
      return most;
    int64_t rows = product.op.getStaticLoopRanges()[product.loops.m];
    return std::min(most, sumBesideColumns(rows, bits));
  }

  /// Whether its rows are better read where they are, for which the sum has to
  /// be one block: as the schedule will ask.
  bool leftPaysInPlace() {
    Type left = elementType(instruction.leftOperand(), b.getContext());
    SmallVector<int64_t> sizes = product.op.getStaticLoopRanges();
    const auto &[m, n, k, others] = product.loops;
    return others.empty() && !instruction.leftIsUnsigned &&
           getElementTypeOrSelf(product.op.getOperand(0)) == left &&
           *positionOf(product.maps[0], m) == 0 &&
           columnsBesideRowsInPlace(instruction, sizes[m], sizes[n], sizes[k],
                                    left.getIntOrFloatBitWidth())
               .has_value();
  }

  /// Whether columns are better read where they are, as the schedule will ask.
  /// Weights are packed ahead.
  bool tilesPackColumns() {
    const auto &[m, n, k, others] = product.loops;
    return others.empty() && !isWeight(product.op.getOperand(1)) &&
           *positionOf(product.maps[1], n) == 1 &&
           *positionOf(product.maps[2], n) == 1 &&
           packsColumnsInTile(instruction, product.op.getStaticLoopRanges()[m]);
  }

  bool startsFromZero(Value out) {
    auto fill = out.getDefiningOp<linalg::FillOp>();
    return fill && (matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
                    matchPattern(fill.getInputs()[0], m_Zero()));
  }

  void keepRoot(Operation *packed) {
    auto root = product.op->getAttrOfType<DenseI64ArrayAttr>(kRootAttrName);
    if (!root)
      return;
    SmallVector<int64_t> tileable;
    for (int64_t loop : root.asArrayRef())
      tileable.push_back(newLoop[loop]);
    llvm::sort(tileable);
    packed->setAttr(kRootAttrName, b.getDenseI64ArrayAttr(tileable));
  }

  IRRewriter &b;
  Product &product;
  Location loc;
  const MatrixInstruction &instruction;
  SmallVector<int> newLoop;
  unsigned loopCount = 0;
  OpFoldResult sum;
};

/// Features of queries, keys and values up to which attention keeps its
/// panels in L2 and on a worker's stack.
constexpr int64_t kMostFeatures = 256;

/// Attention packs tiles of its operands itself; it only needs to be told the
/// instruction.
void chooseForAttention(OnlineAttentionOp op) {
  Type element = getElementTypeOrSelf(op.getQ().getType());
  for (Value operand : {op.getK(), op.getV()}) {
    int64_t features = cast<ShapedType>(operand.getType()).getDimSize(3);
    if (ShapedType::isDynamic(features) || features > kMostFeatures)
      return;
  }
  if (!op.getScale().getType().isF32())
    return;
  // Instructions for f16 would have the powers rounded, and most multiply no
  // more at once.
  if (element.isF16())
    element = op.getScale().getType();
  Type sum = op.getScale().getType();
  auto choose = [&](ProductForm form) {
    if (auto *row = chooseInstruction(op, element, element, sum, form))
      op.setInstruction(row->name);
  };
  // hasFewRows asks for one. Few rows read keys where they are, which tile
  // registers cannot.
  choose(ProductForm::Vectors);
  auto queries = cast<ShapedType>(op.getQ().getType());
  bool maySplit = queries.getElementType().isF32() &&
                  queries.getDimSize(3) >= kFewestOfParts &&
                  queries.getDimSize(op.getSequenceDim()) >= kFewestBesideParts;
  if (!op.hasFewRows())
    choose(maySplit ? ProductForm::Parts : ProductForm::Tiles);
  // Said here: its tiles have a number that is not known even if this is.
  op.setAnyQueries(
      ShapedType::isDynamic(queries.getDimSize(op.getSequenceDim())));
}

struct PackProductsPass
    : aikernel::impl::PackProductsPassBase<PackProductsPass> {
  using PackProductsPassBase::PackProductsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kKernelAttrName))
        continue;
      SmallVector<Product> products;
      kernel.walk([&](linalg::GenericOp op) {
        if (std::optional<Product> product = matchProduct(op))
          products.push_back(*product);
      });
      for (Product &product : products)
        Packer(rewriter, product).run();
      kernel.walk(chooseForAttention);
    }
  }
};

} // namespace
