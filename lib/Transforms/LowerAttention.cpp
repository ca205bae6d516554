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
// So it is where query heads share keys that are worth packing: the queries of
// all of them, one head after the other, are those of one head there.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/AttentionPasses.h"
#include "AIKernel/Transforms/AttentionTiles.h"
#include "AIKernel/Transforms/LoopBuilder.h"
#include "AIKernel/Transforms/MatrixViews.h"
#include "AIKernel/Transforms/SharedFunctions.h"
#include "MergedHeads.h"
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

/// Keys of a part: enough to hide the cost of handing it to a thread.
constexpr int64_t kKeysOfPart = 256;
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
    int64_t parts = partsOfHead();
    Value accs = partsOf(op.getAcc(), parts);
    Value maximums = partsOf(op.getMax(), parts);
    Value sums = partsOf(op.getSum(), parts);
    Value used = partsInUse(parts);
    std::optional<MergedHeads> merged;
    if (op.sharesPackedKeys())
      merged = mergeHeads(b, op);
    inParallel({sizeOf(op.getK(), 0), sizeOf(op.getK(), op.getHeadDim()), used},
               [&](ValueRange at) {
                 KeysOfPart keys = keysOfPart(at[0], at[2], used);
                 if (merged)
                   attendTogether(form, *merged, at, keys,
                                  {accs, maximums, sums});
                 else
                   attendToPart(form, at[0], at[1], at[2], keys,
                                {accs, maximums, sums});
               });
    inParallel({sizeOf(op.getQ(), 0), sizeOf(op.getQ(), op.getHeadDim()),
                sizeOf(op.getQ(), op.getSequenceDim())},
               [&](ValueRange at) {
                 combineParts(form, at, used, {accs, maximums, sums});
               });
  }

  /// As many as the longest cache needs, but no more than share the work.
  int64_t partsOfHead() {
    MemRefType keys = typeOf(op.getK());
    int64_t heads = 1;
    for (int64_t dim : {int64_t(0), op.getHeadDim()})
      if (!keys.isDynamicDim(dim))
        heads *= std::max<int64_t>(keys.getDimSize(dim), 1);
    int64_t most = std::max<int64_t>(kMostParts / heads, 1);
    if (keys.isDynamicDim(op.getSequenceDim()))
      return most;
    int64_t known = keys.getDimSize(op.getSequenceDim());
    return std::clamp<int64_t>((known + kKeysOfPart - 1) / kKeysOfPart, 1,
                               most);
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

  /// So many parts of at least kKeysOfPart have work, in the batch that sees
  /// most: the others would be shared among threads all the same.
  Value partsInUse(int64_t parts) {
    Value most = b.loop(b.index(0), sizeOf(op.getK(), 0), 1, {b.index(1)},
                        [&](Value batch, ValueRange soFar) {
                          return LoopBuilder::Values{b.larger(
                              soFar[0], countVisible(visibleKeys(batch)))};
                        })[0];
    return b.smaller(b.ceilDiv(most, kKeysOfPart), b.index(parts));
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

  void attendToPart(const AttentionForm &form, Value batch, Value keyHead,
                    Value part, const KeysOfPart &keys,
                    std::array<Value, 3> parts) {
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
        block(parts[0], {part, batch, head, zero(), zero()}, {2, 3, 4}, sizes));
    for (Value state : {parts[1], parts[2]})
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
                      std::array<Value, 3> parts) {
    Value batch = place[0], keyHead = place[1], part = place[2];
    OpFoldResult rows = b.getIndexAttr(op.getConstantGroup() * countQueries());
    OpFoldResult count = b.minus(keys.past, keys.first);
    Value head = b.times(keyHead, op.getConstantGroup());
    SmallVector<OpFoldResult> keysAt(4, zero());
    keysAt[0] = batch, keysAt[op.getHeadDim()] = keyHead;
    keysAt[op.getSequenceDim()] = keys.first;
    auto keysOf = [&](Value memref) {
      return viewAsMatrix(
          b, b.getLoc(), memref, keysAt, {op.getSequenceDim(), 3},
          {count, memref::getMixedSize(b, b.getLoc(), memref, 3)});
    };
    SmallVector<Value> operands{
        matrix(merged.queries, {batch, keyHead, zero(), zero()}, {2, 3}),
        keysOf(op.getK()), keysOf(op.getV()),
        viewAsMatrix(b, b.getLoc(), parts[0],
                     {part, batch, head, zero(), zero()}, {3, 4},
                     {rows, b.getIndexAttr(form.features)})};
    for (Value state : {parts[1], parts[2]})
      operands.push_back(viewAsMatrix(b, b.getLoc(), state,
                                      {part, batch, head, zero()}, {2, 3},
                                      {b.getIndexAttr(1), rows}));
    startSums(form, operands[3], operands[4], operands[5]);
    operands.append({op.getScale(), b.plus(op.getKeyOffset(), keys.first)});
    for (Value bound : {merged.begin, merged.end})
      if (bound)
        operands.push_back(row(bound, {batch, zero()}, {0, 1}));
    functions.call(b, b.getLoc(), "aik$attention", operands, variantOf(form),
                   [&](func::FuncOp made) { emitAttention(made, form); });
  }

  /// Those of no key at all.
  void startSums(const AttentionForm &form, Value acc, Value maximum,
                 Value sum) {
    int64_t lanes = form.instruction.lanes();
    auto vector = VectorType::get({lanes}, b.getF32Type());
    Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(vector));
    auto constant = [&](float value) -> Value {
      return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
    };
    b.loop(sizeOf(acc, 0), 1, [&](Value row) {
      b.store(constant(-std::numeric_limits<float>::infinity()), maximum,
              {b.index(0), row});
      b.store(constant(0), sum, {b.index(0), row});
      b.loop(b.index(form.features), lanes,
             [&](Value column) { b.store(zeros, acc, {row, column}); });
    });
  }

  void combineParts(const AttentionForm &form, ValueRange row, Value used,
                    std::array<Value, 3> parts) {
    SmallVector<OpFoldResult> at{zero()};
    llvm::append_range(at, row);
    OpFoldResult one = b.getIndexAttr(1);
    OpFoldResult count = used;
    OpFoldResult features = b.getIndexAttr(form.features);
    SmallVector<Value> operands;
    for (Value state : {parts[1], parts[2]})
      operands.push_back(block(state, at, {0, 3}, {count, one}));
    at.push_back(zero());
    operands.insert(operands.begin(),
                    block(parts[0], at, {0, 4}, {count, features}));
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
  Value partsOf(Value output, int64_t parts) {
    SmallVector<OpFoldResult> sizes{b.getIndexAttr(parts)};
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
