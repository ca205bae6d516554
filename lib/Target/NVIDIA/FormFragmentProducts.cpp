//===- FormFragmentProducts.cpp - Products that read 4-bit weights --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: calls of a kernel that multiplies x with what another kernel has made of
// 4-bit weights and their scales.
// Out, on sm_90a: weights and scales in the order of fragments
// (FragmentWeights.h), which
// f$prepare makes once, and a call of a kernel that is one packed
// aik_tile.product.
//
//   %f = call @dequantize(%scales, %w, %e)
//   %y = call @product(%x, %f, %d)
//   ==>  %c = linalg.generic {aikernel.packs} ins(%w, %w) ...
//        %t = linalg.generic {aikernel.packs} ins(%scales) ...
//        %y = call @product$packed(%x, %c, %t, %d)
//
//===----------------------------------------------------------------------===//

#include "../GPU/FragmentWeights.h"
#include "../GPU/Processor.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Dialect/AIKernel/WeightAttrs.h"
#include "AIKernel/Dialect/Tile/TileOps.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "AIKernel/Transforms/Kernels/Contractions.h"
#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "aik-form-fragment-products"

namespace aikernel {
#define GEN_PASS_DEF_FORMFRAGMENTPRODUCTSPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// A call of the product, and what it multiplies with.
struct Use {
  func::CallOp product;
  Value x, weights, scales, out;
};

linalg::GenericOp rootOf(func::FuncOp kernel) {
  linalg::GenericOp root;
  kernel.walk([&](linalg::GenericOp op) {
    if (op->hasAttr(kRootAttrName))
      root = op;
  });
  return root;
}

/// An argument of the entry that f$prepare may read.
bool isWeight(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  return function && function.getArgAttr(argument.getArgNumber(), kWeightAttr);
}

/// Is this a kernel of x, dequantized weights [N, K] and a destination, that
/// multiplies and rounds?
bool isProduct(func::FuncOp kernel) {
  if (!kernel->hasAttr(kKernelAttrName) || kernel.getNumArguments() != 3)
    return false;
  SmallVector<linalg::GenericOp> generics;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      generics.push_back(generic);
    else if (!isa<linalg::FillOp, tensor::DimOp, tensor::EmptyOp>(op) &&
             !op.hasTrait<OpTrait::ConstantLike>())
      return false;
  }
  if (generics.empty() || generics.size() > 2)
    return false;
  linalg::GenericOp product = generics[0];
  std::optional<ContractionLoops> loops = matchContraction(product);
  if (!loops || product.getNumLoops() != 3 ||
      product.getOperand(0) != kernel.getArgument(0) ||
      product.getOperand(1) != kernel.getArgument(1))
    return false;
  MLIRContext *context = kernel.getContext();
  auto is = [&](unsigned operand, unsigned first, unsigned second) {
    return product.getIndexingMapsArray()[operand] ==
           AffineMap::get(3, 0,
                          {getAffineDimExpr(first, context),
                           getAffineDimExpr(second, context)},
                          context);
  };
  if (!is(0, loops->m, loops->k) || !is(1, loops->n, loops->k) ||
      !is(2, loops->m, loops->n))
    return false;
  if (generics.size() == 1)
    return true;
  linalg::GenericOp rounds = generics[1];
  Block &body = rounds.getRegion().front();
  return rounds.getNumDpsInputs() == 1 &&
         rounds.getOperand(0) == product.getResult(0) &&
         rounds.getNumParallelLoops() == 2 &&
         llvm::all_of(rounds.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); }) &&
         llvm::hasNItems(body, 2) && isa<arith::TruncFOp>(body.front());
}

/// What the dequantizing kernel was called with.
std::optional<Use> matchUse(func::CallOp call, func::FuncOp kernel) {
  auto made = call.getOperand(1).getDefiningOp<func::CallOp>();
  if (!made || !made->hasOneUse())
    return std::nullopt;
  auto dequantize = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      made, made.getCalleeAttr());
  linalg::GenericOp root = dequantize ? rootOf(dequantize) : nullptr;
  auto format =
      root ? root->getAttrOfType<QuantAttr>(kDequantizesAttrName) : nullptr;
  if (!format || format.getKind() != QuantKind::I4 ||
      format.getGroup() != FragmentWeights::kGroup ||
      made.getNumOperands() != 3)
    return std::nullopt;
  Use use{call, call.getOperand(0), Value(), Value(), call.getOperand(2)};
  for (Value operand : made.getOperands().drop_back())
    (getElementTypeOrSelf(operand).isInteger() ? use.weights : use.scales) =
        operand;
  if (!use.weights || !use.scales || !isWeight(use.weights) ||
      !isWeight(use.scales))
    return std::nullopt;
  auto x = cast<RankedTensorType>(use.x.getType());
  auto w = cast<RankedTensorType>(use.weights.getType());
  auto out = cast<RankedTensorType>(use.out.getType());
  bool isNarrow = x.getElementType().isBF16() || x.getElementType().isF16();
  Type made32 = out.getElementType();
  bool isKnown = made32.isF32() || made32.isBF16() || made32.isF16();
  if (!isNarrow || !isKnown || !w.hasStaticShape() ||
      w.getDimSize(0) % FragmentWeights::kRows != 0 ||
      w.getDimSize(1) * 2 % FragmentWeights::kGroup != 0 ||
      x.getDimSize(1) != w.getDimSize(1) * 2 || w.getNumElements() == 0 ||
      x.getDimSize(0) == 0 || out.getDimSize(1) != w.getDimSize(0))
    return std::nullopt;
  return use;
}

