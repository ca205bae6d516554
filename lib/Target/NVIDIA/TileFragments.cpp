//===- TileFragments.cpp - Registers of tile programs ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: ops on fragments. Out: wgmma as inline assembly, whose waits are tied to
// the accumulators; arithmetic on pairs of elements; writes from registers.
//
// Thread l of warp w of a warpgroup holds, of each eight columns 8i .. 8i+7,
// the pairs at column 8i + 2 (l mod 4) of rows 16w + l/4 and 16w + l/4 + 8:
// pairs 2i and 2i + 1 of its fragment.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tile;

SmallVector<Value> TileEmitter::elementsOf(Value frag) {
  SmallVector<Value> elements;
  unsigned count = cast<LLVM::LLVMStructType>(frag.getType()).getBody().size();
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(LLVM::ExtractValueOp::create(b, frag, i));
  return elements;
}

Value TileEmitter::structOf(ArrayRef<Value> elements) {
  SmallVector<Type> types(elements.size(), elements.front().getType());
  Value all = LLVM::PoisonOp::create(
      b, LLVM::LLVMStructType::getLiteral(b.getContext(), types));
  for (auto [i, element] : llvm::enumerate(elements))
    all = LLVM::InsertValueOp::create(b, all, element, (int64_t)i);
  return all;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void TileEmitter::emitZero(ZeroOp op) {
  values.map(op.getFrag(),
             LLVM::ZeroOp::create(b, convert(op.getFrag().getType())));
}

/// The high word of a descriptor of 128-byte lines, and what the low word has
/// above the address: distances between groups of eight lines, and between
/// boxes of lines where these are along the rows.
static int64_t descriptorOf(SharedType type) {
  int64_t swizzle128 = int64_t(1) << 62, groups = int64_t(1024 >> 4) << 32;
  int64_t boxes =
      type.getRowMajor() ? type.getDepth() * kLineBytes >> 4 : int64_t(1);
  return swizzle128 | groups | boxes << 16;
}

/// An instruction sums 32 bytes of the depth.
static constexpr int64_t kStepBytes = 32;

/// Each statement of inline assembly takes and gives all sums of a thread, and
/// most of what LLVM has to work through would be these. So the steps of a line
/// of two shared operands are one. Longer products, and those of weights in
/// registers, are attention's: few, and ptxas orders their steps better.
static constexpr int64_t kStepsOfLine = kLineBytes / kStepBytes;

/// How far such a step is, in the descriptor's units; panels are that far from
/// each other.
static int64_t offsetOf(SharedType type, int64_t step, int64_t panel) {
  if (type.getRowMajor())
    return step * (16 * kLineBytes >> 4);
  return step / kStepsOfLine * panel + step % kStepsOfLine * (kStepBytes >> 4);
}

/// "=&f,=&f,...,0,1,...": results that take the place of the first operands,
/// and of no other. With `fresh` there are no such operands.
static std::string tied(Type element, unsigned count, StringRef more,
                        bool fresh = false) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += element.isF32() ? "=&f," : "=&r,";
  for (unsigned i = 0; i < count && !fresh; ++i)
    text += std::to_string(i) + ",";
  text += more;
  if (more.empty())
    text.pop_back();
  return text;
}

/// Before products that follow each other directly. Registers that they read,
/// and that were computed, go through it: nothing that does so may sink below.
void TileEmitter::emitFence(MultiplyOp op) {
  if (isa_and_present<MultiplyOp>(op->getPrevNode()))
    return;
  SmallVector<Value> frags;
  for (Operation *next = op; isa_and_present<MultiplyOp>(next);
       next = next->getNextNode()) {
    auto multiply = cast<MultiplyOp>(next);
    if (!isa<FragType>(multiply.getLhs().getType()))
      continue;
    // An accumulator may come from one of these products.
    if (values.contains(multiply.getAcc()))
      frags.push_back(multiply.getAcc());
    frags.push_back(multiply.getLhs());
  }
  if (frags.empty()) {
    NVVM::WgmmaFenceAlignedOp::create(b);
    return;
  }
  SmallVector<Value> all;
  SmallVector<Type> types;
  std::string outs, ins;
  for (Value frag : frags)
    for (Value element : elementsOf(values.lookup(frag))) {
      outs += element.getType().isF32() ? "=f," : "=r,";
      ins += (all.empty() ? "" : ",") + std::to_string(all.size());
      all.push_back(element);
      types.push_back(element.getType());
    }
  Value through =
      assembly(LLVM::LLVMStructType::getLiteral(b.getContext(), types),
               "wgmma.fence.sync.aligned;", outs + ins, all);
  SmallVector<Value> elements = elementsOf(through);
  ArrayRef<Value> rest = elements;
  for (Value frag : frags) {
    unsigned count = cast<LLVM::LLVMStructType>(values.lookup(frag).getType())
                         .getBody()
                         .size();
    values.map(frag, structOf(rest.take_front(count)));
    rest = rest.drop_front(count);
  }
}

