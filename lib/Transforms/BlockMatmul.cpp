//===- BlockMatmul.cpp - Code of one panel of a product of many rows ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an empty function, the layout of a format and a register tile. Out: its
// body.
//
//   for each part of the sum
//     unpack the panel's blocks: bytes in the order in which the tile reads
//     them, scales as floats                      (stays in L1)
//     for each panel of x, and each group of columns of the panel of w
//       for each block
//         for each chunk: 32-bit sums of products, times sub-scales
//         sums += scales of the columns * scales of the rows of x * those
//       add the tile to the result
//
// A vector of sums has one row of x and a column per lane, or with instructions
// that multiply two rows with two columns all four of their sums.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/BlockCode.h"
#include "AIKernel/Transforms/BlockKernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Elements of each row of w that are unpacked at once: with a panel of x they
/// take less than half of L1.
constexpr int64_t kPartElements = 1024;
constexpr int64_t kMostRows = 8;

class BlockMatmul : BlockCode {
public:
  BlockMatmul(func::FuncOp function, const QuantPanel &layout,
              const ByteProducts &products, const BlockTile &tile)
      : BlockCode(function, layout, products), tile(tile),
        isQuads(products.hasQuads()),
        rowParts(isQuads ? tile.rows / 2 : tile.rows),
        columnParts(isQuads ? 2 : 1),
        blocksOfPart(tile.elements / layout.format.blockSize) {}

  void emit() {
    allocate();
    Value blocks = memref::DimOp::create(b, w, 1);
    b.loop(memref::DimOp::create(b, x, 0), 1, [&](Value newPart) {
      part = newPart;
      firstBlock = b.times(part, blocksOfPart);
      Value count =
          b.smaller(b.index(blocksOfPart), b.minus(blocks, firstBlock));
      b.loop(count, 1, [&](Value at) { unpackBlock(at); });
      b.loop(memref::DimOp::create(b, x, 1), 1, [&](Value newRows) {
        rowPanel = newRows;
        if (isQuads)
          b.loop(count, 1, [&](Value at) { spreadScales(at); });
        b.loop(b.index(vectors), 1, [&](Value newGroup) {
          group = newGroup;
          Values start(rowParts * columnParts, zeros(floats));
          store(b.loop(b.index(0), count, 1, start,
                       [&](Value at, ValueRange carried) {
                         return addBlock(at, carried);
                       }));
        });
      });
    });
    func::ReturnOp::create(b);
  }

private:
  //===--------------------------------------------------------------------===//
  // Scratch memory
  //===--------------------------------------------------------------------===//

  Value allocate(int64_t count, Type element) {
    return memref::AllocaOp::create(b, MemRefType::get({count}, element),
                                    b.getI64IntegerAttr(64));
  }

  void allocate() {
    const QuantFormat &format = layout.format;
    int64_t perBlock = blocksOfPart * columnNumbers();
    codes = allocate(kRows * tile.elements, b.getI8Type());
    columnScales = allocate(perBlock, b.getF32Type());
    if (format.minimumByte)
      minimums = allocate(perBlock, b.getF32Type());
    if (wZeros)
      zeroFactors = allocate(perBlock, b.getI32Type());
    if (format.subScales)
      subScales = allocate(perBlock * layout.chunks, b.getI32Type());
    if (format.subMinimums)
      subMinimums = allocate(perBlock * layout.chunks, b.getI32Type());
    if (isQuads)
      rowScales = allocate(blocksOfPart * rowParts * lanes, b.getF32Type());
    edge = allocate(tile.rows * lanes, b.getF32Type());
  }

  /// A number of each column, in as many lanes as sums are multiplied with it:
  /// for all groups of columns.
  int64_t columnNumbers() const { return vectors * columnParts * lanes; }