/// Few rows of x leave the time to the weights: more blocks with a slab each.
/// Many rows are shared by the blocks of a cluster.
tile::ScheduleAttr chooseSchedule(MLIRContext *context, int64_t rows,
                                  int64_t slabs) {
  constexpr int64_t kBlocks = 132, kMostRows = 128;
  int64_t tile = kMostRows;
  if (!ShapedType::isDynamic(rows))
    tile = std::min<int64_t>(kMostRows, llvm::alignTo(rows, 16));
  bool isWide = tile == kMostRows && slabs % 2 == 0;
  int64_t slabsOfTile = isWide ? 2 : 1;
  int64_t cluster = isWide && slabs % 4 == 0 ? 2 : 1;
  // Of weights there is one stage more.
  int64_t weightBytes = slabsOfTile * 4096 + tile::kTileAlignment;
  int64_t stageBytes = tile * FragmentWeights::kGroup * 2 + weightBytes;
  int64_t stages =
      std::min<int64_t>(15, (220 * 1024 - weightBytes) / stageBytes);
  // Rows of tiles are rows of weights, columns rows of x.
  return tile::ScheduleAttr::get(
      context, slabsOfTile * FragmentWeights::kRows, tile,
      FragmentWeights::kGroup, stages, /*boxes=*/0, cluster, slabsOfTile,
      /*registers=*/232, /*load_registers=*/40, kBlocks, /*group=*/8,
      /*serpentine=*/false, /*split=*/1, /*swapped=*/true,
      /*clustered=*/false, /*share_left=*/false, /*at_once=*/1,
      /*keep=*/0);
}

/// The element of a result, from those of the inputs that maps of it name.
Value pack(ImplicitLocOpBuilder &b, ValueRange inputs,
           ArrayRef<AffineMap> sources, RankedTensorType type,
           function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> element) {
  Value empty =
      tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps(sources);
  maps.push_back(b.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, type, inputs, empty, maps, loops,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder inner(loc, nested);
        linalg::YieldOp::create(inner, element(inner, arguments));
      });
  generic->setAttr(kPacksAttrName, b.getUnitAttr());
  return generic.getResult(0);
}

Value packCodes(ImplicitLocOpBuilder &b, const FragmentWeights &layout,
                Value weights) {
  MLIRContext *context = b.getContext();
  AffineMap sources[] = {
      layout.getCodeSource(context, 0),
      layout.getCodeSource(context, FragmentWeights::kHighRow)};
  auto type = RankedTensorType::get(
      {layout.getCodeLines(), FragmentWeights::kCodesOfLine}, b.getI8Type());
  return pack(b, {weights, weights}, sources, type,
              [](ImplicitLocOpBuilder &b, ValueRange bytes) -> Value {
                auto constant = [&](int64_t value) -> Value {
                  return arith::ConstantIntOp::create(b, value, 8);
                };
                // Bytes 2 and 3 of a word have odd columns, the high halves.
                Value byte = linalg::IndexOp::create(b, 1);
                Value number =
                    arith::IndexCastOp::create(b, b.getI8Type(), byte);
                Value odd = arith::AndIOp::create(b, number, constant(2));
                Value shift = arith::ShLIOp::create(b, odd, constant(1));
                auto half = [&](Value both) -> Value {
                  Value moved = arith::ShRUIOp::create(b, both, shift);
                  return arith::AndIOp::create(b, moved, constant(15));
                };
                Value high =
                    arith::ShLIOp::create(b, half(bytes[1]), constant(4));
                Value codes = arith::OrIOp::create(b, half(bytes[0]), high);
                // Eight more, in four bits, is the other sign.
                return arith::XOrIOp::create(b, codes, constant(-120));
              });
}

