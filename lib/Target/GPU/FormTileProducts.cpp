//===- FormTileProducts.cpp - Which products tile programs compute --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels on tensors, in a module for a GPU.
// Out: each kernel that is a product of two matrices and what is done to each
// of its sums as one aik_tile.product with a schedule. All others stay as they
// are, and take the road of all GPUs.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Kernels/Contractions.h"
#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "CooperativeProduct.h"
#include "Processor.h"
#include "ProductSchedule.h"
#include "ThinProduct.h"
#include "TileProducts.h"
#include "TuningRows.h"
#include "WholeTensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "aik-form-tile-products"

namespace aikernel {
#define GEN_PASS_DEF_FORMTILEPRODUCTSPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// On the root of a kernel: the schedule that a person wants.
constexpr StringLiteral kTileScheduleAttrName = "aik_tile.schedule";

struct Match {
  linalg::GenericOp product;
  SmallVector<linalg::GenericOp> steps; // what is done to sums, in order
  linalg::GenericOp root;               // the last, or the product itself
  bool lhsTransposed = false, rhsTransposed = false;
  Value out;
};

/// Ops on a sum that have no registers spilled while others are kept.
constexpr int64_t kMostOpsOnKept = 40;

/// Vectors up to which threads multiply as fast as they read.
constexpr int64_t kFewVectors = 3;

/// Rows of this many elements are a multiple of 16 bytes apart.
bool fitsMaps(Value matrix) {
  auto type = cast<RankedTensorType>(matrix.getType());
  int64_t inner = type.getDimSize(1);
  return !ShapedType::isDynamic(inner) && inner > 0 &&
         inner * type.getElementTypeBitWidth() / 8 % 16 == 0;
}

bool startsFromZero(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
                  matchPattern(fill.getInputs()[0], m_Zero()));
}

/// Rows, columns and the sum of matrices, in the order that products have.
bool matchMatrices(Match &match) {
  std::optional<ContractionLoops> loops = matchContraction(match.product);
  if (!loops || match.product.getNumLoops() != 3)
    return false;
  MLIRContext *context = match.product.getContext();
  AffineExpr m = getAffineDimExpr(loops->m, context),
             n = getAffineDimExpr(loops->n, context),
             k = getAffineDimExpr(loops->k, context);
  SmallVector<AffineMap> maps = match.product.getIndexingMapsArray();
  auto is = [&](AffineMap map, AffineExpr first, AffineExpr second) {
    return map.getNumResults() == 2 && map.getResult(0) == first &&
           map.getResult(1) == second;
  };
  // Only the rows may be unknown, and a tensor map is of something.
  SmallVector<int64_t> sizes = match.product.getStaticLoopRanges();
  if (ShapedType::isDynamic(sizes[loops->n]) ||
      ShapedType::isDynamic(sizes[loops->k]) || llvm::is_contained(sizes, 0))
    return false;
  // A matrix times a few vectors is a matter of reading it once. Where
  // warpgroups multiply, threads keep up with fewer vectors.
  bool hasWarpgroups = getProcessor(getTarget(match.product)).hasWarpgroups;
  int64_t few = hasWarpgroups ? kFewVectors : ThinLoops::kMostVectors;
  auto isThin = [&](unsigned loop) {
    return !ShapedType::isDynamic(sizes[loop]) && sizes[loop] <= few;
  };
  if (isThin(loops->m) || isThin(loops->n))
    return false;
  match.lhsTransposed = is(maps[0], k, m);
  match.rhsTransposed = is(maps[1], n, k);
  return (match.lhsTransposed || is(maps[0], m, k)) &&
         (match.rhsTransposed || is(maps[1], k, n)) && is(maps[2], m, n);
}

/// Every op of the body can be done to pairs of elements.
bool isElementwise(linalg::GenericOp step) {
  Block &body = step.getRegion().front();
  if (!body.getArguments().back().use_empty())
    return false;
  for (Operation &op : body.without_terminator()) {
    if (!OpTrait::hasElementwiseMappableTraits(&op) || op.getNumResults() != 1)
      return false;
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &body &&
          !matchPattern(operand, m_Constant()))
        return false;
  }
  return true;
}