static StringRef nameOf(Type element) {
  if (element.isBF16())
    return "bf16";
  if (element.isF16())
    return "f16";
  if (element.isF32())
    return "tf32";
  if (element.isInteger(8))
    return "s8";
  return isa<Float8E5M2Type>(element) ? "e5m2" : "e4m3";
}

void TileEmitter::emitMultiply(MultiplyOp op) {
  emitFence(op);
  FragType type = op.getResult().getType();
  SharedType right = op.getRhs().getType();
  auto left = dyn_cast<SharedType>(op.getLhs().getType());
  Value acc = values.lookup(op.getAcc());
  unsigned count = type.getColumns() / 2;
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(i);
  auto word = [&](Value low, SharedType of) {
    Value wide = LLVM::ZExtOp::create(b, b.getI64Type(), low);
    return LLVM::OrOp::create(b, wide, i64(descriptorOf(of)));
  };
  Value from = left ? Value(word(descriptors[op.getLhs()], left)) : Value();
  Value by = word(descriptors[op.getRhs()], right);
  SmallVector<Value> held;
  if (!left)
    held = elementsOf(values.lookup(op.getLhs()));
  Type element = right.getElementType();
  Type leftElement = left ? left.getElementType() : element;
  int64_t bits = element.getIntOrFloatBitWidth();
  int64_t stepDepth = kStepBytes * 8 / bits;
  std::string name = "wgmma.mma_async.sync.aligned.m64n" +
                     std::to_string(type.getColumns()) + "k" +
                     std::to_string(stepDepth) +
                     (type.getElementType().isF32() ? ".f32." : ".s32.") +
                     nameOf(leftElement).str() + "." + nameOf(element).str();
  // Integers have no signs to turn, and only 16-bit operands may be transposed.
  std::string flags = element.isInteger(8) ? "" : ", 1, 1";
  if (bits == 16 && left)
    flags += left.getRowMajor() ? ", 1" : ", 0";
  if (bits == 16)
    flags += right.getRowMajor() ? ", 1" : ", 0";
  // What nothing was added to yet begins with the first product.
  bool isFirst = op.getAcc().getDefiningOp<ZeroOp>() != nullptr;
  int64_t steps = right.getDepth() / stepDepth;
  int64_t atOnce = left && steps <= kStepsOfLine ? steps : 1;
  for (int64_t begin = 0; begin < steps; begin += atOnce) {
    bool fresh = isFirst && begin == 0;
    SmallVector<Value> operands;
    if (!fresh)
      operands = elementsOf(acc);
    std::string text = "{ .reg .pred adds; ", more;
    auto operand = [&](Value value, StringRef kind) {
      more += (more.empty() ? "" : ",") + kind.str();
      operands.push_back(value);
      return "$" + std::to_string(count + operands.size() - 1);
    };
    for (int64_t step = begin; step < begin + atOnce; ++step) {
      if (step == begin || (step == 1 && isFirst))
        text += "setp.ne.b32 adds, " + std::to_string(step > 0 || !isFirst) +
                ", 0; ";
      text += name + " {" + list + "}, ";
      if (left) {
        int64_t offset = offsetOf(left, step, panels[op.getLhs()]);
        text += operand(LLVM::AddOp::create(b, from, i64(offset)), "l");
      } else {
        for (int64_t i = 0; i < 4; ++i)
          text += (i ? ", " : "{") + operand(held[4 * step + i], "r");
        text += "}";
      }
      int64_t offset = offsetOf(right, step, panels[op.getRhs()]);
      text += ", " + operand(LLVM::AddOp::create(b, by, i64(offset)), "l") +
              ", adds" + flags + "; ";
    }
    acc = assembly(acc.getType(), text + "}",
                   tied(type.getElementType(), count, more, fresh), operands);
  }
  NVVM::WgmmaGroupSyncAlignedOp::create(b);
  values.map(op.getResult(), acc);
}

