//===- BlockGemv.cpp - Code of one panel of a block product ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an empty function and the layout of a format. Out: its body.
//
//   sums of the 16 rows = 0                    (native vectors, lane = row)
//   for each block
//     for each chunk: 32-bit sums of products, times sub-scales
//     sums += scales of the rows * scale of x * those
//
// Codes are stored without sign; what was added to them is taken off by the
// start of the 32-bit sums, - offset * (sum of x), which costs nothing.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/BlockKernels.h"
#include "AIKernel/Transforms/LoopBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

namespace {

constexpr unsigned kRows = QuantPanel::kRows;
/// The most of x that one load takes.
constexpr unsigned kLoadBytes = 16;

class BlockGemv {
public:
  BlockGemv(func::FuncOp function, const QuantPanel &layout,
            const ByteProducts &products)
      : b(function), layout(layout), products(products),
        lanes(products.getVectorBits() / 32), vectors(kRows / lanes) {
    auto arguments = function.getArguments();
    w = arguments[0], x = arguments[1], scales = arguments[2];
    chunkSums = arguments[3];
    out = arguments[arguments.size() - 2];
    panel = arguments.back();
    if (layout.format.activations == ActivationBlock::ScaledSum)
      scaledSums = arguments[4];
    floats = VectorType::get({lanes}, b.getF32Type());
    integers = VectorType::get({lanes}, b.getI32Type());
    bytes = VectorType::get({lanes * 4}, b.getI8Type());
  }

  void emit() {
    edge = memref::AllocaOp::create(
        b, MemRefType::get({(int64_t)kRows}, b.getF32Type()));
    Values start(vectors, zeros(floats));
    Values sums = b.loop(b.index(0), memref::DimOp::create(b, x, 0), 1, start,
                         [&](Value newBlock, ValueRange carried) {
                           block = newBlock;
                           return addBlock(carried);
                         });
    store(sums);
    func::ReturnOp::create(b);
  }

private:
  using Values = LoopBuilder::Values;