/// What threads load beside the sums: numbers of the device's memory, a byte
/// each or more. Scalars are in the host's.
bool isExtra(Value value, AffineMap map) {
  Type element = getElementTypeOrSelf(value);
  return isa<BlockArgument>(value) &&
         map.isProjectedPermutation(/*allowZeroInResults=*/true) &&
         map.getNumResults() > 0 && element.isIntOrFloat() &&
         element.getIntOrFloatBitWidth() >= 8;
}

/// Something that is done to each sum, with what was there before: sums, what
/// earlier steps made of them, and arguments of the kernel.
bool matchStep(linalg::GenericOp step) {
  if (step.getNumLoops() != 2 || step.getNumParallelLoops() != 2 ||
      step.getNumDpsInits() != 1 || !isElementwise(step))
    return false;
  for (OpOperand &operand : step->getOpOperands()) {
    AffineMap map = step.getMatchingIndexingMap(&operand);
    bool isMade = operand.get().getDefiningOp<linalg::GenericOp>() != nullptr;
    if (step.isDpsInit(&operand) || isMade ? !map.isIdentity()
                                           : !isExtra(operand.get(), map))
      return false;
  }
  return true;
}

/// Instructions read operands of other than 16 bits along the sums, and of f32
/// they read the upper bits only, which has to be permitted.
bool hasInstruction(const Match &match) {
  linalg::GenericOp product = match.product;
  Type left = getElementTypeOrSelf(product.getOperand(0));
  Type right = getElementTypeOrSelf(product.getOperand(1));
  Type sums = tile::sumsOf(left, right);
  if (!sums || sums != getElementTypeOrSelf(product.getResult(0)) ||
      (left.isF32() && !product->hasAttr(kFastAttrName)))
    return false;
  return left.getIntOrFloatBitWidth() == 16 ||
         (!match.lhsTransposed && match.rhsTransposed);
}

} // namespace

bool aikernel::isTileProduct(linalg::GenericOp product) {
  Match match;
  match.product = product;
  if (!matchMatrices(match) || !startsFromZero(product.getDpsInits()[0]) ||
      !hasInstruction(match))
    return false;
  return llvm::all_of(product->getOperands(), fitsMaps);
}

namespace {

std::optional<Match> matchKernel(func::FuncOp kernel) {
  Match match;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic && !match.product)
      match.product = generic;
    else if (generic && matchStep(generic))
      match.steps.push_back(generic);
    else if (!isa<linalg::FillOp, tensor::CollapseShapeOp, tensor::DimOp,
                  tensor::EmptyOp, tensor::ExpandShapeOp>(op) &&
             !op.hasTrait<OpTrait::ConstantLike>())
      return std::nullopt;
  }
  if (!match.product || !matchMatrices(match) ||
      !startsFromZero(match.product.getDpsInits()[0]))
    return std::nullopt;
  if (match.steps.empty()) {
    match.root = match.product;
    match.out = match.product.getDpsInits()[0]
                    .getDefiningOp<linalg::FillOp>()
                    .getDpsInits()[0];
  } else {
    match.root = match.steps.back();
    match.out = match.root.getDpsInits()[0];
  }
  Type made = getElementTypeOrSelf(match.out);
  if (!made.isF32() && !made.isBF16() && !made.isF16())
    return std::nullopt;
  Operation *end = kernel.getBody().front().getTerminator();
  if (!match.root->hasAttr(kRootAttrName) || end->getNumOperands() != 1 ||
      end->getOperand(0) != match.root.getResult(0) ||
      !callersPassWholeTensors(kernel))
    return std::nullopt;
  if (!hasInstruction(match))
    return std::nullopt;
  Value lhs = match.product.getOperand(0), rhs = match.product.getOperand(1);
  for (Value matrix : {lhs, rhs, match.out})
    if (!isArgument(matrix) || !fitsMaps(matrix))
      return std::nullopt;
  return match;
}