void TileEmitter::emitAdd(AddOp op) {
  SmallVector<Value> sums;
  for (auto [x, y] : llvm::zip(elementsOf(values.lookup(op.getLhs())),
                               elementsOf(values.lookup(op.getRhs()))))
    sums.push_back(LLVM::FAddOp::create(b, x, y));
  values.map(op.getSum(), structOf(sums));
}

/// Elements of a thread are in the order of the columns.
void TileEmitter::emitColumns(ColumnsOp op) {
  SmallVector<Value> all = elementsOf(values.lookup(op.getFrag()));
  int64_t columns = op.getFrag().getType().getColumns();
  int64_t first = op.getFrom() * all.size() / columns;
  int64_t count = op.getPart().getType().getColumns() * all.size() / columns;
  values.map(op.getPart(), structOf(ArrayRef(all).slice(first, count)));
}

/// Copies that LLVM does not move: it would make them when the next products
/// have been started, and ptxas then has them wait (C7511) and spills.
void TileEmitter::emitKeep(KeepOp op) {
  SmallVector<Value> kept;
  for (Value element : elementsOf(values.lookup(op.getFrag()))) {
    bool isFloat = element.getType().isF32();
    kept.push_back(assembly(element.getType(), "mov.b32 $0, $1;",
                            isFloat ? "=f,f" : "=r,r", {element}));
  }
  values.map(op.getKept(), structOf(kept));
}

void TileEmitter::emitWait(WaitOp op) {
  SmallVector<Value> all;
  for (Value pending : op.getPending())
    llvm::append_range(all, elementsOf(values.lookup(pending)));
  Type element = all.front().getType();
  SmallVector<Type> types(all.size(), element);
  Value done = assembly(LLVM::LLVMStructType::getLiteral(b.getContext(), types),
                        "wgmma.wait_group.sync.aligned " +
                            std::to_string(op.getLeaving()) + ";",
                        tied(element, all.size(), ""), all);
  if (op.getPending().size() == 1) {
    values.map(op.getFrags()[0], done);
    return;
  }
  SmallVector<Value> elements = elementsOf(done);
  ArrayRef<Value> rest = elements;
  for (Value frag : op.getFrags()) {
    unsigned count = cast<FragType>(frag.getType()).getColumns() / 2;
    values.map(frag, structOf(rest.take_front(count)));
    rest = rest.drop_front(count);
  }
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() || element.isF16();
}

/// Two f32 to the nearest two of a narrow type, by one instruction.
Value TileEmitter::roundPair(Value pair, Type element) {
  Value low = vector::ExtractOp::create(b, pair, 0);
  Value high = vector::ExtractOp::create(b, pair, 1);
  auto type = VectorType::get(2, element);
  if (element.isBF16())
    return NVVM::ConvertF32x2ToBF16x2Op::create(b, type, high, low, Value(),
                                                NVVM::FPRoundingMode::RN);
  return NVVM::ConvertF32x2ToF16x2Op::create(b, type, high, low, Value(),
                                             NVVM::FPRoundingMode::RN);
}

/// Where a parameter of the kernel begins.
Value TileEmitter::globalPointer(Value memref) {
  Value index = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  Value address = arith::IndexCastOp::create(b, b.getI64Type(), index);
  return LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 1), address);
}

