//===- Vectorize.cpp - linalg on buffers to vector loops ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: linalg ops on memrefs (any shape, static or not), inside the tile loops.
// Out: scf.for nests whose innermost loop works on vectors of the target's
// width, followed by a loop of single vectors and a scalar loop for the rest.
//
// Upstream's linalg vectoriser wants static shapes or masks; masks become
// branches on NEON. Peeling by hand keeps every memory access inside the
// buffer and every full vector unmasked, on every target and for every shape.
//
//   linalg.generic {parallel, reduction} ins(%x) outs(%sum)    ==>
//   scf.for %i {
//     %v = scf.for %j = 0 to %full step 16 iter_args(%acc = 0 : vector<16xf32>)
//     %s = vector.reduction <add>, %v
//     scf.for ... single vectors, then scalars ...
//     memref.store
//   }
//
// The loop that is made of vectors is the one that walks contiguous memory:
// the last dimension of the results, or the reduction dimension when it is
// contiguous in the inputs. Where neither exists the loops stay scalar.
//
// Where vectors go along the results of a sum (a sum of columns), several of
// its steps are taken between reading and writing a result.
//
// bf16 may be computed in pairs (VectorPairs.cpp).
//
// Large results of the program that nothing reads again are stored past the
// caches.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Entries/EntryABI.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "AIKernel/Transforms/Passes.h"
#include "AIKernel/Transforms/Vectors/VectorBodies.h"
#include "VectorNest.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "aik-vectorize"

namespace aikernel {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;
using namespace aikernel::vectornest;

/// Steps of a sum that are taken together, if each has no more ops than this.
static constexpr int64_t kStepsTogether = 4;
static constexpr unsigned kLongestOfStep = 8;

/// A sum of fewer numbers is not made by vectors along it, if results can be.
static constexpr int64_t kShortestOfDot = 32;

static bool hasUnitStrideAlong(MemRefType type, unsigned position) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  return strides[position] == 1;
}

/// Is the index the loop itself, or the loop and something that stays, as in a
/// convolution?
static bool movesOneByOne(AffineMap map, unsigned position, unsigned dim) {
  AffineExpr rest = simplifyAffineExpr(
      map.getResult(position) - getAffineDimExpr(dim, map.getContext()),
      map.getNumDims(), map.getNumSymbols());
  return !rest.isFunctionOfDim(dim);
}

bool NestEmitter::isUsableAlong(unsigned dim) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(dim))
      continue;
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || map.getNumResults() == 0)
      return false;
    unsigned last = map.getNumResults() - 1;
    if (!movesOneByOne(map, last, dim) || !hasUnitStrideAlong(type, last))
      return false;
    for (unsigned i = 0; i < last; ++i)
      if (map.getResult(i).isFunctionOfDim(dim))
        return false;
    Type element = type.getElementType();
    if (!element.isIntOrFloat() || element.isInteger(1))
      return false;
  }
  return true;
}

/// Along a reduction dim every result that does not move with it must be
/// combined by one known operator, so that it can be split over lanes.
bool NestEmitter::matchReductionsAlong(unsigned dim) {
  carriedReductions.clear();
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(i));
    if (map.isFunctionOfDim(dim)) {
      // A result that moves with the dim may not also be accumulated.
      if (!op.getRegionOutputArgs()[i].use_empty())
        return false;
      continue;
    }
    SmallVector<Operation *, 4> combiners;
    if (!matchReduction(op.getRegionOutputArgs(), i, combiners) ||
        combiners.size() != 1)
      return false;
    auto kind = linalg::getCombinerOpKind(combiners[0]);
    BlockArgument sum = op.getRegionOutputArgs()[i];
    // The accumulator may feed nothing but its own combiner, and `index` has no
    // least number to start from.
    if (!kind || !sum.hasOneUse() || !sum.getType().isIntOrFloat())
      return false;
    carriedReductions.push_back({i, combiners[0], *kind});
  }
  return true;
}

