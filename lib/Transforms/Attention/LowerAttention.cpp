//===- LowerAttention.cpp - Online attention to register tiles ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.online_attention on memrefs, with an instruction. Out: loops
// over batches and heads that call a function for one head, which serves
// operands of all lengths. With few queries there is nothing but the keys to
// divide among threads:
//
//   scf.forall (batch, key head, part of the keys): attend to the part
//   scf.forall (batch, head, query): combine the parts
//
// Query heads that share a key head, whose keys are worth packing once for all
// of them, become one head with the queries of all, and are split likewise.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/AttentionPasses.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "AttentionTiles.h"
#include "MergedHeads.h"
#include "Tiles/MatrixViews.h"
#include "Tiles/SharedFunctions.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "aik-lower-attention"

namespace aikernel {
#define GEN_PASS_DEF_LOWERATTENTIONPASS
#include "AIKernel/Transforms/AttentionPasses.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Keys of a part: enough to hide the cost of handing it to a thread. Where
/// rows are many and there are few key heads, half of them are.
constexpr int64_t kKeysOfPart = 256, kKeysOfPartOfRows = 128;
constexpr int64_t kFewKeyHeads = 8;
/// Parts of all batches and key heads together: work for many threads. Longer
/// caches have larger parts rather than more, which have to be combined.
constexpr int64_t kMostParts = 64;
constexpr int64_t kOpen = ShapedType::kDynamic;

class AttentionLowering {
public:
  explicit AttentionLowering(ModuleOp module)
      : b(module.getLoc(), module.getContext()), functions(module) {}

  void lower(OnlineAttentionOp attention) {
    op = attention;
    b.setInsertionPoint(op);
    b.setLoc(op.getLoc());
    if (canSplit())
      split();
    else
      lowerHeads();
    op.erase();
  }

private:
  AttentionForm formOf() {
    std::optional<double> softcap;
    if (std::optional<APFloat> cap = op.getSoftcap())
      softcap = cap->convertToDouble();
    return {*findInstruction(*op.getInstruction()),
            typeOf(op.getK()).getDimSize(3),
            typeOf(op.getV()).getDimSize(3),
            op.getQueriesAtOnce(),
            softcap,
            op.getMask() != nullptr,
            op.getBegin() != nullptr,
            op.getEnd() != nullptr,
            fusesMultiplyAdd(op, /*otherwise=*/false),
            keepsNaNInMinMax(op),
            hasOnlyNeon(op),
            op.getAnyQueries() && hasWholeRows()};
  }
  /// Can vectors read them where they are?
  bool hasWholeRows() {
    int64_t lanes = findInstruction(*op.getInstruction())->lanes();
    return hasContiguousRows() &&
           typeOf(op.getK()).getDimSize(3) % lanes == 0 &&
           typeOf(op.getV()).getDimSize(3) % lanes == 0;
  }
  bool hasContiguousRows() {
    return llvm::all_of(
        ValueRange{op.getQ(), op.getK(), op.getV(), op.getAcc()},
        [&](Value memref) {
          return typeOf(memref).getStridesAndOffset().first.back() == 1;
        });
  }
  /// What functions of the same operands differ in.
  Attribute variantOf(const AttentionForm &form, ArrayRef<int64_t> more = {}) {
    SmallVector<int64_t> numbers{form.depth,    form.features, form.hasMask,
                                 form.hasBegin, form.hasEnd,   form.mayBeFew};
    llvm::append_range(numbers, more);
    return b.getArrayAttr({op.getInstructionAttr(), b.getI64ArrayAttr(numbers),
                           form.softcap
                               ? Attribute(b.getF64FloatAttr(*form.softcap))
                               : b.getUnitAttr()});
  }

  //===--------------------------------------------------------------------===//
  // One head after the other
  //===--------------------------------------------------------------------===//

  void lowerHeads() {
    AttentionForm form = formOf();
    b.loop(sizeOf(op.getQ(), 0), 1, [&](Value batch) {
      b.loop(sizeOf(op.getQ(), op.getHeadDim()), 1, [&](Value head) {
        Value keyHead = arith::DivUIOp::create(
            b, b.plus(op.getHeadOffset(), head), op.getGroup());
        SmallVector<Value> operands{
            rows(op.getQ(), batch, head),
            rows(op.getK(), batch, keyHead),
            rows(op.getV(), batch, keyHead),
            matrix(op.getAcc(), {batch, head, zero(), zero()}, {2, 3}),
            row(op.getMax(), {batch, head, zero()}, {1, 2}),
            row(op.getSum(), {batch, head, zero()}, {1, 2}),
            op.getScale(),
            op.getKeyOffset()};
        if (op.getMask())
          operands.push_back(maskOf(batch, head, {2, 3}));
        addBounds(operands, batch);
        functions.call(b, b.getLoc(), "aik$attention", operands,
                       variantOf(form),
                       [&](func::FuncOp made) { emitAttention(made, form); });
      });
    });
  }