/// Sums in parts, which an elementwise op adds up in their order in place of
/// the product; what is done to sums comes after it as it did.
void formParts(Match &match, tile::ScheduleAttr schedule) {
  ImplicitLocOpBuilder b(match.product.getLoc(), match.product);
  auto type = cast<RankedTensorType>(match.product.getResult(0).getType());
  Type sums = type.getElementType();
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t height = llvm::alignTo(rows, schedule.getClusterRows());
  Value parts = tensor::EmptyOp::create(
      b, ArrayRef<int64_t>{schedule.getSplit() * height, columns}, sums);
  auto unit = [&](bool set) { return set ? b.getUnitAttr() : UnitAttr(); };
  auto product = tile::ProductOp::create(
      b, TypeRange{parts.getType()}, match.product.getOperand(0),
      match.product.getOperand(1), /*extras=*/ValueRange(), parts,
      /*rows=*/Value(), b.getArrayAttr({}), unit(match.lhsTransposed),
      unit(match.rhsTransposed), /*out_transposed=*/UnitAttr(), schedule,
      unit(match.product->hasAttr(kFastAttrName)), /*packed=*/UnitAttr());
  Block &body = product.getBody().emplaceBlock();
  Value sum = body.addArgument(sums, b.getLoc());
  tile::YieldOp::create(b, sum)->moveBefore(&body, body.end());
  SmallVector<Value> slices;
  for (int64_t part = 0; part < schedule.getSplit(); ++part) {
    SmallVector<OpFoldResult> from{b.getIndexAttr(part * height),
                                   b.getIndexAttr(0)},
        sizes{b.getIndexAttr(rows), b.getIndexAttr(columns)},
        strides(2, b.getIndexAttr(1));
    slices.push_back(tensor::ExtractSliceOp::create(b, product.getResult(0),
                                                    from, sizes, strides));
  }
  Value into = match.product.getDpsInits()[0]
                   .getDefiningOp<linalg::FillOp>()
                   .getDpsInits()[0];
  SmallVector<AffineMap> maps(slices.size() + 1, b.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  auto added = linalg::GenericOp::create(
      b, TypeRange{type}, slices, ValueRange{into}, maps, loops,
      [](OpBuilder &builder, Location loc, ValueRange elements) {
        Value sum = elements.front();
        for (Value part : elements.drop_front().drop_back())
          sum = sum.getType().isInteger()
                    ? Value(arith::AddIOp::create(builder, loc, sum, part))
                    : Value(arith::AddFOp::create(builder, loc, sum, part));
        linalg::YieldOp::create(builder, loc, sum);
      });
  if (match.root == match.product)
    added->setAttr(kRootAttrName, match.root->getAttr(kRootAttrName));
  match.product.getResult(0).replaceAllUsesWith(added.getResult(0));
  match.product.erase();
}

/// Rows for columns: what few rows are multiplied by comes first.
void swapOperands(Match &match, SmallVectorImpl<Attribute> &maps) {
  for (Attribute &map : maps) {
    AffineMap given = cast<AffineMapAttr>(map).getValue();
    MLIRContext *context = map.getContext();
    AffineExpr swapped[] = {getAffineDimExpr(1, context),
                            getAffineDimExpr(0, context)};
    map = AffineMapAttr::get(
        given.replaceDimsAndSymbols(swapped, {}, /*numResultDims=*/2, 0));
  }
  bool lhsTransposed = match.lhsTransposed;
  match.lhsTransposed = !match.rhsTransposed;
  match.rhsTransposed = !lhsTransposed;
}

void form(Match &match, tile::ScheduleAttr schedule) {
  if (schedule.getStoredParts() > 1)
    return formParts(match, schedule);
  OpBuilder builder(match.root);
  Location loc = match.root.getLoc();
  SmallVector<Value> extras;
  SmallVector<Attribute> maps;
  for (linalg::GenericOp step : match.steps)
    for (OpOperand *input : step.getDpsInputOperands())
      if (isArgument(input->get())) {
        extras.push_back(input->get());
        maps.push_back(AffineMapAttr::get(step.getMatchingIndexingMap(input)));
      }
  auto unit = [&](bool set) {
    return set ? builder.getUnitAttr() : UnitAttr();
  };
  Value lhs = match.product.getOperand(0), rhs = match.product.getOperand(1);
  if (schedule.getSwapped()) {
    std::swap(lhs, rhs);
    swapOperands(match, maps);
  }
  auto product = tile::ProductOp::create(
      builder, loc, TypeRange{match.out.getType()}, lhs, rhs, extras, match.out,
      /*rows=*/Value(), builder.getArrayAttr(maps), unit(match.lhsTransposed),
      unit(match.rhsTransposed), unit(schedule.getSwapped()), schedule,
      unit(match.product->hasAttr(kFastAttrName)), /*packed=*/UnitAttr());
  Block &body = product.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&body);
  // Of each generic, an element of its result.
  DenseMap<Value, Value> made;
  Value last =
      body.addArgument(getElementTypeOrSelf(match.product.getResult(0)), loc);
  made[match.product.getResult(0)] = last;
  for (linalg::GenericOp step : match.steps) {
    IRMapping values;
    for (OpOperand *input : step.getDpsInputOperands()) {
      BlockArgument argument = step.getMatchingBlockArgument(input);
      bool isExtra = isa<BlockArgument>(input->get());
      values.map(argument, isExtra ? body.addArgument(argument.getType(), loc)
                                   : made.lookup(input->get()));
    }
    Block &given = step.getRegion().front();
    for (Operation &op : given) {
      for (Value operand : op.getOperands())
        if (operand.getParentBlock() != &given && !values.contains(operand))
          builder.clone(*operand.getDefiningOp(), values);
      if (&op != given.getTerminator())
        builder.clone(op, values);
    }
    last = values.lookup(given.getTerminator()->getOperand(0));
    made[step.getResult(0)] = last;
  }
  tile::YieldOp::create(builder, loc, last);
  match.root.getResult(0).replaceAllUsesWith(product.getResult(0));
  for (linalg::GenericOp step : llvm::reverse(match.steps))
    step.erase();
  match.product.erase();
}