bool NestEmitter::chooseVectorDim() {
  if (op.getNumDpsInits() == 0)
    return false;
  for (Operation &inner : op.getRegion().front())
    if (!isLanewise(inner) || callsLibrary(inner))
      return false;
  auto iterators = op.getIteratorTypesArray();
  unsigned loops = op.getNumLoops();
  // The last dim of the first result, if it is contiguous everywhere.
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (resultMap.getNumResults() > 0)
    if (auto expr = dyn_cast<AffineDimExpr>(
            resultMap.getResult(resultMap.getNumResults() - 1))) {
      unsigned dim = expr.getPosition();
      bool movesAll = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &o) {
        return op.getMatchingIndexingMap(&o).isFunctionOfDim(dim);
      });
      if (movesAll && isUsableAlong(dim)) {
        vectorDim = dim;
        // Prefer a contiguous reduction (a dot product) over updating the
        // result in memory once per reduction step, if it is no short window.
        SmallVector<int64_t> sizes = op.getStaticLoopRanges();
        for (unsigned r = 0; r < loops; ++r)
          if (linalg::isReductionIterator(iterators[r]) &&
              (ShapedType::isDynamic(sizes[r]) || sizes[r] >= kShortestOfDot) &&
              isUsableAlong(r) && matchReductionsAlong(r)) {
            vectorDim = r;
            return true;
          }
        carriedReductions.clear();
        return true;
      }
    }
  for (unsigned r = loops; r-- > 0;)
    if (linalg::isReductionIterator(iterators[r]) && isUsableAlong(r) &&
        matchReductionsAlong(r)) {
      vectorDim = r;
      return true;
    }
  carriedReductions.clear();
  return false;
}

/// Parallel loops outside, reductions inside them, the vector loop innermost.
SmallVector<unsigned> NestEmitter::loopOrder() {
  SmallVector<unsigned> order;
  auto iterators = op.getIteratorTypesArray();
  for (bool reductions : {false, true})
    for (unsigned i = 0; i < iterators.size(); ++i)
      if (linalg::isReductionIterator(iterators[i]) == reductions &&
          i != vectorDim)
        order.push_back(i);
  return order;
}

/// One register's worth of the widest float or integer type of the body, or as
/// many as the loop has, if that is less.
unsigned NestEmitter::lanesPerVector() const {
  unsigned widest = 8;
  auto note = [&](Type type) {
    if (type.isIndex())
      widest = std::max(widest, 64u);
    else if (type.isIntOrFloat())
      widest = std::max(widest, type.getIntOrFloatBitWidth());
  };
  linalg::GenericOp generic = op;
  for (BlockArgument arg : generic.getRegion().front().getArguments())
    note(arg.getType());
  for (Operation &inner : generic.getRegion().front())
    for (Type type : inner.getResultTypes())
      if (!isa<arith::ConstantOp, linalg::IndexOp>(inner))
        note(type);
  int64_t lanes = vectorBits / std::min(widest, 64u);
  int64_t known = vectorDim ? generic.getStaticLoopRanges()[*vectorDim]
                            : ShapedType::kDynamic;
  if (!ShapedType::isDynamic(known) && known < lanes)
    lanes = llvm::bit_floor<uint64_t>(known);
  return std::max<int64_t>(2, lanes);
}

/// Several registers per step hide latency: eight for the chain of a sum whose
/// terms are short, four where there are lines to ask for. Polynomials are long
/// chains, and so is what is done to rows of 16 bits; they stand in each
/// other's way in the queues of a machine: as many numbers side by side as fit
/// the registers, where these are narrow.
unsigned NestEmitter::registersPerStep() const {
  linalg::GenericOp generic = op;
  Block &body = generic.getRegion().front();
  auto isOf16Bits = [](Type type) {
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 16;
  };
  if (llvm::any_of(body, isPolynomial) ||
      (!tilesToPrefetch.empty() &&
       llvm::any_of(body.getArgumentTypes(), isOf16Bits)))
    return std::clamp(1024 / vectorBits, 4u, 8u);
  if (carriedReductions.size() == 1 && generic.getNumDpsInits() == 1)
    return 8;
  return carriedReductions.empty() && tilesToPrefetch.empty() ? 2 : 4;
}

