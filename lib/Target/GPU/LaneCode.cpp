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
// start of the integer sums, - offset * (sum of x). Integer sums are exact; per
// unit they are below 2^24 and so exact in f32, too.
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
  scalesAt = smallAt + (op.getSmall() ? 1 : 0);
  wScalesAt = scalesAt + (op.getScales() ? 1 : 0);
  wZerosAt = wScalesAt + (op.getWScales() ? QuantLanes::kRows : 0);
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
      numbers.push_back(toF32(
          b, vector::ExtractOp::create(b, part, ArrayRef<int64_t>{i})));
  return numbers;
}

Value LaneCode::largestOf(ValueRange numbers) {
  Value largest =
      arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  for (Value number : numbers)
    largest = arith::MaximumFOp::create(b, math::AbsFOp::create(b, number),
                                        largest);
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
      Value integer = buildActivation(
          b, kind, arith::MulFOp::create(b, inverse, number));
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

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

Value LaneCode::loadWords(Value memref, ValueRange at, int64_t count) {
  return vector::LoadOp::create(
      b, VectorType::get({count}, b.getI32Type()), memref, at,
      /*nontemporal=*/false,
      llvm::MaybeAlign(count * 4));
}

LaneCode::Values LaneCode::loadUnit(Value group, Value unit) {
  Values loaded;
  for (unsigned row = 0; row != QuantLanes::kRows; ++row)
    for (unsigned part = 0; part != layout.getParts(); ++part)
      loaded.push_back(loadWords(
          op.getCodes(),
          {group, b.index(row), b.index(part), unit, b.index(0)},
          QuantLanes::kWords));
  for (unsigned bit = 0; bit != layout.highBits; ++bit)
    loaded.push_back(loadWords(op.getHigh(),
                               {group, b.index(bit), unit, b.index(0)},
                               QuantLanes::kRows));
  if (op.getSmall())
    loaded.push_back(loadWords(op.getSmall(), {group, unit, b.index(0)},
                               layout.getSmallBytes()));
  Value block = divideIndex(b, unit, layout.getUnitsOfBlock());
  if (op.getScales())
    loaded.push_back(loadWords(op.getScales(), {group, block, b.index(0)},
                               layout.getScaleBytes()));
  for (Value numbers : {op.getWScales(), op.getWZeros()}) {
    if (!numbers)
      continue;
    Value last = b.minus(memref::DimOp::create(b, numbers, 0), b.index(1));
    for (unsigned row = 0; row != QuantLanes::kRows; ++row) {
      Value r = b.smaller(b.plus(b.times(group, QuantLanes::kRows), row), last);
      loaded.push_back(b.load(numbers, {r, block}));
    }
  }
  return loaded;
}

Value LaneCode::wordOf(Value words, unsigned word) {
  return vector::ExtractOp::create(b, words, ArrayRef<int64_t>{word});
}

Value LaneCode::byteOf(Value words, unsigned byte, bool isSigned) {
  Value word = wordOf(words, byte / 4);
  unsigned place = byte % 4 * 8;
  if (!isSigned) {
    if (place != 0)
      word = arith::ShRUIOp::create(b, word, constant(place));
    return place == 24
               ? word
               : arith::AndIOp::create(b, word, constant(255)).getResult();
  }
  if (place != 24)
    word = arith::ShLIOp::create(b, word, constant(24 - place));
  return arith::ShRSIOp::create(b, word, constant(24));
}

/// An f16 as f32.
Value LaneCode::halfOf(Value words, unsigned half) {
  Value word = wordOf(words, half / 2);
  if (half % 2 != 0)
    word = arith::ShRUIOp::create(b, word, constant(16));
  Value bits = arith::TruncIOp::create(b, b.getI16Type(), word);
  Value number = arith::BitcastOp::create(b, b.getF16Type(), bits);
  return arith::ExtFOp::create(b, b.getF32Type(), number);
}

/// The codes of each group, as bytes.
LaneCode::Values LaneCode::codesOf(ValueRange loaded, unsigned row) {
  unsigned parts = layout.getParts();
  Values codes;
  for (unsigned group = 0; group != QuantLanes::kGroups; ++group) {
    unsigned word = group % QuantLanes::kWords, upper = group / 4;
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

Value LaneCode::scaleOf(ValueRange loaded, unsigned row) {
  switch (layout.format.scale) {
  case ScaleKind::Half:
    return halfOf(loaded[scalesAt], row * layout.getScaleBytes() / 2);
  case ScaleKind::Exponent:
    return buildPowerScale(b, byteOf(loaded[scalesAt], row, false));
  case ScaleKind::Operand:
    return toF32(b, loaded[wScalesAt + row]);
  }
  llvm_unreachable("a scale that is stored nowhere");
}

Value LaneCode::minimumOf(ValueRange loaded, unsigned row) {
  Value minimum = halfOf(loaded[scalesAt], row * 2 + 1);
  if (!layout.format.minimumIsSubtracted)
    return minimum;
  return arith::NegFOp::create(b, minimum);
}

LaneCode::Values LaneCode::addUnit(ValueRange loaded, const Activations &x,
                                   ValueRange sums) {
  const QuantFormat &format = layout.format;
  unsigned subBlocks = layout.getSubBlocks();
  unsigned groups = QuantLanes::kGroups / subBlocks;
  Values next;
  for (unsigned row = 0; row != QuantLanes::kRows; ++row) {
    Value factor = constant(-layout.offset);
    if (op.getWZeros())
      factor = arith::SubIOp::create(
          b, factor,
          arith::ExtSIOp::create(b, b.getI32Type(), loaded[wZerosAt + row]));
    auto small = [&](unsigned number) {
      return byteOf(loaded[smallAt], row * layout.getSmallBytes() + number,
                    /*isSigned=*/true);
    };
    auto add = [&](Value sum, Value more) -> Value {
      return sum ? arith::AddIOp::create(b, sum, more).getResult() : more;
    };
    unsigned minimumsAt = format.subScales ? subBlocks : 0;
    Value total, minimums;
    Values codes;
    if (!layout.hasTable())
      codes = codesOf(loaded, row);
    for (unsigned sub = 0; sub != subBlocks; ++sub) {
      Value dot;
      if (layout.hasTable()) {
        Values nibbles;
        for (unsigned word = 0; word != QuantLanes::kWords; ++word)
          nibbles.push_back(wordOf(loaded[row], word));
        dot = bytes.multiplyTable(b, format.values, nibbles, x.words);
      } else {
        dot = constant(0);
        if (layout.offset != 0 || op.getWZeros())
          dot = arith::MulIOp::create(b, x.sums[sub], factor);
        for (unsigned i = sub * groups; i != (sub + 1) * groups; ++i)
          dot = bytes.multiplyAdd(b, dot, codes[i], x.words[i]);
      }
      if (format.subScales)
        dot = arith::MulIOp::create(b, dot, small(sub));
      total = add(total, dot);
      if (format.subMinimums)
        minimums = add(minimums, arith::MulIOp::create(
                                     b, x.sums[sub], small(minimumsAt + sub)));
    }
    Value d = arith::MulFOp::create(b, scaleOf(loaded, row), x.scale);
    Value sum = multiplyAdd(sums[row], toFloat(total), d);
    if (format.minimumByte) {
      Value minimum = minimumOf(loaded, row);
      sum = minimums ? multiplyAdd(
                           sum, arith::MulFOp::create(b, minimum, x.scale),
                           toFloat(minimums))
                     : multiplyAdd(sum, minimum, x.minimum);
    }
    next.push_back(sum);
  }
  return next;
}