void explain(func::FuncOp kernel, tile::ProductOp product) {
  tile::ScheduleAttr schedule = product.getSchedule();
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "kernel '" << kernel.getSymName() << "': tile programs of "
      << schedule.getRows() << "x" << schedule.getColumns() << ", "
      << schedule.getStages() << " stages, clusters of "
      << schedule.getCluster();
  if (schedule.getSplit() > 1)
    out << ", sums in " << schedule.getSplit() << " parts"
        << (schedule.getClustered() ? " of a cluster" : "");
  if (schedule.getShareLeft())
    out << ", which share rows";
  if (schedule.getSwapped())
    out << ", rows for columns";
  if (schedule.getKeep())
    out << ", " << schedule.getKeep() << " columns kept";
  remark::passed(product.getLoc(),
                 remark::RemarkOpts::name("schedule").category(DEBUG_TYPE))
      << text;
}

int64_t countOps(const Match &match) {
  int64_t ops = 0;
  for (linalg::GenericOp step : match.steps)
    ops += llvm::range_size(step.getRegion().front().without_terminator());
  return ops;
}

bool hasAny(Match &match, function_ref<bool(Operation &)> isOne) {
  return llvm::any_of(match.steps, [&](linalg::GenericOp step) {
    return llvm::any_of(step.getRegion().front(), isOne);
  });
}

/// Is a sum put into a function of many instructions, or divided?
bool hasFunctions(Match &match) {
  return hasAny(match, [](Operation &op) {
    return isa<arith::DivFOp>(op) ||
           (isa<math::MathDialect>(op.getDialect()) &&
            !isa<math::AbsFOp, math::Exp2Op, math::FmaOp>(op));
  });
}

/// One that needs more registers than those of activations, as erf and log do.
bool hasLongFunctions(Match &match) {
  return hasAny(match, [](Operation &op) {
    return isa<math::MathDialect>(op.getDialect()) &&
           !isa<math::AbsFOp, math::Exp2Op, math::FmaOp, math::ExpOp,
                math::TanhOp, math::SqrtOp>(op);
  });
}

/// Bits that vectors have for each column of the sums, or nothing where a
/// matrix is read beside them.
std::optional<int64_t> bitsBeside(Match &match) {
  int64_t bits = 0;
  for (linalg::GenericOp step : match.steps)
    for (OpOperand *input : step.getDpsInputOperands()) {
      if (!isArgument(input->get()))
        continue;
      AffineMap map = step.getMatchingIndexingMap(input);
      if (map.getNumResults() > 1)
        return std::nullopt;
      if (map.isFunctionOfDim(1))
        bits += getElementTypeOrSelf(input->get()).getIntOrFloatBitWidth();
    }
  return bits;
}