void NestEmitter::emit() {
  if (!chooseVectorDim() && op.getNumLoops() > 0)
    remark::missed(loc, remark::RemarkOpts::name("scalar").category(DEBUG_TYPE))
        << "these loops stay scalar: no dimension is contiguous in every "
           "operand, or the body reads at computed indices or calls a library";
  SmallVector<Range> ranges =
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(builder, loc);
  for (Range &range : ranges)
    extents.push_back(
        getValueOrCreateConstantIndexOp(builder, loc, range.size));
  ivs.resize(extents.size());
  worksOnPairs = partsPairsOfWords(op) && isPairable();
  findTilesToPrefetch();
  findStreams();
  emitOuterLoops(loopOrder());
}

void NestEmitter::emitOuterLoops(ArrayRef<unsigned> dims) {
  if (dims.empty())
    return emitInnermost();
  Value begin = arith::ConstantIndexOp::create(builder, loc, 0);
  Value end = extents[dims[0]];
  if (dims.size() == 1 && takesStepsTogether(dims[0])) {
    int64_t known = op.getStaticLoopRanges()[dims[0]];
    unsigned steps = ShapedType::isDynamic(known)
                         ? kStepsTogether
                         : std::clamp<int64_t>(known, 1, kStepsTogether);
    Value whole = endOfStrip(begin, end, steps);
    steppedDim = dims[0];
    emitLoop(dims[0], begin, whole, steps, {});
    begin = whole;
  }
  emitLoop(dims[0], begin, end, 1, dims.drop_front());
}

void NestEmitter::emitLoop(unsigned dim, Value begin, Value end, unsigned step,
                           ArrayRef<unsigned> inner) {
  Value steps = arith::ConstantIndexOp::create(builder, loc, step);
  auto loop = scf::ForOp::create(builder, loc, begin, end, steps);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ivs[dim] = loop.getInductionVar();
  stepsTogether = step;
  emitOuterLoops(inner);
  stepsTogether = 1;
}

/// Does the loop add to what vectors read and write, with a body so short that
/// most of the work would be to read and write it? The reference, which has no
/// target, stays simple.
bool NestEmitter::takesStepsTogether(unsigned dim) {
  if (!getTarget(op) || !vectorDim || worksOnPairs ||
      !carriedReductions.empty() ||
      !linalg::isReductionIterator(op.getIteratorTypesArray()[dim]))
    return false;
  auto staysIn = [&](OpOperand &init) {
    Value buffer = rootOf(init.get());
    auto mayBeRead = [&](Value input) {
      return rootOf(input) == buffer || isChosen(rootOf(input));
    };
    return !op.getMatchingIndexingMap(&init).isFunctionOfDim(dim) &&
           !isChosen(buffer) && llvm::none_of(op.getDpsInputs(), mayBeRead);
  };
  Block &body = op.getRegion().front();
  return llvm::all_of(op.getDpsInitsMutable(), staysIn) &&
         body.getOperations().size() <= kLongestOfStep &&
         llvm::none_of(body, isPolynomial);
}

