//===- LaneCode.cpp - What one lane does of a quantized product -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a product and a unit. Out: loads of whole vectors, shifts and masks of
// words, products of bytes.
//
// Codes are stored without sign; what was added to them is taken off by the
// start of the integer sums, - offset * (sum of x). Sums of a block are exact,
// as those of all other targets are; they are rounded when they become floats.
//
//===----------------------------------------------------------------------===//

#include "LaneCode.h"
#include "AIKernel/Dialect/AIKernel/QuantActivations.h"
#include "AIKernel/Dialect/AIKernel/QuantFields.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace aikernel;

static constexpr int64_t kLoadBytes = 16;

LaneCode::LaneCode(LoopBuilder &b, LaneProductOp op, bool isDevice)
    : layout(getQuantFormat(op.getFormat())), b(b), op(op),
      bytes(op, isDevice) {
  highAt = QuantLanes::kRows * layout.getParts();
  smallAt = highAt + layout.highBits;
}

Value LaneCode::constant(int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

Value LaneCode::multiplyAdd(Value sum, Value x, Value y) {
  auto fuse = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(b, x, y, fuse);
  return arith::AddFOp::create(b, sum, product, fuse);
}

Value LaneCode::toFloat(Value integer) {
  return arith::SIToFPOp::create(b, b.getF32Type(), integer);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static Value toF32(LoopBuilder &b, Value number) {
  unsigned width = number.getType().getIntOrFloatBitWidth();
  if (width == 32)
    return number;
  if (width > 32)
    return arith::TruncFOp::create(b, b.getF32Type(), number);
  return arith::ExtFOp::create(b, b.getF32Type(), number);
}

LaneCode::Values LaneCode::loadNumbers(Value row, Value unit) {
  Value x = op.getX();
  auto type = cast<MemRefType>(x.getType());
  Type element = type.getElementType();
  Value first = b.times(unit, QuantLanes::kUnit);
  auto at = [&](unsigned i) {
    Values where{b.plus(first, i)};
    if (type.getRank() == 2)
      where.insert(where.begin(), row);
    return where;
  };
  Values numbers;
  // Buffers begin at multiples of 16 bytes, and units do within them.
  if (!type.getLayout().isIdentity()) {
    for (unsigned i = 0; i != QuantLanes::kUnit; ++i)
      numbers.push_back(toF32(b, b.load(x, at(i))));
    return numbers;
  }
  int64_t width = kLoadBytes * 8 / element.getIntOrFloatBitWidth();
  auto vector = VectorType::get({width}, element);
  Values loaded;
  for (unsigned i = 0; i < QuantLanes::kUnit; i += width)
    loaded.push_back(vector::LoadOp::create(b, vector, x, at(i),
                                            /*nontemporal=*/false,
                                            llvm::MaybeAlign(kLoadBytes)));
  for (Value part : loaded)
    for (int64_t i = 0; i != width; ++i)
      numbers.push_back(
          toF32(b, vector::ExtractOp::create(b, part, ArrayRef<int64_t>{i})));
  return numbers;
}

Value LaneCode::largestOf(ValueRange numbers) {
  Value largest = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  for (Value number : numbers)
    largest =
        arith::MaximumFOp::create(b, math::AbsFOp::create(b, number), largest);
  return largest;
}

LaneCode::Activations LaneCode::quantize(ValueRange numbers, Value largest) {
  ActivationBlock kind = layout.format.activations;
  Value inverse = buildInverse(b, kind, largest);
  Activations x;
  for (unsigned group = 0; group != QuantLanes::kGroups; ++group) {
    Value word;
    for (unsigned i = 0; i != QuantLanes::kGroup; ++i) {
      Value number = numbers[group * QuantLanes::kGroup + i];
      Value integer =
          buildActivation(b, kind, arith::MulFOp::create(b, inverse, number));
      Value byte = arith::ExtUIOp::create(b, b.getI32Type(), integer);
      if (i != 0)
        byte = arith::ShLIOp::create(b, byte, constant(8 * i));
      word = word ? arith::OrIOp::create(b, word, byte).getResult() : byte;
    }
    x.words.push_back(word);
  }
  unsigned subBlocks = layout.getSubBlocks();
  unsigned groups = QuantLanes::kGroups / subBlocks;
  for (unsigned sub = 0; sub != subBlocks; ++sub) {
    Value sum = constant(0);
    for (unsigned i = 0; i != groups; ++i)
      sum = bytes.multiplyAdd(b, sum, x.words[sub * groups + i],
                              constant(0x01010101));
    x.sums.push_back(sum);
  }
  x.scale = buildActivationScale(b, kind, largest);
  if (kind == ActivationBlock::ScaledSum)
    x.minimum = buildScaledSum(b, x.sums[0], largest);
  return x;
}

Value LaneCode::sumOf(const Activations &x) {
  Value sum = x.sums.front();
  for (Value more : llvm::drop_begin(x.sums))
    sum = arith::AddIOp::create(b, sum, more);
  return sum;
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

Value LaneCode::loadWords(Value memref, ValueRange at, int64_t count) {
  return vector::LoadOp::create(
      b, VectorType::get({count}, b.getI32Type()), memref, at,
      /*nontemporal=*/false, llvm::MaybeAlign(count * 4));
}

LaneCode::Values LaneCode::loadUnit(Value group, Value unit) {
  Values loaded;
  for (unsigned row = 0; row != QuantLanes::kRows; ++row)
    for (unsigned part = 0; part != layout.getParts(); ++part)
      loaded.push_back(loadWords(
          op.getCodes(), {group, b.index(row), b.index(part), unit, b.index(0)},
          QuantLanes::kWords));
  for (unsigned bit = 0; bit != layout.highBits; ++bit)
    loaded.push_back(loadWords(op.getHigh(),
                               {group, b.index(bit), unit, b.index(0)},
                               QuantLanes::kRows));
  if (op.getSmall())
    loaded.push_back(loadWords(op.getSmall(), {group, unit, b.index(0)},
                               layout.getSmallBytes()));
  return loaded;
}

Value LaneCode::wordOf(Value words, unsigned word) {
  return vector::ExtractOp::create(b, words, ArrayRef<int64_t>{word});
}

Value LaneCode::signedByteOf(Value words, unsigned byte) {
  Value word = wordOf(words, byte / 4);
  unsigned place = byte % 4 * 8;
  if (place != 24)
    word = arith::ShLIOp::create(b, word, constant(24 - place));
  return arith::ShRSIOp::create(b, word, constant(24));
}

/// The codes of each group, as bytes.
LaneCode::Values LaneCode::codesOf(ValueRange loaded, unsigned row) {
  unsigned parts = layout.getParts();
  Values codes;
  for (unsigned group = 0; group != QuantLanes::kGroups; ++group) {
    unsigned word = group % QuantLanes::kWords;
    unsigned upper = group / QuantLanes::kWords;
    if (layout.lowBits == 8) {
      codes.push_back(wordOf(loaded[row * parts + upper], word));
      continue;
    }
    Value low = wordOf(loaded[row], word);
    if (upper)
      low = arith::ShRUIOp::create(b, low, constant(4));
    Value code = arith::AndIOp::create(b, low, constant(0x0f0f0f0f));
    if (layout.highBits != 0) {
      unsigned perWord = layout.getHighGroups();
      Value high = wordOf(loaded[highAt + group / perWord], row);
      // From where they are to bit 4.
      int from = group % perWord * layout.highBits;
      if (from < 4)
        high = arith::ShLIOp::create(b, high, constant(4 - from));
      if (from > 4)
        high = arith::ShRUIOp::create(b, high, constant(from - 4));
      int64_t mask = ((1 << layout.highBits) - 1) * 0x10101010ll;
      high = arith::AndIOp::create(b, high, constant(mask));
      code = arith::OrIOp::create(b, code, high);
    }
    codes.push_back(code);
  }
  return codes;
}

LaneCode::Sums LaneCode::multiply(ValueRange loaded, const Activations &x) {
  const QuantFormat &format = layout.format;
  unsigned subBlocks = layout.getSubBlocks();
  unsigned groups = QuantLanes::kGroups / subBlocks;
  unsigned minimumsAt = format.subScales ? subBlocks : 0;
  Sums sums;
  for (unsigned row = 0; row != QuantLanes::kRows; ++row) {
    auto small = [&](unsigned number) {
      return signedByteOf(loaded[smallAt],
                          row * layout.getSmallBytes() + number);
    };
    auto add = [&](Value sum, Value more) -> Value {
      return sum ? arith::AddIOp::create(b, sum, more).getResult() : more;
    };
    Value products, minimums;
    Values codes;
    if (!layout.hasTable())
      codes = codesOf(loaded, row);
    for (unsigned sub = 0; sub != subBlocks; ++sub) {
      Value dot = constant(0);
      if (layout.hasTable()) {
        Values nibbles;
        for (unsigned word = 0; word != QuantLanes::kWords; ++word)
          nibbles.push_back(wordOf(loaded[row], word));
        dot = bytes.multiplyTable(b, format.values, nibbles, x.words);
      } else {
        if (layout.offset != 0)
          dot = arith::MulIOp::create(b, x.sums[sub], constant(-layout.offset));
        for (unsigned i = sub * groups; i != (sub + 1) * groups; ++i)
          dot = bytes.multiplyAdd(b, dot, codes[i], x.words[i]);
      }
      if (format.subScales)
        dot = arith::MulIOp::create(b, dot, small(sub));
      products = add(products, dot);
      if (format.subMinimums)
        minimums =
            add(minimums,
                arith::MulIOp::create(b, x.sums[sub], small(minimumsAt + sub)));
    }
    sums.products.push_back(products);
    if (minimums)
      sums.minimums.push_back(minimums);
  }
  return sums;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

unsigned LaneCode::getBlockValues(unsigned rows) const {
  LaneProductOp product = op;
  if (product.getWScales())
    return rows * (product.getWZeros() ? 2 : 1);
  return rows == QuantLanes::kRows ? 1 : rows;
}

/// One vector for all rows, or a word for each.
LaneCode::Values LaneCode::loadBlock(Value group, Value unit, ValueRange rows) {
  Value block = divideIndex(b, unit, layout.getUnitsOfBlock());
  Values loaded;
  if (op.getScales() && rows.size() == QuantLanes::kRows)
    return {loadWords(op.getScales(), {group, block, b.index(0)},
                      layout.getScaleBytes())};
  if (op.getScales()) {
    for (Value row : rows) {
      Value byte = b.times(row, layout.getScaleBytes());
      loaded.push_back(
          b.load(op.getScales(), {group, block, divideIndex(b, byte, 4)}));
    }
    return loaded;
  }
  for (Value numbers : {op.getWScales(), op.getWZeros()}) {
    if (!numbers)
      continue;
    Value last = b.minus(memref::DimOp::create(b, numbers, 0), b.index(1));
    for (Value row : rows) {
      Value r = b.plus(b.times(group, QuantLanes::kRows), row);
      loaded.push_back(b.load(numbers, {b.smaller(r, last), block}));
    }
  }
  return loaded;
}

Value LaneCode::halfOf(Value word) {
  Value bits = arith::TruncIOp::create(b, b.getI16Type(), word);
  Value number = arith::BitcastOp::create(b, b.getF16Type(), bits);
  return arith::ExtFOp::create(b, b.getF32Type(), number);
}

LaneCode::Values LaneCode::addBlock(ValueRange loaded, ValueRange rows,
                                    const Sums &block, const Activations &x,
                                    Value sumOfX, ValueRange sums) {
  const QuantFormat &format = layout.format;
  unsigned bytesOfRow = layout.getScaleBytes();
  Values next;
  for (auto [i, row] : llvm::enumerate(rows)) {
    Value products = block.products[i], scale, minimum;
    if (op.getWScales()) {
      scale = toF32(b, loaded[i]);
      if (op.getWZeros()) {
        Value zero =
            arith::ExtSIOp::create(b, b.getI32Type(), loaded[rows.size() + i]);
        products = arith::SubIOp::create(
            b, products, arith::MulIOp::create(b, zero, sumOfX));
      }
    } else {
      // What belongs to the row starts somewhere in a word.
      Value word;
      if (rows.size() == QuantLanes::kRows) {
        unsigned byte = i * bytesOfRow;
        word = wordOf(loaded[0], byte / 4);
        if (byte % 4 != 0)
          word = arith::ShRUIOp::create(b, word, constant(byte % 4 * 8));
      } else {
        word = loaded[i];
        if (bytesOfRow != 4) {
          Value byte = remainderOfIndex(b, b.times(row, bytesOfRow), 4);
          Value place =
              arith::IndexCastOp::create(b, b.getI32Type(), b.times(byte, 8));
          word = arith::ShRUIOp::create(b, word, place);
        }
      }
      scale = format.scale == ScaleKind::Half
                  ? halfOf(word)
                  : buildPowerScale(
                        b, arith::AndIOp::create(b, word, constant(255)));
      if (format.minimumByte) {
        minimum = halfOf(arith::ShRUIOp::create(b, word, constant(16)));
        if (format.minimumIsSubtracted)
          minimum = arith::NegFOp::create(b, minimum);
      }
    }
    Value d = arith::MulFOp::create(b, scale, x.scale);
    Value sum = multiplyAdd(sums[i], toFloat(products), d);
    if (minimum)
      sum = block.minimums.empty()
                ? multiplyAdd(sum, minimum, x.minimum)
                : multiplyAdd(sum, arith::MulFOp::create(b, minimum, x.scale),
                              toFloat(block.minimums[i]));
    next.push_back(sum);
  }
  return next;
}