/// The elements of an extra that belong to the pair at a row and a column.
Value TileEmitter::loadExtra(Value memref, AffineMap map, Value row,
                             Value column) {
  auto type = cast<MemRefType>(memref.getType());
  Type element = type.getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  int64_t rowStride = 0, columnStride = 0;
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto of = dyn_cast<AffineDimExpr>(expr))
      (of.getPosition() == 0 ? rowStride : columnStride) = strides[dim];
  auto wide = [&](Value value) -> Value {
    return LLVM::ZExtOp::create(b, b.getI64Type(), value);
  };
  Value at = add(LLVM::MulOp::create(b, wide(row), i64(rowStride)),
                 LLVM::MulOp::create(b, wide(column), i64(columnStride)));
  at = add(at, i64(offset));
  Value pointer = globalPointer(memref);
  Type global = pointer.getType();
  auto element_at = [&](Value number) -> Value {
    return LLVM::GEPOp::create(b, global, element, pointer,
                               ArrayRef<LLVM::GEPArg>{number});
  };
  auto pair = VectorType::get(2, element);
  bool isEven = rowStride % 2 == 0 && offset % 2 == 0;
  if (columnStride == 1 && isEven)
    return LLVM::LoadOp::create(b, pair, element_at(at), 2 * bytes);
  Value first = LLVM::LoadOp::create(b, element, element_at(at), bytes);
  if (columnStride == 0)
    return vector::BroadcastOp::create(b, pair, first);
  Value second = LLVM::LoadOp::create(
      b, element, element_at(add(at, i64(columnStride))), bytes);
  return vector::FromElementsOp::create(b, pair, ValueRange{first, second});
}

/// Where the pairs of a thread are in the matrix of a map or a read. What is
/// outside is read from the edge, and not stored.
template <typename OpT>
TileEmitter::Pairs TileEmitter::pairsOf(OpT op) {
  Pairs pairs;
  Value top = add(values.lookupOrDefault(op.getRow()),
                  add(mul(bitAnd(warpOfRole, 3), 16), shiftRight(lane, 2)));
  pairs.left = add(values.lookupOrDefault(op.getColumn()),
                   shiftLeft(bitAnd(lane, 3), 1));
  Value lastRow = sub(values.lookupOrDefault(op.getRows()), i32(1));
  pairs.last = sub(values.lookupOrDefault(op.getColumns()), i32(2));
  pairs.rows[0] = least(top, lastRow);
  pairs.rows[1] = least(add(top, 8), lastRow);
  return pairs;
}

/// The elements of both rows of pair `i` of a row. What does not depend on the
/// column is the same for all pairs of a row, what does not depend on the row
/// for both rows; `known` is of the pair before.
void TileEmitter::loadPairs(Value memref, AffineMap map, const Pairs &pairs,
                            int64_t i, std::array<Value, 2> &known) {
  Value column;
  for (unsigned half : {0, 1}) {
    if (half == 1 && !map.isFunctionOfDim(0)) {
      known[1] = known[0];
    } else if (i == 0 || map.isFunctionOfDim(1)) {
      if (!column)
        column = least(add(pairs.left, 8 * i), pairs.last);
      known[half] = loadExtra(memref, map, pairs.rows[half], column);
    }
  }
}

void TileEmitter::emitRead(ReadOp op) {
  FragType type = op.getFrag().getType();
  Value memref = values.lookupOrDefault(op.getSource());
  Pairs pairs = pairsOf(op);
  bool isWide = type.getElementType().getIntOrFloatBitWidth() == 32;
  SmallVector<Value> elements;
  std::array<Value, 2> known;
  for (int64_t i = 0; i < type.getColumns() / 8; ++i) {
    loadPairs(memref, op.getBy(), pairs, i, known);
    for (Value pair : known) {
      if (!isWide) {
        elements.push_back(LLVM::BitcastOp::create(b, b.getI32Type(), pair));
        continue;
      }
      elements.push_back(vector::ExtractOp::create(b, pair, 0));
      elements.push_back(vector::ExtractOp::create(b, pair, 1));
    }
  }
  values.map(op.getFrag(), structOf(elements));
}