void NestEmitter::emitInnermost() {
  if (!vectorDim) {
    emitBody(/*width=*/1, {});
    return;
  }
  Value extent = extents[*vectorDim];
  unsigned lanes = lanesPerVector();
  unsigned wide = lanes * registersPerStep();

  SmallVector<Value> totals;
  for (CarriedReduction &reduction : carriedReductions) {
    OpOperand *init = op.getDpsInitOperand(reduction.resultIndex);
    ivs[*vectorDim] = arith::ConstantIndexOp::create(builder, loc, 0);
    totals.push_back(loadOperand(*init, 1));
  }

  Value position = arith::ConstantIndexOp::create(builder, loc, 0);
  for (unsigned width : {wide, lanes, 1u}) {
    SmallVector<Value> carried;
    for (auto [reduction, total] : llvm::zip(carriedReductions, totals)) {
      if (width == 1) {
        carried.push_back(total);
        continue;
      }
      TypedAttr neutral = *arith::getNeutralElement(reduction.combiner);
      carried.push_back(splat(builder, loc,
                              arith::ConstantOp::create(builder, loc, neutral),
                              width));
    }
    Value stop = endOfStrip(position, extent, width);
    if (width == wide && goesPastCaches())
      emitStripPastCaches(position, stop, width);
    else
      emitStrip(position, stop, width, carried);
    position = stop;
    for (auto [index, reduction] : llvm::enumerate(carriedReductions)) {
      if (width == 1) {
        totals[index] = carried[index];
        continue;
      }
      // Reassociating is what splitting over lanes means; say so, or LLVM
      // emits an ordered chain of scalar additions.
      auto flags = arith::FastMathFlags::none;
      if (auto combiner =
              dyn_cast<arith::ArithFastMathInterface>(reduction.combiner))
        flags = combiner.getFastMathFlagsAttr().getValue() |
                arith::FastMathFlags::reassoc;
      Value sum = vector::ReductionOp::create(builder, loc, reduction.kind,
                                              carried[index], flags);
      totals[index] = vector::makeArithReduction(builder, loc, reduction.kind,
                                                 totals[index], sum);
    }
  }
  for (auto [reduction, total] : llvm::zip(carriedReductions, totals))
    storeResult(reduction.resultIndex, total, 1);
}

/// The last multiple of `width` from `begin` on that is not above `end`.
Value NestEmitter::endOfStrip(Value begin, Value end, unsigned width) {
  if (width == 1)
    return end;
  Value step = arith::ConstantIndexOp::create(builder, loc, width);
  Value length = arith::SubIOp::create(builder, loc, end, begin);
  Value rest = arith::RemUIOp::create(builder, loc, length, step);
  return arith::SubIOp::create(builder, loc, end, rest);
}

/// One loop over whole steps of `width`.
void NestEmitter::emitStrip(Value begin, Value end, unsigned width,
                            SmallVectorImpl<Value> &carried) {
  Value step = arith::ConstantIndexOp::create(builder, loc, width);
  auto loop = scf::ForOp::create(builder, loc, begin, end, step, carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ivs[*vectorDim] = loop.getInductionVar();
    SmallVector<Value> yielded =
        emitBody(width, llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
    // The builder of a loop without carried values adds its own terminator.
    if (!carried.empty())
      scf::YieldOp::create(builder, loc, yielded);
  }
  carried.assign(loop.result_begin(), loop.result_end());
}

/// The same, twice: stores past the caches need whole lines, and on some
/// targets few threads do better to ask for lines and overwrite them.
void NestEmitter::emitStripPastCaches(Value begin, Value end, unsigned width) {
  bool mayAsk = mayAskToOverwrite(op);
  Value goesPast = hasAlignedResult();
  if (mayAsk)
    goesPast = arith::AndIOp::create(builder, loc, goesPast, hasManyThreads());
  auto check =
      scf::IfOp::create(builder, loc, goesPast, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> nothing;
  for (bool isAligned : {true, false}) {
    builder.setInsertionPointToStart(isAligned ? check.thenBlock()
                                               : check.elseBlock());
    storesPastCaches = isAligned;
    asksForResult = mayAsk && !isAligned;
    emitStrip(begin, end, width, nothing);
  }
  asksForResult = false;
}

/// Loads, computes and stores `width` iterations; returns the new carried
/// values.
SmallVector<Value> NestEmitter::emitBody(unsigned width,
                                         ArrayRef<Value> carried) {
  if (worksOnPairs && width > lanesPerVector())
    return emitPairs(width, carried);
  Block &body = op.getRegion().front();
  IRMapping values;
  unsigned nextCarried = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(&operand);
    bool isInit = op.isDpsInit(&operand);
    if (isInit &&
        isCarried(operand.getOperandNumber() - op.getNumDpsInputs())) {
      values.map(arg, carried[nextCarried++]);
      continue;
    }
    if (isInit && !arg.use_empty())
      values.map(arg, loadOperand(operand, width));
  }
  Value firstStep = stepsTogether > 1 ? ivs[steppedDim] : Value();
  for (unsigned step = 0; step < stepsTogether; ++step) {
    if (step > 0) {
      Value ahead = arith::ConstantIndexOp::create(builder, loc, step);
      ivs[steppedDim] = arith::AddIOp::create(builder, loc, firstStep, ahead);
      // All at once: one may be what another was.
      SmallVector<Value> next;
      for (Value yielded : body.getTerminator()->getOperands())
        next.push_back(values.lookupOrDefault(yielded));
      values.map(op.getRegionOutputArgs(), next);
    }
    emitStep(width, values);
  }
  if (firstStep)
    ivs[steppedDim] = firstStep;
  SmallVector<Value> newCarried;
  for (auto [index, yielded] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    Value value = values.lookupOrDefault(yielded);
    if (isCarried(index)) {
      newCarried.push_back(width > 1 ? splat(builder, loc, value, width)
                                     : value);
      continue;
    }
    storeResult(index, value, width);
  }
  return newCarried;
}

/// The body on the inputs at the current position.
void NestEmitter::emitStep(unsigned width, IRMapping &values) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(input);
    if (!arg.use_empty())
      values.map(arg, loadOperand(*input, width));
  }
  if (width > lanesPerVector())
    emitPrefetches(width);
  for (Operation &inner : op.getRegion().front().without_terminator())
    cloneAt(inner, width, values);
}