  void storeColumns(Value scratch, Value number, unsigned v, Value values) {
    Value at =
        b.plus(b.times(number, columnNumbers()), v * columnParts * lanes);
    for (int64_t i = 0; i != columnParts; ++i) {
      Value lanesOf = values;
      if (isQuads)
        lanesOf = vector::ShuffleOp::create(
            b, values, values,
            ArrayRef<int64_t>{2 * i, 2 * i + 1, 2 * i, 2 * i + 1});
      vector::StoreOp::create(b, lanesOf, scratch,
                              ValueRange{b.plus(at, i * lanes)});
    }
  }

  Value loadColumns(Value scratch, Value number, int64_t columnPart) {
    Value at = b.plus(b.times(number, columnNumbers()),
                      b.times(group, columnParts * lanes));
    auto type = VectorType::get(
        {lanes}, cast<MemRefType>(scratch.getType()).getElementType());
    return vector::LoadOp::create(b, type, scratch,
                                  ValueRange{b.plus(at, columnPart * lanes)});
  }

  /// Where the bytes of a step are: of one group of columns and block, all
  /// steps follow each other.
  Value codeAt(Value ofGroup, Value at, Value chunk, int64_t step) {
    Value element = b.plus(b.times(b.plus(b.times(ofGroup, blocksOfPart), at),
                                   layout.format.blockSize),
                           b.times(chunk, layout.chunkSize));
    return b.plus(b.times(element, lanes), step * columnParts * lanes * 4);
  }

  //===--------------------------------------------------------------------===//
  // Unpacking
  //===--------------------------------------------------------------------===//

  void unpackBlock(Value at) {
    block = b.plus(firstBlock, at);
    for (unsigned v = 0; v != vectors; ++v) {
      storeColumns(columnScales, at, v, loadScales(v));
      if (minimums)
        storeColumns(minimums, at, v, loadMinimums(v));
      if (zeroFactors)
        storeColumns(
            zeroFactors, at, v,
            arith::SubIOp::create(b, splat(integers, -bias()), loadZeros(v)));
    }
    b.loop(b.index(layout.chunks), 1,
           [&](Value chunk) { unpackChunk(at, chunk); });
  }

  void unpackChunk(Value at, Value chunk) {
    Value start = startOfChunk(chunk);
    Value number = b.plus(b.times(at, layout.chunks), chunk);
    for (unsigned v = 0; v != vectors; ++v) {
      if (subScales)
        storeColumns(subScales, number, v,
                     loadSmall(start, layout.getSubScaleByte(), v));
      if (subMinimums)
        storeColumns(subMinimums, number, v,
                     loadSmall(start, layout.getSubMinimumByte(), v));
      unpackCodes(start, at, chunk, v);
    }
  }

  /// Four rows of w and four elements of each come as one vector; a step of
  /// quads takes eight of two.
  void unpackCodes(Value start, Value at, Value chunk, unsigned v) {
    Values unpacked;
    Value low;
    for (unsigned i = 0; i != layout.getGroups(); ++i) {
      unsigned perByte = layout.getLowGroups();
      if (i % perByte == 0)
        low = loadPlane(start, layout.getLowByte(), i / perByte, v);
      unpacked.push_back(
          asSigned(unpack(start, low, i, v, /*withHighBits=*/true)));
    }
    Value to = codeAt(b.index(v), at, chunk, 0);
    auto words = VectorType::get({lanes}, b.getI32Type());
    for (unsigned i = 0; isQuads && i != unpacked.size(); i += 2) {
      Value even = vector::BitCastOp::create(b, words, unpacked[i]);
      Value odd = vector::BitCastOp::create(b, words, unpacked[i + 1]);
      unpacked[i] = vector::BitCastOp::create(
          b, bytes,
          vector::ShuffleOp::create(b, even, odd,
                                    ArrayRef<int64_t>{0, 4, 1, 5}));
      unpacked[i + 1] = vector::BitCastOp::create(
          b, bytes,
          vector::ShuffleOp::create(b, even, odd,
                                    ArrayRef<int64_t>{2, 6, 3, 7}));
    }
    for (auto [i, value] : llvm::enumerate(unpacked))
      vector::StoreOp::create(b, value, codes,
                              ValueRange{b.plus(to, i * lanes * 4)});
  }