/// Do sums of the tile before have registers beside those that products are
/// added to? Not where threads add up steps, sums are integers, which become
/// floats first, a function is long, or more is done to each than has been
/// tried.
bool leavesRegisters(Match &match) {
  Type element = getElementTypeOrSelf(match.product.getOperand(0));
  bool addsSteps =
      tile::isByteFloat(element) && !match.product->hasAttr(kFastAttrName);
  return !addsSteps && !element.isInteger() && bitsBeside(match) &&
         !hasLongFunctions(match) && countOps(match) <= kMostOpsOnKept;
}

/// How tables of measured schedules name a product: "bf16 512x384x256 nt to
/// bf16, 3 ops beside 16 bits". Of what is done to sums the registers count.
std::string nameOf(Match &match, const TileProductInfo &info) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << info.element << " ";
  if (ShapedType::isDynamic(info.rows))
    out << "?";
  else
    out << info.rows;
  out << "x" << info.columns << "x" << info.depth << " "
      << (info.lhsTransposed ? "t" : "n") << (info.rhsTransposed ? "t" : "n")
      << " to " << getElementTypeOrSelf(match.out);
  out << ", " << info.opsOnSums << " ops";
  if (std::optional<int64_t> bits = bitsBeside(match); !bits)
    out << " beside a matrix";
  else if (*bits > 0)
    out << " beside " << *bits << " bits";
  if (hasLongFunctions(match))
    out << ", long functions";
  else if (hasFunctions(match))
    out << ", functions";
  return text;
}

struct FormTileProductsPass
    : aikernel::impl::FormTileProductsPassBase<FormTileProductsPass> {
  using FormTileProductsPassBase::FormTileProductsPassBase;

  void runOnOperation() override {
    TargetAttr target = getTarget(getOperation());
    if (!target)
      return;
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kKernelAttrName))
        continue;
      std::optional<Match> match = matchKernel(kernel);
      if (!match)
        continue;
      SmallVector<int64_t> sizes = match->product.getStaticLoopRanges();
      ContractionLoops loops = *matchContraction(match->product);
      TileProductInfo info{
          sizes[loops.m],
          sizes[loops.n],
          sizes[loops.k],
          getElementTypeOrSelf(match->product.getOperand(0)),
          match->lhsTransposed,
          match->rhsTransposed,
          countOps(*match),
          getElementTypeOrSelf(match->out).getIntOrFloatBitWidth(),
          bitsBeside(*match).value_or(0),
          hasFunctions(*match),
          leavesRegisters(*match)};
      std::string name = nameOf(*match, info);
      SmallVector<tile::ScheduleAttr> ranked =
          rankProductSchedules(target, info);
      if (ranked.empty())
        continue;
      tile::ScheduleAttr schedule = ranked.front();
      // What is given may be for another target.
      bool hasRoles = !isCooperative(schedule);
      if (Attribute given = wantedSchedule(*match, name)) {
        auto wanted = dyn_cast<tile::ScheduleAttr>(given);
        std::string objection;
        if (!wanted)
          objection = "it is not one of a product";
        else if (hasRoles && !isCooperative(wanted))
          objection = objectionTo(wanted, info);
        if (!objection.empty()) {
          refuseSchedule(match->root, name, objection);
          return signalPassFailure();
        }
        if (isCooperative(wanted) != hasRoles)
          schedule = wanted;
      }
      if (hasRoles)
        offerSchedules(kernel, name, {ranked.begin(), ranked.end()});
      form(*match, schedule);
      kernel.walk([&](tile::ProductOp product) { explain(kernel, product); });
    }
  }

private:
  /// Of a person, on the root, or of a table, on the program.
  Attribute wantedSchedule(Match &match, StringRef name) {
    if (Attribute wanted = match.root->getAttr(kTileScheduleAttrName))
      return wanted;
    return measuredSchedule(getOperation(), name);
  }
};

} // namespace