SmallVector<Value> NestEmitter::indicesOf(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> indices;
  SmallVector<OpFoldResult> dims;
  for (auto [i, iv] : llvm::enumerate(ivs))
    dims.push_back(iv ? OpFoldResult(iv)
                      : OpFoldResult(builder.getIndexAttr(0)));
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    OpFoldResult index = affine::makeComposedFoldedAffineApply(
        builder, loc, map.getSubMap({i}), dims);
    indices.push_back(getValueOrCreateConstantIndexOp(builder, loc, index));
  }
  return indices;
}

Value NestEmitter::loadOperand(OpOperand &operand, unsigned width) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  SmallVector<Value> indices = indicesOf(operand);
  if (width == 1 || !dependsOnVectorDim(operand))
    return memref::LoadOp::create(builder, loc, operand.get(), indices);
  auto type = VectorType::get(
      {width}, cast<MemRefType>(operand.get().getType()).getElementType());
  return vector::LoadOp::create(builder, loc, type, operand.get(), indices);
}

void NestEmitter::storeResult(unsigned resultIndex, Value value,
                              unsigned width) {
  OpOperand *init = op.getDpsInitOperand(resultIndex);
  SmallVector<Value> indices = indicesOf(*init);
  if (width == 1) {
    memref::StoreOp::create(builder, loc, value, init->get(), indices);
    return;
  }
  constexpr int64_t bytesAhead = 1024;
  bool isWhole = width > lanesPerVector();
  if (asksForResult && isWhole) {
    int64_t bytes = llvm::divideCeil(
        cast<MemRefType>(init->get().getType()).getElementTypeBitWidth(), 8);
    SmallVector<Value> ahead(indices);
    ahead.back() = arith::AddIOp::create(
        builder, loc, ahead.back(),
        arith::ConstantIndexOp::create(builder, loc, bytesAhead / bytes));
    prefetchLines(init->get(), ahead, width, /*locality=*/3, /*isWrite=*/true);
  }
  bool isPast = storesPastCaches && isWhole;
  vector::StoreOp::create(builder, loc, splat(builder, loc, value, width),
                          init->get(), indices, /*nontemporal=*/isPast,
                          isPast ? llvm::MaybeAlign(kLineBytes)
                                 : llvm::MaybeAlign());
}