  bool isBiased() const { return !isQuads && products.wantsUnsigned(); }
  /// How much larger the bytes that are multiplied are than the codes.
  int64_t bias() const { return isBiased() ? 128 : 0; }

  Value asSigned(Value unpacked) {
    if (layout.offset)
      unpacked =
          arith::SubIOp::create(b, unpacked, splat(bytes, layout.offset));
    if (isBiased())
      unpacked = arith::XOrIOp::create(b, unpacked, splat(bytes, -128));
    return unpacked;
  }

  //===--------------------------------------------------------------------===//
  // Products
  //===--------------------------------------------------------------------===//

  /// A number of each row of x in the lanes of that row.
  Value loadRows(Value panels, Value number, int64_t rowPart) {
    Type element = cast<MemRefType>(panels.getType()).getElementType();
    if (!isQuads)
      return broadcast(
          VectorType::get({lanes}, element),
          memref::LoadOp::create(
              b, panels,
              ValueRange{b.index(0), rowPanel, number, b.index(rowPart)}));
    Value two = vector::LoadOp::create(
        b, VectorType::get({2}, element), panels,
        ValueRange{b.index(0), rowPanel, number, b.index(2 * rowPart)});
    return vector::ShuffleOp::create(b, two, two,
                                     ArrayRef<int64_t>{0, 0, 1, 1});
  }

  /// Scales of rows of x in lanes, once for all groups of columns.
  void spreadScales(Value at) {
    Value number = b.plus(firstBlock, at);
    for (int64_t r = 0; r != rowParts; ++r)
      vector::StoreOp::create(b, loadRows(scales, number, r), rowScales,
                              rowScaleAt(at, r));
  }

  Value rowScaleAt(Value at, int64_t rowPart) {
    return b.plus(b.times(at, rowParts * lanes), rowPart * lanes);
  }

  Value loadRowScale(Value at, int64_t rowPart) {
    if (!isQuads)
      return loadRows(scales, b.plus(firstBlock, at), rowPart);
    return vector::LoadOp::create(b, floats, rowScales,
                                  rowScaleAt(at, rowPart));
  }

  /// What all rows of x have at a step, one vector per part.
  Values loadStep(Value step) {
    auto load = [&](int64_t offset, int64_t size) -> Value {
      return vector::LoadOp::create(
          b, VectorType::get({size}, b.getI8Type()), x,
          ValueRange{part, rowPanel, step, b.index(offset)});
    };
    Values parts;
    if (isQuads) {
      for (int64_t i = 0; i != rowParts; ++i)
        parts.push_back(load(i * 16, 16));
      return parts;
    }
    // Narrow vectors hold four rows, of which instructions pick one.
    int64_t together = lanes == 4 && tile.rows % 4 == 0 ? 4 : 1;
    for (int64_t i = 0; i != rowParts; i += together) {
      Value words = vector::BitCastOp::create(
          b, VectorType::get({together}, b.getI32Type()),
          load(i * tile.depth, together * tile.depth));
      for (int64_t row = 0; row != together; ++row) {
        Value everywhere = vector::ShuffleOp::create(
            b, words, words, SmallVector<int64_t>(lanes, row));
        parts.push_back(vector::BitCastOp::create(b, bytes, everywhere));
      }
    }
    return parts;
  }

  /// 32-bit sums of one chunk.
  Values multiplyChunk(Value at, Value chunk) {
    Values sums = startOfSums(at, chunk);
    Value xStep = b.plus(b.times(at, layout.format.blockSize / tile.depth),
                         b.times(chunk, layout.chunkSize / tile.depth));
    Value from = codeAt(group, at, chunk, 0);
    for (unsigned step = 0; step != layout.chunkSize / tile.depth; ++step) {
      Values rows = loadStep(b.plus(xStep, step));
      for (int64_t c = 0; c != columnParts; ++c) {
        Value columns = vector::LoadOp::create(
            b, bytes, codes,
            ValueRange{b.plus(from, (step * columnParts + c) * lanes * 4)});
        for (int64_t r = 0; r != rowParts; ++r) {
          Value &sum = sums[r * columnParts + c];
          sum = isQuads ? products.multiplyAddQuads(b, sum, rows[r], columns)
                        : products.multiplyAdd(b, sum, columns, rows[r]);
        }
      }
    }
    return sums;
  }