LogicalResult TileEmitter::emitMap(MapOp op) {
  FragType source = op.getSource().getType(), result = op.getResult().getType();
  SmallVector<Value> elements = elementsOf(values.lookup(op.getSource()));
  Pairs pairs = pairsOf(op);
  auto pairOf = [&](ArrayRef<Value> elements, Type element,
                    int64_t i) -> Value {
    auto type = VectorType::get(2, element);
    if (element.getIntOrFloatBitWidth() == 32)
      return vector::FromElementsOp::create(
          b, type, ValueRange{elements[2 * i], elements[2 * i + 1]});
    return LLVM::BitcastOp::create(b, type, elements[i]);
  };
  // By extra: its pairs of both rows, and its elements where it is a fragment.
  SmallVector<std::array<Value, 2>> known(op.getExtras().size());
  SmallVector<SmallVector<Value>> held(op.getExtras().size());
  for (auto [extra, elements] : llvm::zip(op.getExtras(), held))
    if (isa<FragType>(extra.getType()))
      elements = elementsOf(values.lookup(extra));
  SmallVector<Value> results;
  for (int64_t i = 0; i < source.getColumns() / 8; ++i) {
    for (auto [number, extra] : llvm::enumerate(op.getExtras())) {
      if (auto type = dyn_cast<FragType>(extra.getType()))
        for (unsigned half : {0, 1})
          known[number][half] =
              pairOf(held[number], type.getElementType(), 2 * i + half);
      else
        loadPairs(values.lookupOrDefault(extra),
                  cast<AffineMapAttr>(op.getExtraMaps()[number]).getValue(),
                  pairs, i, known[number]);
    }
    for (unsigned half : {0, 1}) {
      IRMapping inner;
      inner.map(op.getBody().getArgument(0),
                pairOf(elements, source.getElementType(), 2 * i + half));
      for (auto [number, both] : llvm::enumerate(known))
        inner.map(op.getBody().getArgument(number + 1), both[half]);
      FailureOr<Value> mapped = emitElements(op, inner);
      if (failed(mapped))
        return failure();
      if (result.getElementType().isF32()) {
        results.push_back(vector::ExtractOp::create(b, *mapped, 0));
        results.push_back(vector::ExtractOp::create(b, *mapped, 1));
      } else {
        results.push_back(LLVM::BitcastOp::create(b, b.getI32Type(), *mapped));
      }
    }
  }
  values.map(op.getResult(), structOf(results));
  return success();
}

/// Where eleven bits or fewer will be left, quotients and exponentials by the
/// hardware's approximations: they are off by 2^-17 at most.
Value TileEmitter::emitForRounding(MapOp op, Operation &each,
                                   ArrayRef<Value> operands) {
  if (!isNarrow(op.getResult().getType().getElementType()) ||
      !each.getResult(0).getType().isF32())
    return Value();
  auto roughly = arith::FastMathFlags::afn;
  if (isa<arith::DivFOp>(each))
    return arith::DivFOp::create(b, operands[0], operands[1], roughly);
  if (!isa<math::ExpOp>(each))
    return Value();
  Value log2e = arith::ConstantOp::create(
      b, DenseElementsAttr::get(cast<VectorType>(operands[0].getType()),
                                b.getF32FloatAttr(1.44269504f)));
  auto power = math::Exp2Op::create(
      b, arith::MulFOp::create(b, operands[0], log2e), roughly);
  // The instruction gives 0 and infinity outside of the range.
  power->setAttr(kInRangeAttrName, b.getUnitAttr());
  return power;
}

