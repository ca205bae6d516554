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
//   for each block                             (one of each stream at a time)
//     for each chunk: 32-bit sums of products, times sub-scales
//     sums += scales of the rows * scale of x * those
//
// x is a vector, or a row of a matrix in panels whose rows may be few.
//
// Codes are stored without sign; what was added to them is taken off by the
// start of the 32-bit sums, - offset * (sum of x), which costs nothing.
//
//===----------------------------------------------------------------------===//

#include "BlockCode.h"
#include "BlockKernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// The most of x that one load takes.
constexpr unsigned kLoadBytes = 16;

class BlockGemv : BlockCode {
public:
  using BlockCode::BlockCode;
  BlockGemv(const BlockCode &code, const RowOfPanel &row, Value edge)
      : BlockCode(code), edge(edge), row(row) {
    assert(cast<MemRefType>(edge.getType()).getNumElements() >= kRows);
  }

  void emitFunction() {
    edge = memref::AllocaOp::create(
        b, MemRefType::get({(int64_t)kRows}, b.getF32Type()));
    emit();
    func::ReturnOp::create(b);
  }

  void emit() {
    Values sums(vectors, zeros(floats));
    Value blocks = memref::DimOp::create(b, w, 1);
    unsigned streams = hasOneChunk() ? products.getWeightStreams().count : 1;
    Value length = arith::DivUIOp::create(b, blocks, b.index(streams));
    auto addOneOfEach = [&](Value first, ValueRange carried) {
      Values next(carried);
      for (unsigned stream = 0; stream != streams; ++stream)
        next = addBlock(b.plus(first, b.times(length, stream)), next);
      return next;
    };
    sums = b.loop(b.index(0), length, 1, sums, addOneOfEach);
    auto addOne = [&](Value one, ValueRange carried) {
      return addBlock(one, carried);
    };
    if (streams > 1)
      sums = b.loop(b.times(length, streams), blocks, 1, sums, addOne);
    store(sums);
  }

private:
  /// Blocks of several chunks are so long that streams of them take turns
  /// instead of coming together.
  bool hasOneChunk() const { return layout.chunks == 1; }