  //===--------------------------------------------------------------------===//
  // Parts of the keys
  //===--------------------------------------------------------------------===//

  bool canSplit() {
    return op.isSplitAlongKeys() && !op->getParentOfType<scf::ForallOp>() &&
           matchPattern(op.getHeadOffset(), m_Zero()) && hasContiguousRows();
  }

  /// Parallel over key heads and parts of the keys, then over the rows of the
  /// result, which combine their parts. The parts do not depend on the number
  /// of threads.
  void split() {
    AttentionForm form = formOf();
    OpFoldResult room = roomForParts();
    PartSums sums = {partsOf(op.getAcc(), room), partsOf(op.getMax(), room),
                     partsOf(op.getSum(), room)};
    Value used = partsInUse(asValue(room));
    std::optional<MergedHeads> merged;
    if (op.sharesPackedKeys())
      merged = mergeHeads(b, op);
    inParallel({sizeOf(op.getK(), 0), sizeOf(op.getK(), op.getHeadDim()), used},
               [&](ValueRange at) {
                 KeysOfPart keys = keysOfPart(at[0], at[2], used);
                 if (merged)
                   attendTogether(form, *merged, at, keys, sums);
                 else
                   attendToPart(form, at, keys, sums);
               });
    inParallel({sizeOf(op.getQ(), 0), sizeOf(op.getQ(), op.getHeadDim()),
                sizeOf(op.getQ(), op.getSequenceDim())},
               [&](ValueRange at) { combineParts(form, at, used, sums); });
  }

  /// What each part computes: memrefs [part, batch, head, query, ...].
  struct PartSums {
    Value acc, maximum, sum;
  };

  /// Key heads of all batches, as far as they are known.
  int64_t knownKeyHeads() {
    MemRefType keys = typeOf(op.getK());
    int64_t heads = 1;
    for (int64_t dim : {int64_t(0), op.getHeadDim()})
      if (!keys.isDynamicDim(dim))
        heads *= std::max<int64_t>(keys.getDimSize(dim), 1);
    return heads;
  }

  int64_t shortestPart() {
    return op.sharesPackedKeys() && knownKeyHeads() < kFewKeyHeads
               ? kKeysOfPartOfRows
               : kKeysOfPart;
  }

  /// As many parts of a head as its keys need, but no more than share the work.
  OpFoldResult roomForParts() {
    MemRefType keys = typeOf(op.getK());
    int64_t most = std::max<int64_t>(kMostParts / knownKeyHeads(), 1);
    bool hasKeys = !keys.isDynamicDim(op.getSequenceDim());
    if (hasKeys)
      most = std::clamp<int64_t>(
          llvm::divideCeil(keys.getDimSize(op.getSequenceDim()),
                           shortestPart()),
          1, most);
    if (hasKeys && !keys.isDynamicDim(0))
      return b.getIndexAttr(most);
    auto atLeastOne = [&](Value x) { return b.larger(x, b.index(1)); };
    Value needed =
        b.ceilDiv(sizeOf(op.getK(), op.getSequenceDim()), shortestPart());
    Value shares = b.index(most);
    if (keys.isDynamicDim(0))
      shares =
          arith::DivUIOp::create(b, shares, atLeastOne(sizeOf(op.getK(), 0)));
    return atLeastOne(b.smaller(needed, shares));
  }

  /// The keys of a batch that some query sees: what is cut into parts, however
  /// large the cache is.
  std::pair<Value, Value> visibleKeys(Value batch) {
    Value keys = sizeOf(op.getK(), op.getSequenceDim()), none = b.index(0);
    Value queries = sizeOf(op.getQ(), op.getSequenceDim());
    auto extreme = [&](Value bounds, bool largest) {
      return b.loop(none, queries, 1, {largest ? none : keys},
                    [&](Value query, ValueRange soFar) {
                      Value key = arith::IndexCastOp::create(
                          b, b.getIndexType(), b.load(bounds, {batch, query}));
                      key = b.larger(b.minus(key, op.getKeyOffset()), none);
                      key = b.smaller(key, keys);
                      return LoopBuilder::Values{
                          largest ? b.larger(soFar[0], key)
                                  : b.smaller(soFar[0], key)};
                    })[0];
    };
    return {op.getBegin() ? extreme(op.getBegin(), false) : none,
            op.getEnd() ? extreme(op.getEnd(), true) : keys};
  }