Value packScales(ImplicitLocOpBuilder &b, const FragmentWeights &layout,
                 Value scales) {
  auto type = RankedTensorType::get(
      {layout.getScaleLines(), FragmentWeights::kScalesOfLine}, b.getF32Type());
  return pack(b, scales, layout.getScaleSource(b.getContext()), type,
              [](ImplicitLocOpBuilder &b, ValueRange scale) -> Value {
                if (scale[0].getType().isF32())
                  return scale[0];
                return arith::ExtFOp::create(b, b.getF32Type(), scale[0]);
              });
}

/// A kernel of x, codes, scales and a destination.
func::FuncOp makeKernel(func::FuncOp before, Use use, Value codes, Value scales,
                        const FragmentWeights &layout) {
  OpBuilder builder(before);
  Location loc = before.getLoc();
  Type types[] = {use.x.getType(), codes.getType(), scales.getType(),
                  use.out.getType()};
  auto kernel = func::FuncOp::create(
      builder, loc, (before.getSymName() + "$packed").str(),
      builder.getFunctionType(types, use.out.getType()));
  kernel.setPrivate();
  kernel->setAttr(kKernelAttrName, builder.getUnitAttr());
  Block *block = kernel.addEntryBlock();
  builder.setInsertionPointToStart(block);
  auto x = cast<RankedTensorType>(use.x.getType());
  Type element = getElementTypeOrSelf(use.out);
  auto product = tile::ProductOp::create(
      builder, loc, TypeRange{use.out.getType()}, block->getArgument(0),
      block->getArgument(1), ValueRange{block->getArgument(2)},
      block->getArgument(3), /*rows=*/Value(),
      builder.getAffineMapArrayAttr({builder.getMultiDimIdentityMap(2)}),
      UnitAttr(), UnitAttr(), /*out_transposed=*/UnitAttr(),
      chooseSchedule(builder.getContext(), x.getDimSize(0), layout.slabs),
      /*fast=*/UnitAttr(), /*packed=*/builder.getUnitAttr());
  Block &body = product.getBody().emplaceBlock();
  body.addArgument(builder.getF32Type(), loc);
  body.addArgument(builder.getF32Type(), loc);
  func::ReturnOp::create(builder, loc, product.getResults());
  builder.setInsertionPointToStart(&body);
  Value sum = body.getArgument(0);
  if (!element.isF32())
    sum = arith::TruncFOp::create(builder, loc, element, sum);
  tile::YieldOp::create(builder, loc, sum);
  tile::ScheduleAttr schedule = product.getSchedule();
  remark::passed(loc, remark::RemarkOpts::name("schedule").category(DEBUG_TYPE))
      << ("kernel '" + kernel.getSymName() + "': tile programs of " +
          Twine(schedule.getRows()) + "x" + Twine(schedule.getColumns()) +
          " on packed weights, " + Twine(schedule.getStages()) +
          " stages, clusters of " + Twine(schedule.getCluster()))
             .str();
  return kernel;
}

void formAll(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<std::pair<func::FuncOp, Use>> uses;
  module.walk([&](func::CallOp call) {
    auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!kernel || !isProduct(kernel))
      return;
    if (std::optional<Use> use = matchUse(call, kernel))
      uses.push_back({kernel, *use});
  });
  for (auto &[before, use] : uses) {
    ImplicitLocOpBuilder b(use.product.getLoc(), use.product);
    auto w = cast<RankedTensorType>(use.weights.getType());
    FragmentWeights layout{w.getDimSize(0) / FragmentWeights::kRows,
                           w.getDimSize(1) * 2 / FragmentWeights::kGroup};
    Value codes = packCodes(b, layout, use.weights);
    Value scales = packScales(b, layout, use.scales);
    func::FuncOp kernel = makeKernel(before, use, codes, scales, layout);
    symbols.insert(kernel);
    auto call = func::CallOp::create(b, kernel,
                                     ValueRange{use.x, codes, scales, use.out});
    auto dequantize = use.product.getOperand(1).getDefiningOp<func::CallOp>();
    use.product.replaceAllUsesWith(call.getResults());
    use.product.erase();
    auto floats = symbols.lookup<func::FuncOp>(dequantize.getCallee());
    dequantize.erase();
    for (func::FuncOp unused : {before, floats})
      if (SymbolTable::symbolKnownUseEmpty(unused, module))
        symbols.erase(unused);
  }
}

struct FormFragmentProductsPass
    : aikernel::impl::FormFragmentProductsPassBase<FormFragmentProductsPass> {
  using FormFragmentProductsPassBase::FormFragmentProductsPassBase;

  void runOnOperation() override {
    if (getProcessor(getTarget(getOperation())).hasWarpgroups)
      formAll(getOperation());
  }
};

} // namespace