  Value zeros(VectorType type) {
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  }
  Value splat(VectorType type, int64_t value) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               type, b.getIntegerAttr(type.getElementType(), value)));
  }
  Value broadcast(VectorType type, Value scalar) {
    return vector::BroadcastOp::create(b, type, scalar);
  }
  Value toFloats(Value value) {
    return arith::SIToFPOp::create(b, floats, value);
  }
  /// `contract` lets the target fuse the two where it can.
  Value multiplyAdd(Value sum, Value x, Value y) {
    auto fuse = arith::FastMathFlags::contract;
    Value product = arith::MulFOp::create(b, x, y, fuse);
    return arith::AddFOp::create(b, sum, product, fuse);
  }

  /// Bytes of the block, from `start` + `offset` on.
  Value load(Value start, int64_t offset, VectorType type) {
    return vector::LoadOp::create(
        b, type, w, ValueRange{panel, block, b.plus(start, offset)});
  }

  /// The 16-bit floats at `byte` of the block for the rows of vector `v`.
  Value loadFloats(unsigned byte, unsigned v, bool isExponent) {
    Value loaded = load(b.index(0), byte + v * lanes * 2,
                        VectorType::get({lanes * 2}, b.getI8Type()));
    if (!isExponent) {
      Value halves = vector::BitCastOp::create(
          b, VectorType::get({lanes}, b.getF16Type()), loaded);
      return arith::ExtFOp::create(b, floats, halves);
    }
    auto words = VectorType::get({lanes}, b.getI16Type());
    Value wide = arith::ExtUIOp::create(
        b, integers, vector::BitCastOp::create(b, words, loaded));
    wide = arith::ShLIOp::create(b, wide, splat(integers, 16));
    return vector::BitCastOp::create(b, floats, wide);
  }

  /// Sub-scales or sub-minimums for the rows of vector `v`.
  Value loadSmall(Value chunkStart, unsigned byte, unsigned v) {
    Value loaded = load(chunkStart, byte + v * lanes,
                        VectorType::get({lanes}, b.getI8Type()));
    return arith::ExtSIOp::create(b, integers, loaded);
  }

  Values addBlock(ValueRange carried) {
    bool hasMinimums = layout.format.subMinimums.has_value();
    Values inner;
    if (layout.chunks == 1) {
      inner = addChunk(b.index(0), Values(vectors), Values(vectors));
    } else {
      Values start(hasMinimums ? 2 * vectors : vectors, zeros(integers));
      inner = b.loop(b.index(0), b.index(layout.chunks), 1, start,
                     [&](Value chunk, ValueRange sums) {
                       return addChunk(chunk, Values(sums.take_front(vectors)),
                                       Values(sums.drop_front(vectors)));
                     });
    }
    Value scale =
        broadcast(floats, memref::LoadOp::create(b, scales, ValueRange{block}));
    Value weight;
    if (scaledSums)
      weight = broadcast(
          floats, memref::LoadOp::create(b, scaledSums, ValueRange{block}));
    bool isExponent = layout.format.scale == ScaleKind::Exponent;
    Values sums;
    for (unsigned v = 0; v != vectors; ++v) {
      Value d = arith::MulFOp::create(
          b, loadFloats(layout.getScaleByte(), v, isExponent), scale);
      Value sum = multiplyAdd(carried[v], toFloats(inner[v]), d);
      if (layout.format.minimumByte) {
        Value minimum = loadFloats(layout.getMinimumByte(), v, false);
        if (layout.format.minimumIsSubtracted)
          minimum = arith::NegFOp::create(b, minimum);
        if (hasMinimums)
          sum = multiplyAdd(sum, arith::MulFOp::create(b, minimum, scale),
                            toFloats(inner[vectors + v]));
        else
          sum = multiplyAdd(sum, minimum, weight);
      }
      sums.push_back(sum);
    }
    return sums;
  }

  /// The sums after a chunk; null values stand for zeros.
  Values addChunk(Value chunk, Values sums, Values minimums) {
    Value chunkStart =
        b.plus(arith::MulIOp::create(b, chunk, b.index(layout.getChunkBytes())),
               layout.getChunkByte());
    Value sumOfX =
        memref::LoadOp::create(b, chunkSums, ValueRange{block, chunk});
    bool isScaled = layout.format.subScales.has_value();
    Values dots(vectors);
    Value start = startOfSums(sumOfX);
    for (unsigned v = 0; v != vectors; ++v) {
      dots[v] = start;
      if (!isScaled && sums[v])
        dots[v] = arith::AddIOp::create(b, sums[v], start);
    }
    multiplyChunk(chunk, chunkStart, dots);
    if (isScaled)
      for (unsigned v = 0; v != vectors; ++v) {
        Value scale = loadSmall(chunkStart, layout.getSubScaleByte(), v);
        dots[v] = arith::MulIOp::create(b, dots[v], scale);
        if (sums[v])
          dots[v] = arith::AddIOp::create(b, sums[v], dots[v]);
      }
    if (!layout.format.subMinimums)
      return dots;
    Value weight = broadcast(integers, sumOfX);
    for (unsigned v = 0; v != vectors; ++v) {
      Value minimum = loadSmall(chunkStart, layout.getSubMinimumByte(), v);
      Value product = arith::MulIOp::create(b, minimum, weight);
      dots.push_back(minimums[v]
                         ? arith::AddIOp::create(b, minimums[v], product)
                         : product);
    }
    return dots;
  }

  bool isSigned() const {
    return layout.lowBits == 8 || !layout.format.values.empty();
  }

  Value startOfSums(Value sumOfX) {
    int64_t offset = layout.offset;
    if (isSigned() && products.wantsUnsigned())
      offset += 128;
    if (offset == 0)
      return zeros(integers);
    Value factor = arith::ConstantIntOp::create(b, -offset, 32);
    return broadcast(integers, arith::MulIOp::create(b, sumOfX, factor));
  }

  /// Shifts are the scarcest instructions, masks the cheapest: where there is a
  /// product of unsigned bytes, the upper halves stay where they are, and the
  /// sums of theirs, sixteen times too large, are shifted instead.
  bool keepsUpperHalves() const {
    return layout.lowBits == 4 && layout.format.values.empty() &&
           products.takesUnsigned() &&
           (layout.highBits == 0 || sumsHighBitsApart());
  }

  /// A bit by itself becomes 0 or -1, and the sums of those sixteen times the
  /// difference that it makes.
  bool sumsHighBitsApart() const {
    return layout.highBits == 1 && products.testsBits();
  }

  void multiplyChunk(Value chunk, Value chunkStart, Values &dots) {
    Values x = loadGroups(chunk);
    unsigned perByte = layout.getLowGroups();
    Values upper(vectors, zeros(integers)), tested(vectors, zeros(integers));
    for (unsigned group = 0; group != layout.getGroups(); group += perByte)
      for (unsigned v = 0; v != vectors; ++v) {
        Value low =
            loadPlane(chunkStart, layout.getLowByte(), group / perByte, v);
        for (unsigned i = 0; i != perByte; ++i) {
          Value right = x[group + i];
          if (sumsHighBitsApart())
            tested[v] = products.multiplyAdd(
                b, tested[v], testBit(chunkStart, group + i, v), right);
          if (i == 1 && keepsUpperHalves())
            upper[v] = products.multiplyAddUnsigned(
                b, upper[v], arith::AndIOp::create(b, low, splat(bytes, -16)),
                right);
          else
            dots[v] = products.multiplyAdd(
                b, dots[v], unpack(chunkStart, low, group + i, i, v), right);
        }
      }
    Value four = splat(integers, 4);
    for (unsigned v = 0; v != vectors; ++v) {
      if (keepsUpperHalves())
        dots[v] = arith::AddIOp::create(
            b, dots[v], arith::ShRSIOp::create(b, upper[v], four));
      if (sumsHighBitsApart())
        dots[v] = arith::SubIOp::create(
            b, dots[v], arith::ShLIOp::create(b, tested[v], four));
    }
  }

  /// Vector `v` of the `number`-th 64 bytes of a plane.
  Value loadPlane(Value chunkStart, unsigned plane, unsigned number,
                  unsigned v) {
    return load(chunkStart,
                plane + number * QuantPanel::kGroupBytes + v * lanes * 4,
                bytes);
  }

  Value loadHigh(Value chunkStart, unsigned group, unsigned v) {
    return loadPlane(chunkStart, layout.getHighByte(),
                     group / layout.getHighGroups(), v);
  }

  /// 0 or -1 by the high bit of a group.
  Value testBit(Value chunkStart, unsigned group, unsigned v) {
    Value bit = splat(bytes, int8_t(1u << group % layout.getHighGroups()));
    Value masked =
        arith::AndIOp::create(b, loadHigh(chunkStart, group, v), bit);
    Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                                        zeros(bytes));
    return arith::ExtSIOp::create(b, bytes, isSet);
  }

  /// The codes of one group as bytes.
  Value unpack(Value chunkStart, Value low, unsigned group, unsigned part,
               unsigned v) {
    Value codes = low;
    if (layout.lowBits == 4)
      codes = part == 0
                  ? arith::AndIOp::create(b, low, splat(bytes, 15)).getResult()
                  : arith::ShRUIOp::create(b, low, splat(bytes, 4));
    if (layout.highBits && !sumsHighBitsApart()) {
      Value high = loadHigh(chunkStart, group, v);
      // From where they are to bit 4.
      int from = group % layout.getHighGroups() * layout.highBits;
      if (from < 4)
        high = arith::ShLIOp::create(b, high, splat(bytes, 4 - from));
      if (from > 4)
        high = arith::ShRUIOp::create(b, high, splat(bytes, from - 4));
      int64_t mask = ((1 << layout.highBits) - 1) << 4;
      high = arith::AndIOp::create(b, high, splat(bytes, mask));
      codes = arith::OrIOp::create(b, codes, high);
    }
    if (!layout.format.values.empty())
      codes = products.lookUp(b, layout.format.values, codes);
    if (isSigned() && products.wantsUnsigned())
      codes = arith::XOrIOp::create(b, codes, splat(bytes, -128));
    return codes;
  }

  /// Each group of x in all lanes of a vector.
  Values loadGroups(Value chunk) {
    unsigned width = std::min(kLoadBytes, layout.chunkSize);
    int64_t count = width / QuantPanel::kGroup;
    Value start = arith::MulIOp::create(b, chunk, b.index(layout.chunkSize));
    Values groups;
    for (unsigned offset = 0; offset < layout.chunkSize; offset += width) {
      Value loaded = vector::LoadOp::create(
          b, VectorType::get({(int64_t)width}, b.getI8Type()), x,
          ValueRange{block, b.plus(start, offset)});
      loaded = vector::BitCastOp::create(
          b, VectorType::get({count}, b.getI32Type()), loaded);
      for (int64_t i = 0; i != count; ++i) {
        SmallVector<int64_t> everywhere(lanes, i);
        Value group = vector::ShuffleOp::create(b, loaded, loaded, everywhere);
        groups.push_back(vector::BitCastOp::create(b, bytes, group));
      }
    }
    return groups;
  }

  /// Whole panels at once; of the last one only the rows there are.
  void store(ValueRange sums) {
    Value first = arith::MulIOp::create(b, panel, b.index(kRows));
    Value left =
        arith::SubIOp::create(b, memref::DimOp::create(b, out, 0), first);
    Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, left,
                                          b.index(kRows));
    auto choice = scf::IfOp::create(b, isWhole, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    for (unsigned v = 0; v != vectors; ++v)
      vector::StoreOp::create(b, sums[v], out,
                              ValueRange{b.plus(first, v * lanes)});
    b.setInsertionPointToStart(choice.elseBlock());
    for (unsigned v = 0; v != vectors; ++v)
      vector::StoreOp::create(b, sums[v], edge, ValueRange{b.index(v * lanes)});
    b.loop(left, 1, [&](Value row) {
      Value sum = memref::LoadOp::create(b, edge, ValueRange{row});
      memref::StoreOp::create(b, sum, out,
                              ValueRange{arith::AddIOp::create(b, first, row)});
    });
  }

  LoopBuilder b;
  const QuantPanel &layout;
  const ByteProducts &products;
  int64_t lanes, vectors;
  VectorType floats, integers, bytes;
  Value w, x, scales, chunkSums, scaledSums, out, panel, block, edge;
};

} // namespace

void aikernel::emitBlockGemv(func::FuncOp function, const QuantPanel &layout,
                             const ByteProducts &products) {
  BlockGemv(function, layout, products).emit();
}