  Value countVisible(std::pair<Value, Value> keys) {
    return b.larger(b.minus(keys.second, keys.first), b.index(0));
  }

  /// So many parts that are not too short have work, in the batch that sees
  /// most: the others would be shared among threads all the same.
  Value partsInUse(Value room) {
    Value most = b.loop(b.index(0), sizeOf(op.getK(), 0), 1, {b.index(1)},
                        [&](Value batch, ValueRange soFar) {
                          return LoopBuilder::Values{b.larger(
                              soFar[0], countVisible(visibleKeys(batch)))};
                        })[0];
    return b.smaller(b.ceilDiv(most, shortestPart()), room);
  }

  struct KeysOfPart {
    Value first, past;
  };
  KeysOfPart keysOfPart(Value batch, Value part, Value used) {
    auto [firstSeen, pastSeen] = visibleKeys(batch);
    Value perPart = arith::CeilDivUIOp::create(
        b, countVisible({firstSeen, pastSeen}), used);
    Value first =
        b.smaller(b.plus(firstSeen, b.times(part, perPart)), pastSeen);
    return {first, b.smaller(b.plus(first, perPart), pastSeen)};
  }

  /// `place` is a batch, a key head and a part.
  void attendToPart(const AttentionForm &form, ValueRange place,
                    const KeysOfPart &keys, const PartSums &sums) {
    Value batch = place[0], keyHead = place[1], part = place[2];
    int64_t group = op.getConstantGroup(), queries = countQueries();
    Value head = b.times(keyHead, group);
    SmallVector<OpFoldResult> at(4, zero());
    at[0] = batch, at[op.getHeadDim()] = head;
    OpFoldResult heads = b.getIndexAttr(group);
    SmallVector<OpFoldResult> sizes{heads, b.getIndexAttr(queries),
                                    b.getIndexAttr(form.depth)};
    SmallVector<Value> operands{
        block(op.getQ(), at, {op.getHeadDim(), op.getSequenceDim(), 3}, sizes),
        rows(op.getK(), batch, keyHead), rows(op.getV(), batch, keyHead)};
    sizes[2] = b.getIndexAttr(form.features);
    operands.push_back(
        block(sums.acc, {part, batch, head, zero(), zero()}, {2, 3, 4}, sizes));
    for (Value state : {sums.maximum, sums.sum})
      operands.push_back(block(state, {part, batch, head, zero()}, {2, 3},
                               ArrayRef(sizes).drop_back()));
    operands.append({op.getScale(), op.getKeyOffset(), keys.first, keys.past});
    if (op.getMask())
      operands.push_back(maskOf(batch, head, {1, 2, 3}));
    addBounds(operands, batch);
    functions.call(b, b.getLoc(), "aik$rows", operands,
                   variantOf(form, {group, queries}), [&](func::FuncOp made) {
                     emitAttentionOfRows(made, form, group, queries);
                   });
  }

  int64_t countQueries() {
    return typeOf(op.getQ()).getDimSize(op.getSequenceDim());
  }