  Value chunkOfPart(Value at, Value chunk) {
    return b.plus(b.times(b.plus(firstBlock, at), layout.chunks), chunk);
  }

  Values startOfSums(Value at, Value chunk) {
    Values sums(rowParts * columnParts, zeros(integers));
    if (!isBiased() && !zeroFactors)
      return sums;
    for (int64_t r = 0; r != rowParts; ++r) {
      Value sumOfX = loadRows(xSums, chunkOfPart(at, chunk), r);
      for (int64_t c = 0; c != columnParts; ++c) {
        Value factor = zeroFactors ? loadColumns(zeroFactors, at, c)
                                   : splat(integers, -bias());
        sums[r * columnParts + c] = arith::MulIOp::create(b, sumOfX, factor);
      }
    }
    return sums;
  }

  Values addScaled(ValueRange totals, const Values &sums, Value scratch,
                   Value number) {
    Values result;
    for (int64_t i = 0; i != rowParts * columnParts; ++i) {
      Value scaled = sums[i];
      if (scratch)
        scaled = arith::MulIOp::create(
            b, scaled, loadColumns(scratch, number, i % columnParts));
      result.push_back(arith::AddIOp::create(b, totals[i], scaled));
    }
    return result;
  }

  /// Over the chunks of a block.
  Values sumChunks(function_ref<Values(Value, ValueRange)> body) {
    Values start(rowParts * columnParts, zeros(integers));
    return b.loop(b.index(0), b.index(layout.chunks), 1, start, body);
  }

  Values multiplyBlock(Value at) {
    if (layout.chunks == 1 && !subScales)
      return multiplyChunk(at, b.index(0));
    return sumChunks([&](Value chunk, ValueRange totals) {
      Value number = b.plus(b.times(at, layout.chunks), chunk);
      return addScaled(totals, multiplyChunk(at, chunk), subScales, number);
    });
  }

  Values multiplyMinimums(Value at) {
    return sumChunks([&](Value chunk, ValueRange totals) {
      Value number = b.plus(b.times(at, layout.chunks), chunk);
      Values sums;
      for (int64_t i = 0; i != rowParts * columnParts; ++i)
        sums.push_back(
            loadRows(xSums, chunkOfPart(at, chunk), i / columnParts));
      return addScaled(totals, sums, subMinimums, number);
    });
  }