  Values addBlock(Value newBlock, ValueRange carried) {
    block = newBlock;
    bool hasMinimums = layout.format.subMinimums.has_value();
    Values inner;
    zeroFactors.clear();
    for (unsigned v = 0; wZeros && v != vectors; ++v)
      zeroFactors.push_back(arith::SubIOp::create(
          b, splat(integers, -startOffset()), loadZeros(v)));
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
    Value scale = broadcast(floats, loadOfX(scales));
    Value weight;
    if (scaledSums)
      weight = broadcast(floats, loadOfX(scaledSums));
    Values sums;
    for (unsigned v = 0; v != vectors; ++v) {
      Value d = arith::MulFOp::create(b, loadScales(v), scale);
      Value sum = multiplyAdd(
          carried[v], hasOrigin() ? fromOrigin(inner[v]) : toFloats(inner[v]),
          d);
      if (layout.format.minimumByte) {
        Value minimum = loadMinimums(v);
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
    WeightStreams streams = products.getWeightStreams();
    if (hasOneChunk())
      prefetchAhead(chunk, streams.bytesAhead, streams.locality);
    else
      prefetchAhead(chunk, products.getBytesAhead());
    Value chunkStart = startOfChunk(chunk);
    Value sumOfX = loadOfX(xSums, chunk);
    bool isScaled = layout.format.subScales.has_value();
    Values dots(vectors);
    Value start = startOfSums(sumOfX);
    for (unsigned v = 0; v != vectors; ++v) {
      if (wZeros)
        start = arith::MulIOp::create(b, broadcast(integers, sumOfX),
                                      zeroFactors[v]);
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

  /// Do sums that do not begin with zeros begin with kOrigin, too?
  bool hasOrigin() const { return mayHaveOrigin() && startOffset() != 0; }

  Value startOfSums(Value sumOfX) {
    int64_t offset = startOffset();
    if (offset == 0)
      return zeros(integers);
    Value factor = arith::ConstantIntOp::create(b, -offset, 32);
    Value start = arith::MulIOp::create(b, sumOfX, factor);
    if (hasOrigin())
      start = arith::AddIOp::create(
          b, start, arith::ConstantIntOp::create(b, bitsOfOrigin(), 32));
    return broadcast(integers, start);
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
    ByteSums sums = sumsOf(vectors, /*isQuads=*/false, [&] { return dots; });
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
            sums.add(v,
                     asLeftSide(unpack(chunkStart, low, group + i, v,
                                       !sumsHighBitsApart())),
                     right);
        }
      }
    dots = sums.finish();
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

  /// 0 or -1 by the high bit of a group.
  Value testBit(Value chunkStart, unsigned group, unsigned v) {
    Value bit = splat(bytes, int8_t(1u << group % layout.getHighGroups()));
    Value masked =
        arith::AndIOp::create(b, loadHigh(chunkStart, group, v), bit);
    Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                                        zeros(bytes));
    return arith::ExtSIOp::create(b, bytes, isSet);
  }

  //===--------------------------------------------------------------------===//
  // The row of x
  //===--------------------------------------------------------------------===//

  /// The first of what panels have for each block, of which there are so many.
  Values placeInPanel(int64_t ofBlock) {
    Value count = b.index(row->blocksOfPart);
    return {arith::DivUIOp::create(b, block, count), b.index(0),
            b.times(arith::RemUIOp::create(b, block, count), ofBlock)};
  }

  /// A number of the block, or of one of its chunks.
  Value loadOfX(Value numbers, Value chunk = {}) {
    Values at;
    if (row) {
      at = placeInPanel(chunk ? layout.chunks : 1);
      if (chunk)
        at.back() = b.plus(at.back(), chunk);
      at.push_back(b.times(row->row, products.getLanesOfRow()));
    } else {
      at = {block};
      if (chunk)
        at.push_back(chunk);
    }
    return b.load(numbers, at);
  }

  /// Each group of x in all lanes of a vector.
  Values loadGroups(Value chunk) {
    return row ? loadGroupsOfPanel(chunk) : loadGroupsOfVector(chunk);
  }

  Values loadGroupsOfPanel(Value chunk) {
    Values at = placeInPanel(layout.format.blockSize / row->depth);
    // Whole steps, or a part of one.
    Value first = b.times(chunk, layout.chunkSize), depth = b.index(row->depth);
    at.back() = b.plus(at.back(), arith::DivUIOp::create(b, first, depth));
    Value ofRow = b.plus(b.times(row->row, depth),
                         arith::RemUIOp::create(b, first, depth));
    auto group = VectorType::get({QuantPanel::kGroup}, b.getI8Type());
    Values groups;
    for (int64_t i = 0; i != layout.chunkSize; i += QuantPanel::kGroup)
      groups.push_back(
          inAllLanes(vector::LoadOp::create(
                         b, group, x,
                         ValueRange{at[0], at[1], b.plus(at[2], i / row->depth),
                                    b.plus(ofRow, i % row->depth)}),
                     0));
    return groups;
  }

  Values loadGroupsOfVector(Value chunk) {
    unsigned width = std::min(kLoadBytes, layout.chunkSize);
    Value start = b.times(chunk, layout.chunkSize);
    Values groups;
    for (unsigned offset = 0; offset < layout.chunkSize; offset += width) {
      Value loaded = vector::LoadOp::create(
          b, VectorType::get({(int64_t)width}, b.getI8Type()), x,
          ValueRange{block, b.plus(start, offset)});
      for (unsigned i = 0; i != width / QuantPanel::kGroup; ++i)
        groups.push_back(inAllLanes(loaded, i));
    }
    return groups;
  }

  /// One group of those that were loaded.
  Value inAllLanes(Value loaded, int64_t group) {
    int64_t count =
        cast<VectorType>(loaded.getType()).getDimSize(0) / QuantPanel::kGroup;
    Value words = vector::BitCastOp::create(
        b, VectorType::get({count}, b.getI32Type()), loaded);
    SmallVector<int64_t> everywhere(lanes, group);
    return vector::BitCastOp::create(
        b, bytes, vector::ShuffleOp::create(b, words, words, everywhere));
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  Values placeInResult(Value column) {
    return row ? Values{row->row, column} : Values{column};
  }

  /// Whole panels at once; of the last one only the rows there are.
  void store(ValueRange sums) {
    Value first = arith::MulIOp::create(b, panel, b.index(kRows));
    Value left = b.minus(memref::DimOp::create(b, out, row ? 1 : 0), first);
    Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, left,
                                          b.index(kRows));
    auto choice = scf::IfOp::create(b, isWhole, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    for (unsigned v = 0; v != vectors; ++v)
      b.store(sums[v], out, placeInResult(b.plus(first, v * lanes)));
    b.setInsertionPointToStart(choice.elseBlock());
    for (unsigned v = 0; v != vectors; ++v)
      vector::StoreOp::create(b, sums[v], edge, ValueRange{b.index(v * lanes)});
    b.loop(left, 1, [&](Value column) {
      b.store(b.load(edge, column), out, placeInResult(b.plus(first, column)));
    });
  }

  Value edge;
  std::optional<RowOfPanel> row;
  Values zeroFactors; // what rows with zero points multiply sums of x with
};

} // namespace

void aikernel::emitBlockGemv(func::FuncOp function, const QuantPanel &layout,
                             const ByteProducts &products) {
  BlockGemv(function, layout, products).emitFunction();
}

void aikernel::emitGemvOfRow(const BlockCode &code, const RowOfPanel &row,
                             Value edge) {
  BlockGemv(code, row, edge).emit();
}