  /// All rows of a key head to a part of its keys, which are packed.
  void attendTogether(const AttentionForm &form, const MergedHeads &merged,
                      ValueRange place, const KeysOfPart &keys,
                      const PartSums &sums) {
    Value batch = place[0], keyHead = place[1], part = place[2];
    int64_t group = op.getConstantGroup();
    OpFoldResult allRows = b.getIndexAttr(group * countQueries());
    Value head = b.times(keyHead, group);
    auto keysOf = [&](Value memref) {
      SmallVector<OpFoldResult> at(4, zero());
      at[0] = batch, at[op.getHeadDim()] = keyHead;
      at[op.getSequenceDim()] = keys.first;
      return viewAsMatrix(b, b.getLoc(), memref, at, {op.getSequenceDim(), 3},
                          {OpFoldResult(b.minus(keys.past, keys.first)),
                           memref::getMixedSize(b, b.getLoc(), memref, 3)});
    };
    auto stateOf = [&](Value memref) {
      return viewAsMatrix(b, b.getLoc(), memref, {part, batch, head, zero()},
                          {2, 3}, {b.getIndexAttr(1), allRows});
    };
    Value acc = viewAsMatrix(b, b.getLoc(), sums.acc,
                             {part, batch, head, zero(), zero()}, {3, 4},
                             {allRows, b.getIndexAttr(form.features)});
    Value maximum = stateOf(sums.maximum), sum = stateOf(sums.sum);
    seeNoKey(form, acc, maximum, sum);
    SmallVector<Value> operands{
        matrix(merged.queries, {batch, keyHead, zero(), zero()}, {2, 3}),
        keysOf(op.getK()),
        keysOf(op.getV()),
        acc,
        maximum,
        sum,
        op.getScale(),
        b.plus(op.getKeyOffset(), keys.first)};
    for (Value bound : {merged.begin, merged.end})
      if (bound)
        operands.push_back(row(bound, {batch, zero()}, {0, 1}));
    functions.call(b, b.getLoc(), "aik$attention", operands, variantOf(form),
                   [&](func::FuncOp made) { emitAttention(made, form); });
  }

  /// Stores what rows have that have seen no key: keys are added to that.
  void seeNoKey(const AttentionForm &form, Value acc, Value maximum,
                Value sum) {
    int64_t lanes = form.instruction.lanes();
    auto vector = VectorType::get({lanes}, b.getF32Type());
    Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(vector));
    auto constant = [&](float value) -> Value {
      return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
    };
    b.loop(sizeOf(acc, 0), 1, [&](Value number) {
      LoopBuilder::Values at{b.index(0), number};
      b.store(constant(-std::numeric_limits<float>::infinity()), maximum, at);
      b.store(constant(0), sum, at);
      b.loop(b.index(form.features), lanes,
             [&](Value column) { b.store(zeros, acc, {number, column}); });
    });
  }

  void combineParts(const AttentionForm &form, ValueRange row, Value used,
                    const PartSums &sums) {
    SmallVector<OpFoldResult> at{zero()};
    llvm::append_range(at, row);
    OpFoldResult one = b.getIndexAttr(1);
    OpFoldResult count = used;
    OpFoldResult features = b.getIndexAttr(form.features);
    SmallVector<Value> operands;
    for (Value state : {sums.maximum, sums.sum})
      operands.push_back(block(state, at, {0, 3}, {count, one}));
    at.push_back(zero());
    operands.insert(operands.begin(),
                    block(sums.acc, at, {0, 4}, {count, features}));
    SmallVector<OpFoldResult> to(row.begin(), row.end());
    to.push_back(zero());
    operands.push_back(block(op.getAcc(), to, {2, 3}, {one, features}));
    to.pop_back();
    for (Value state : {op.getMax(), op.getSum()})
      operands.push_back(block(state, to, {1, 2}, {one, one}));
    functions.call(b, b.getLoc(), "aik$combine", operands, variantOf(form),
                   [&](func::FuncOp made) { emitCombination(made, form); });
  }

  /// Memory for what each part computes.
  Value partsOf(Value output, OpFoldResult parts) {
    SmallVector<OpFoldResult> sizes{parts};
    llvm::append_range(sizes, memref::getMixedSizes(b, b.getLoc(), output));
    return memref::AllocOp::create(b, sizes, typeOf(output).getElementType(),
                                   Attribute());
  }