  Values addBlock(Value at, ValueRange carried) {
    Value number = b.plus(firstBlock, at);
    Values sums = multiplyBlock(at), result;
    Values smallest = subMinimums ? multiplyMinimums(at) : Values();
    for (int64_t r = 0; r != rowParts; ++r) {
      Value scale = loadRowScale(at, r);
      Value weight = scaledSums ? loadRows(scaledSums, number, r) : Value();
      for (int64_t c = 0; c != columnParts; ++c) {
        int64_t i = r * columnParts + c;
        Value d =
            arith::MulFOp::create(b, loadColumns(columnScales, at, c), scale);
        Value sum = multiplyAdd(carried[i], toFloats(sums[i]), d);
        if (minimums) {
          Value minimum = loadColumns(minimums, at, c);
          sum = subMinimums
                    ? multiplyAdd(sum, arith::MulFOp::create(b, minimum, scale),
                                  toFloats(smallest[i]))
                    : multiplyAdd(sum, minimum, weight);
        }
        result.push_back(sum);
      }
    }
    return result;
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// One vector per row of x, with a column per lane.
  Values asRows(const Values &sums) {
    if (!isQuads)
      return sums;
    Values rows;
    for (int64_t r = 0; r != rowParts; ++r)
      for (int64_t half : {0, 2})
        rows.push_back(vector::ShuffleOp::create(
            b, sums[2 * r], sums[2 * r + 1],
            ArrayRef<int64_t>{half, half + 1, half + 4, half + 5}));
    return rows;
  }

  void store(const Values &sums) {
    Values rows = asRows(sums);
    Value row = b.times(rowPanel, tile.rows);
    Value column = b.plus(b.times(panel, kRows), b.times(group, lanes));
    Value rowsLeft = b.minus(memref::DimOp::create(b, out, 0), row);
    Value columnsLeft = b.minus(memref::DimOp::create(b, out, 1), column);
    Value isWhole = arith::AndIOp::create(
        b, b.compare(arith::CmpIPredicate::sge, rowsLeft, tile.rows),
        b.compare(arith::CmpIPredicate::sge, columnsLeft, lanes));
    Value isFirst = b.equals(part, 0);
    b.choose(
        isWhole,
        [&] {
          b.choose(
              isFirst, [&] { storeWhole(rows, row, column, false); },
              [&] { storeWhole(rows, row, column, true); });
        },
        [&] {
          for (auto [i, sum] : llvm::enumerate(rows))
            vector::StoreOp::create(b, sum, edge,
                                    ValueRange{b.index(i * lanes)});
          storeEdge(row, column, b.smaller(rowsLeft, b.index(tile.rows)),
                    b.smaller(columnsLeft, b.index(lanes)), isFirst);
        });
  }

  void storeWhole(const Values &rows, Value row, Value column, bool adds) {
    for (auto [i, sum] : llvm::enumerate(rows)) {
      Values at = {b.plus(row, i), column};
      Value total = sum;
      if (adds)
        total = arith::AddFOp::create(
            b, vector::LoadOp::create(b, floats, out, at), sum);
      vector::StoreOp::create(b, total, out, at);
    }
  }

  void storeEdge(Value row, Value column, Value rows, Value columns,
                 Value isFirst) {
    b.loop(rows, 1, [&](Value i) {
      b.loop(columns, 1, [&](Value j) {
        Values at = {b.plus(row, i), b.plus(column, j)};
        Value sum = memref::LoadOp::create(
            b, edge, ValueRange{b.plus(b.times(i, lanes), j)});
        Value total =
            arith::AddFOp::create(b, memref::LoadOp::create(b, out, at), sum);
        memref::StoreOp::create(
            b, arith::SelectOp::create(b, isFirst, sum, total), out, at);
      });
    });
  }

  const BlockTile tile;
  const bool isQuads;
  const int64_t rowParts, columnParts, blocksOfPart;
  Value codes, columnScales, minimums, zeroFactors, subScales, subMinimums,
      rowScales, edge;
  Value part, firstBlock, rowPanel, group;
};

} // namespace

BlockTile aikernel::chooseBlockTile(const ByteProducts &products,
                                    const QuantPanel &layout, int64_t rows,
                                    int64_t elements) {
  int64_t fewest = products.hasQuads() ? 2 : 1;
  // Sums of integers and of floats are in registers, with what they are of.
  int64_t most = products.getRegisters() >= 32 ? kMostRows : kMostRows / 2;
  if (!ShapedType::isDynamic(rows))
    most =
        std::min<int64_t>(most, llvm::PowerOf2Ceil(std::max<int64_t>(1, rows)));
  int64_t block = layout.format.blockSize;
  int64_t part = std::max(block, kPartElements / block * block);
  return {std::max(fewest, most), products.hasQuads() ? 8 : 4,
          std::min(part, elements)};
}

void aikernel::emitBlockMatmul(func::FuncOp function, const QuantPanel &layout,
                               const ByteProducts &products,
                               const BlockTile &tile) {
  BlockMatmul(function, layout, products, tile).emit();
}