/// Is the large result of the program made here, and not read again?
bool NestEmitter::goesPastCaches() {
  if (op.getNumDpsInits() != 1 || !carriedReductions.empty())
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  auto tile = init->get().getDefiningOp<memref::SubViewOp>();
  if (!tile || !tile->hasOneUse() || !dependsOnVectorDim(*init) ||
      !isTileOfLargeResult(tile))
    return false;
  int64_t bytes =
      llvm::divideCeil(tile.getSourceType().getElementTypeBitWidth(), 8);
  return lanesPerVector() * registersPerStep() * bytes % kLineBytes == 0;
}

/// Rows are whole lines, so all of them begin with one if the first does.
Value NestEmitter::hasAlignedResult() {
  auto tile = op.getDpsInitOperand(0)->get().getDefiningOp<memref::SubViewOp>();
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      builder, loc, tile.getSource());
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value rest =
      arith::AndIOp::create(builder, loc, address, constant(kLineBytes - 1));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest,
                               constant(0));
}

/// So many that they have all that memory delivers, of which stores past the
/// caches need less, or nobody knows how many.
Value NestEmitter::hasManyThreads() {
  Operation *loop = op;
  while (auto outer = loop->getParentOfType<scf::ForallOp>())
    loop = outer;
  constexpr int64_t most = 4;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop);
  Value env = EnvOp::create(builder, loc,
                            LLVM::LLVMPointerType::get(builder.getContext()));
  Value threads = entryabi::loadThreads(builder, loc, env);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  // None stands for a number that is not known.
  Value others = arith::SubIOp::create(builder, loc, threads, constant(1));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, others,
                               constant(most));
}

void NestEmitter::cloneAt(Operation &source, unsigned width,
                          IRMapping &values) {
  auto index = dyn_cast<linalg::IndexOp>(source);
  if (!index)
    return cloneScalarOrVector(builder, loc, source, width, values);
  Value iv = ivs[index.getDim()];
  if (width > 1 && index.getDim() == vectorDim) {
    Value steps = vector::StepOp::create(
        builder, loc, VectorType::get({width}, builder.getIndexType()));
    iv = arith::AddIOp::create(builder, loc, splat(builder, loc, iv, width),
                               steps);
  }
  values.map(index.getResult(), iv);
}

/// Products that are summed are added unrounded, as register tiles do it.
static void contractSums(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || !getTarget(op))
    return;
  auto isSum = [&](Value term) {
    return llvm::is_contained(op.getRegionOutputArgs(), term);
  };
  for (auto add : op.getRegion().front().getOps<arith::AddFOp>())
    for (Value term : add->getOperands())
      if (auto product = term.getDefiningOp<arith::MulFOp>();
          product && product->hasOneUse() &&
          llvm::any_of(add->getOperands(), isSum))
        for (Operation *fused : {add.getOperation(), product.getOperation()}) {
          auto flags = cast<arith::ArithFastMathInterface>(fused)
                           .getFastMathFlagsAttr()
                           .getValue() |
                       arith::FastMathFlags::contract;
          fused->setAttr("fastmath",
                         arith::FastMathFlagsAttr::get(op.getContext(), flags));
        }
}

namespace {

struct VectorizePass : aikernel::impl::VectorizePassBase<VectorizePass> {
  using VectorizePassBase::VectorizePassBase;

  void runOnOperation() override {
    unsigned bits = aikernel::getVectorBits(getOperation());
    IRRewriter rewriter(&getContext());

    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      if (copy.getSource() != copy.getTarget())
        linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                                 copy.getTarget());
      rewriter.eraseOp(copy);
    }

    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        FailureOr<linalg::GenericOp> general =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(general)) {
          op.emitError("has no scalar form");
          return signalPassFailure();
        }
        generic = *general;
      }
      contractSums(generic);
      rewriter.setInsertionPoint(generic);
      NestEmitter(rewriter, generic, bits).emit();
      rewriter.eraseOp(generic);
    }
  }
};

} // namespace
