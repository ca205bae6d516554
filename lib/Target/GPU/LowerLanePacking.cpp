//===- LowerLanePacking.cpp - Packing for lanes in structured ops ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.pack_lanes on memrefs. Out: a linalg.generic whose body computes
// one word from the bytes of the source.
//
//   aikernel.pack_lanes %w outs %d {section = codes}
//   ==>  linalg.generic outs(%d) { eight codes of row 4 g + r, in one word }
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/QuantFields.h"
#include "AIKernel/Dialect/AIKernel/QuantLanes.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#define DEBUG_TYPE "aik-lower-lane-packing"

namespace aikernel {
#define GEN_PASS_DEF_LOWERLANEPACKINGPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Writes the body of one op.
class WordReader {
public:
  WordReader(LoopBuilder &b, PackLanesOp op)
      : layout(getQuantFormat(op.getFormat())), b(b), source(op.getSource()),
        section(op.getSection()) {
    auto type = cast<MemRefType>(op.getDest().getType());
    for (int64_t i = 0; i != type.getRank(); ++i)
      indices.push_back(linalg::IndexOp::create(b, i));
    rows = cast<MemRefType>(source.getType()).getDimSize(0);
  }

  Value read() {
    switch (section) {
    case LaneSection::Codes: // [group, row, part, unit, word]
      setRow(indices[1]);
      setUnit(indices[3]);
      return readCodes(b.plus(b.times(indices[2], QuantLanes::kUnit / 2),
                              b.times(indices[4], layout.getWordStep())));
    case LaneSection::High: // [group, bit, unit, row]
      setRow(indices[3]);
      setUnit(indices[2]);
      return readHigh(b.times(indices[1], layout.getHighGroups()));
    case LaneSection::Small: // [group, unit, word]
      setUnit(indices[1]);
      return readBytes(layout.getSmallBytes(),
                       [&](unsigned number) { return readSmall(number); });
    case LaneSection::Scales: // [group, block, word]
      block = indices[1];
      return readBytes(layout.getScaleBytes(),
                       [&](unsigned number) { return readScale(number); });
    }
    llvm_unreachable("a section that is not read");
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, value, 32);
  }

  void setRow(Value inGroup) {
    Value at = b.plus(b.times(indices[0], QuantLanes::kRows), inGroup);
    row = b.smaller(at, b.index(rows - 1));
  }

  void setUnit(Value unit) {
    unsigned inBlock = layout.getUnitsOfBlock();
    block = divideIndex(b, unit, inBlock);
    element = b.times(remainderOfIndex(b, unit, inBlock), QuantLanes::kUnit);
  }

  /// The byte at `offset` of the block.
  Value loadByte(Value offset) {
    Value at = b.plus(b.times(block, layout.format.blockBytes), offset);
    Value byte = b.load(source, {row, at});
    return arith::ExtUIOp::create(b, b.getI32Type(), byte);
  }

  Value readField(const PackedField &field, Value number) {
    return buildFieldRead(b, field, number,
                          [&](Value offset) { return loadByte(offset); });
  }

  /// What is stored of the code of an element of the unit.
  Value readCode(Value inUnit) {
    Value code = readField(layout.format.codes, b.plus(element, inUnit));
    if (layout.offset != 0)
      code = arith::AddIOp::create(b, code, constant(layout.offset));
    return code;
  }

  /// word | (the low `bits` of number << place)
  Value put(Value word, Value number, unsigned bits, unsigned place) {
    number = arith::AndIOp::create(b, number, constant((1 << bits) - 1));
    if (place != 0)
      number = arith::ShLIOp::create(b, number, constant(place));
    return word ? arith::OrIOp::create(b, word, number).getResult() : number;
  }

  Value readCodes(Value first) {
    Value word;
    for (unsigned i = 0; i != 32 / layout.lowBits; ++i)
      word = put(word, readCode(b.plus(first, layout.placeOf(i))),
                 layout.lowBits, i * layout.lowBits);
    return word;
  }

  Value readHigh(Value firstGroup) {
    Value word;
    Value first = b.times(firstGroup, QuantLanes::kGroup);
    for (unsigned group = 0; group != layout.getHighGroups(); ++group)
      for (unsigned i = 0; i != QuantLanes::kGroup; ++i) {
        Value code = readCode(b.plus(first, group * QuantLanes::kGroup + i));
        Value high = arith::ShRUIOp::create(b, code, constant(layout.lowBits));
        word =
            put(word, high, layout.highBits, 8 * i + group * layout.highBits);
      }
    return word;
  }

  /// A word of numbers of which each row has `perRow`, a byte each.
  Value readBytes(unsigned perRow, function_ref<Value(unsigned)> readNumber) {
    Value word, first = b.times(indices.back(), 4 / perRow);
    for (unsigned i = 0; i != 4; ++i) {
      setRow(b.plus(first, i / perRow));
      word = put(word, readNumber(i % perRow), 8, 8 * i);
    }
    return word;
  }

  Value readSmall(unsigned number) {
    const QuantFormat &format = layout.format;
    unsigned subBlocks = layout.getSubBlocks();
    bool isScale = format.subScales && number < subBlocks;
    Value at = b.plus(divideIndex(b, element, format.subBlockSize),
                      number % subBlocks);
    return readField(isScale ? *format.subScales : *format.subMinimums, at);
  }

  Value readScale(unsigned number) {
    const QuantFormat &format = layout.format;
    unsigned byte = number < 2 ? format.scaleByte + number
                               : *format.minimumByte + number - 2;
    return loadByte(b.index(byte));
  }

  const QuantLanes layout;
  LoopBuilder &b;
  Value source;
  LaneSection section;
  int64_t rows;
  SmallVector<Value> indices;
  Value row, block, element; // where reads are from
};

struct LowerLanePackingPass
    : aikernel::impl::LowerLanePackingPassBase<LowerLanePackingPass> {
  using LowerLanePackingPassBase::LowerLanePackingPassBase;

  void runOnOperation() override {
    SmallVector<PackLanesOp> ops;
    getOperation().walk([&](PackLanesOp op) { ops.push_back(op); });
    for (PackLanesOp op : ops)
      lower(op);
  }

private:
  void lower(PackLanesOp op) {
    OpBuilder builder(op);
    int64_t rank = cast<MemRefType>(op.getDest().getType()).getRank();
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    linalg::GenericOp::create(builder, op.getLoc(), ValueRange(), op.getDest(),
                              builder.getMultiDimIdentityMap(rank), loops,
                              [&](OpBuilder &inner, Location loc, ValueRange) {
                                LoopBuilder b(loc, inner);
                                Value word = WordReader(b, op).read();
                                linalg::YieldOp::create(b, word);
                              });
    op.erase();
  }
};

} // namespace