/// The region of a map on two elements at once.
FailureOr<Value> TileEmitter::emitElements(MapOp op, IRMapping &inner) {
  auto paired = [](Type type) { return VectorType::get(2, type); };
  auto lookup = [&](Value value) -> Value {
    if (Value known = inner.lookupOrNull(value))
      return known;
    // From outside: the same for both.
    TypedAttr constant;
    Value both;
    if (matchPattern(value, m_Constant(&constant)))
      both = arith::ConstantOp::create(
          b,
          DenseElementsAttr::get(paired(value.getType()), Attribute(constant)));
    else
      both = vector::BroadcastOp::create(b, paired(value.getType()),
                                         values.lookupOrDefault(value));
    inner.map(value, both);
    return both;
  };
  for (Operation &each : op.getBody().front().without_terminator()) {
    if (each.hasTrait<OpTrait::ConstantLike>())
      continue;
    if (!OpTrait::hasElementwiseMappableTraits(&each) ||
        each.getNumResults() != 1)
      return each.emitOpError("cannot be done to each element of a fragment");
    Type to = each.getResult(0).getType();
    SmallVector<Value> operands;
    for (Value operand : each.getOperands())
      operands.push_back(lookup(operand));
    if (isa<arith::TruncFOp>(each) && isNarrow(to) &&
        each.getOperand(0).getType().isF32()) {
      inner.map(each.getResult(0), roundPair(operands[0], to));
      continue;
    }
    if (Value fast = emitForRounding(op, each, operands)) {
      inner.map(each.getResult(0), fast);
      continue;
    }
    // Arithmetic of narrow types is done in f32 and rounded once.
    bool inF32 = isNarrow(to) && !isa<arith::TruncFOp, arith::SelectOp>(each) &&
                 llvm::all_of(each.getOperands(), [&](Value operand) {
                   return operand.getType() == to;
                 });
    if (inF32)
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(b, paired(b.getF32Type()), operand);
    OperationState state(each.getLoc(), each.getName(), operands,
                         {paired(inF32 ? b.getF32Type() : to)},
                         each.getAttrs());
    Value made = b.create(state)->getResult(0);
    inner.map(each.getResult(0), inF32 ? roundPair(made, to) : made);
  }
  return lookup(op.getBody().front().getTerminator()->getOperand(0));
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

/// Pairs are along columns: one store each, or, where columns are far apart in
/// memory, two.
void TileEmitter::emitWrite(WriteOp op) {
  FragType type = op.getFrag().getType();
  auto out = cast<MemRefType>(op.getOut().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)out.getStridesAndOffset(strides, offset);
  SmallVector<Value> elements = elementsOf(values.lookup(op.getFrag()));
  Type element = type.getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value rows = values.lookupOrDefault(op.getRows());
  Value columns = values.lookupOrDefault(op.getColumns());
  Value top = add(values.lookupOrDefault(op.getRow()),
                  add(mul(bitAnd(warpOfRole, 3), 16), shiftRight(lane, 2)));
  Value left = add(values.lookupOrDefault(op.getColumn()),
                   shiftLeft(bitAnd(lane, 3), 1));
  int64_t rowStride = op.getTransposed() ? 1 : strides[0];
  int64_t columnStride = op.getTransposed() ? strides[0] : 1;
  Value pointer = globalPointer(values.lookupOrDefault(op.getOut()));
  auto wide = [&](Value value) -> Value {
    return LLVM::ZExtOp::create(b, b.getI64Type(), value);
  };
  auto store = [&](Value value, Value at) {
    Value to = LLVM::GEPOp::create(b, pointer.getType(), element, pointer,
                                   ArrayRef<LLVM::GEPArg>{at});
    LLVM::StoreOp::create(b, value, to,
                          isa<VectorType>(value.getType()) ? 2 * bytes : bytes);
  };
  auto pairType = VectorType::get(2, element);
  for (unsigned half : {0, 1}) {
    Value row = add(top, 8 * half);
    Value start =
        add(LLVM::MulOp::create(b, wide(row), i64(rowStride)), i64(offset));
    Value inRows = lessThan(row, rows);
    for (int64_t i = 0; i < type.getColumns() / 8; ++i) {
      Value column = add(left, 8 * i);
      Value inside = LLVM::AndOp::create(b, inRows, lessThan(column, columns));
      onlyIf(inside, [&] {
        int64_t number = 2 * i + half;
        Value pair;
        if (element.isF32())
          pair = vector::FromElementsOp::create(
              b, pairType,
              ValueRange{elements[2 * number], elements[2 * number + 1]});
        else
          pair = LLVM::BitcastOp::create(b, pairType, elements[number]);
        Value at =
            add(start, LLVM::MulOp::create(b, wide(column), i64(columnStride)));
        if (columnStride == 1)
          return store(pair, at);
        store(vector::ExtractOp::create(b, pair, 0), at);
        store(vector::ExtractOp::create(b, pair, 1),
              add(at, i64(columnStride)));
      });
    }
  }
}