  void inParallel(ArrayRef<Value> counts, function_ref<void(ValueRange)> body) {
    SmallVector<OpFoldResult> sizes;
    for (Value count : counts)
      sizes.push_back(getAsOpFoldResult(count));
    auto loop = scf::ForallOp::create(b, sizes, ValueRange{},
                                      /*mapping=*/std::nullopt);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getTerminator());
    body(loop.getInductionVars());
  }

  //===--------------------------------------------------------------------===//
  // Views
  //===--------------------------------------------------------------------===//

  static MemRefType typeOf(Value memref) {
    return cast<MemRefType>(memref.getType());
  }
  OpFoldResult zero() { return b.getIndexAttr(0); }
  Value asValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  }
  Value sizeOf(Value memref, int64_t dim) {
    return asValue(memref::getMixedSize(b, b.getLoc(), memref, dim));
  }

  Value matrix(Value memref, ArrayRef<OpFoldResult> at,
               std::array<int64_t, 2> dims) {
    return viewAsMatrix(b, b.getLoc(), memref, at, dims,
                        {sizeOf(memref, dims[0]), sizeOf(memref, dims[1])});
  }
  Value row(Value memref, ArrayRef<OpFoldResult> at,
            std::array<int64_t, 2> dims) {
    return viewAsMatrix(b, b.getLoc(), memref, at, dims,
                        {b.getIndexAttr(1), sizeOf(memref, dims[1])});
  }
  /// [row, feature] of one head of q, k or v.
  Value rows(Value memref, Value batch, Value head) {
    SmallVector<OpFoldResult> at(4, zero());
    at[0] = batch, at[op.getHeadDim()] = head;
    return matrix(memref, at, {op.getSequenceDim(), 3});
  }
  void addBounds(SmallVectorImpl<Value> &operands, Value batch) {
    for (Value bound : {op.getBegin(), op.getEnd()})
      if (bound)
        operands.push_back(row(bound, {batch, zero()}, {0, 1}));
  }

  /// The block along some dimensions, from position `at` on.
  Value block(Value memref, ArrayRef<OpFoldResult> at, ArrayRef<int64_t> dims,
              ArrayRef<OpFoldResult> sizes) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
    SmallVector<OpFoldResult> all = metadata.getConstifiedMixedStrides();
    SmallVector<OpFoldResult> strides;
    for (int64_t dim : dims)
      strides.push_back(all[dim]);
    return strided(memref, metadata, at, all, sizes, strides);
  }

  /// The mask of one head or several, along the given loops of (batch, head,
  /// query, key). Along dimensions of size 1 it stands still.
  Value maskOf(Value batch, Value head, ArrayRef<int64_t> loops) {
    int64_t rank = typeOf(op.getMask()).getRank();
    auto metadata = memref::ExtractStridedMetadataOp::create(b, op.getMask());
    SmallVector<OpFoldResult> known = metadata.getConstifiedMixedStrides();
    SmallVector<OpFoldResult> all(4, zero()), at(4, zero()), sizes, strides;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (typeOf(op.getMask()).getDimSize(dim) != 1)
        all[4 - rank + dim] = known[dim];
    at[0] = batch, at[1] = head;
    Value loopSizes[] = {Value(), b.index(op.getConstantGroup()),
                         sizeOf(op.getQ(), op.getSequenceDim()),
                         sizeOf(op.getK(), op.getSequenceDim())};
    for (int64_t loop : loops) {
      sizes.push_back(loopSizes[loop]);
      strides.push_back(all[loop]);
    }
    return strided(op.getMask(), metadata, at, all, sizes, strides);
  }

  /// A view whose type tells only whether its last dimension is contiguous.
  Value strided(Value memref, memref::ExtractStridedMetadataOp metadata,
                ArrayRef<OpFoldResult> at, ArrayRef<OpFoldResult> atStrides,
                ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
    Value offset = asValue(metadata.getConstifiedMixedOffset());
    for (auto [position, stride] : llvm::zip_equal(at, atStrides))
      offset = b.plus(offset, b.times(asValue(position), asValue(stride)));
    bool isContiguous = isConstantIntValue(strides.back(), 1);
    SmallVector<OpFoldResult> openSizes, openStrides;
    for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
      openSizes.push_back(asValue(size));
      openStrides.push_back(asValue(stride));
    }
    SmallVector<int64_t> open(sizes.size(), kOpen), typed = open;
    if (isContiguous) {
      typed.back() = 1;
      openStrides.back() = b.getIndexAttr(1);
    }
    auto layout = StridedLayoutAttr::get(b.getContext(), kOpen, typed);
    return memref::ReinterpretCastOp::create(
        b, MemRefType::get(open, typeOf(memref).getElementType(), layout),
        metadata.getBaseBuffer(), OpFoldResult(offset), openSizes, openStrides);
  }

  LoopBuilder b;
  SharedFunctions functions;
  OnlineAttentionOp op;
};

struct LowerAttention : aikernel::impl::LowerAttentionPassBase<LowerAttention> {
  void runOnOperation() override {
    SmallVector<OnlineAttentionOp> worklist;
    getOperation().walk([&](OnlineAttentionOp op) { worklist.push_back(op); });
    AttentionLowering lowering(getOperation());
    for (OnlineAttentionOp op : worklist) {
      if (!op.getInstruction() || !findInstruction(*op.getInstruction())) {
        op.emitError("names no instruction of the table");
        return signalPassFailure();
      }
      lowering.lower(op);
    }
  }
};

} // namespace
