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
// Few rows of x are multiplied with codes as they are unpacked, block by block;
// where nobody knows whether there are few, that is decided when it runs.
//
// A vector of sums has one row of x and a column per lane, or with instructions
// that multiply two rows with two columns all four of their sums.
//
// Tile registers take a chunk of sixteen rows and columns at once, or if codes
// are multiplied with sub-scales ahead (FoldedTiles.h) a block; their sums go
// through memory to the vectors that scale them.
//
// With sdot alone an integer costs as much to convert as two products. There
// sums begin with the bits of a float of which each unit is one of the integer,
// and are that much too large as floats; what is too much is taken away by the
// multiply-add that scales them.
//
//===----------------------------------------------------------------------===//

#include "BlockCode.h"
#include "BlockKernels.h"
#include "BlockResults.h"
#include "FoldedTiles.h"
#include "Tiles/NeonAssembly.h"
#include "Tiles/TileInstructions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Tile registers whose sums are in memory.
constexpr int64_t kTilesInMemory = 4;
/// Up to so many rows, one after the other is faster than a panel of them,
/// which has that many at least; for tile registers it has sixteen.
constexpr int64_t kMostSingleRows = kMostDirectRows;
constexpr int64_t kMostSingleRowsOfTiles = 6;

class BlockMatmul : BlockCode {
public:
  BlockMatmul(func::FuncOp function, const QuantPanel &layout,
              const ByteProducts &products, const BlockTile &tile)
      : BlockCode(function, layout, products), tile(tile),
        isQuads(products.hasQuads()), isInTiles(tile.isInTiles()),
        rowParts(isQuads ? tile.rows / 2 : tile.rows),
        columnParts(isQuads ? 2 : 1),
        blocksOfPart(tile.elements / layout.format.blockSize),
        hasOrigin(mayHaveOrigin() && (!tile.isDirect || bias() != 0)),
        scalesFromOrigin(hasOrigin && !tile.isDirect &&
                         layout.format.scale == ScaleKind::Half) {}

  void emit() {
    allocate();
    if (tile.isDirect)
      emitDirect();
    else if (!tile.mayBeFew)
      emitUnpacked();
    else
      b.choose(
          b.compare(arith::CmpIPredicate::sle, countRows(),
                    isInTiles ? kMostSingleRowsOfTiles : kMostSingleRows),
          [&] { emitRowByRow(); }, [&] { emitUnpacked(); });
    func::ReturnOp::create(b);
  }

private:
  Value countRows() { return memref::DimOp::create(b, out, 0); }

  void emitUnpacked() {
    Value blocks = memref::DimOp::create(b, w, 1);
    b.loop(memref::DimOp::create(b, x, 0), 1, [&](Value newPart) {
      part = newPart;
      firstBlock = b.times(part, blocksOfPart);
      Value count =
          b.smaller(b.index(blocksOfPart), b.minus(blocks, firstBlock));
      b.loop(count, 1, [&](Value at) { unpackBlock(at); });
      b.loop(memref::DimOp::create(b, x, 1), 1, [&](Value newRows) {
        rowPanel = newRows;
        if (folded && has(SubMinimum))
          folded->storeSumsOfRows(
              b.times(count, layout.chunks), [&](Value chunk) -> Value {
                Values at = {part, rowPanel, chunk, b.index(0)};
                return vector::LoadOp::create(b, integers, xSums, at);
              });
        b.loop(b.index(vectors), 1, [&](Value newGroup) {
          group = newGroup;
          Values start(sumsOfGroup(), zeros(floats));
          store(b.loop(b.index(0), count, 1, start,
                       [&](Value at, ValueRange carried) {
                         return addBlock(at, carried);
                       }));
        });
      });
    });
  }

  /// The sums of all groups stay in registers.
  void emitDirect() {
    part = firstBlock = rowPanel = b.index(0);
    Values start(vectors * sumsOfGroup(), zeros(floats));
    Values sums = b.loop(
        part, memref::DimOp::create(b, w, 1), 1, start,
        [&](Value at, ValueRange carried) {
          block = at;
          Values next;
          for (vectorOfGroup = 0; vectorOfGroup != vectors; ++vectorOfGroup)
            llvm::append_range(
                next, addBlock(at, carried.slice(vectorOfGroup * sumsOfGroup(),
                                                 sumsOfGroup())));
          return next;
        });
    for (int64_t v = 0; v != vectors; ++v) {
      group = b.index(v);
      store(Values(
          ArrayRef<Value>(sums).slice(v * sumsOfGroup(), sumsOfGroup())));
    }
  }

  /// The panel of w comes from L1 or L2 for all but the first.
  void emitRowByRow() {
    b.loop(countRows(), 1, [&](Value row) {
      emitGemvOfRow(*this, {row, tile.depth, blocksOfPart}, results->getEdge());
    });
  }

  int64_t sumsOfGroup() const { return rowParts * columnParts; }

  //===--------------------------------------------------------------------===//
  // Numbers of columns, as vectors with one lane per sum
  //===--------------------------------------------------------------------===//

  enum Number {
    Scale,
    ScaledOrigin,
    Minimum,
    ZeroFactor,
    SubScale,
    SubMinimum,
    kNumbers
  };

  static bool isFloat(Number kind) { return kind <= Minimum; }
  static bool isPerChunk(Number kind) { return kind >= SubScale; }

  bool has(Number kind) const {
    switch (kind) {
    case Scale:
      return true;
    case ScaledOrigin:
      return scalesFromOrigin;
    case Minimum:
      return layout.format.minimumByte.has_value();
    case ZeroFactor:
      return wZeros != nullptr;
    case SubScale:
      return layout.format.subScales.has_value();
    case SubMinimum:
      return layout.format.subMinimums.has_value();
    case kNumbers:
      break;
    }
    return false;
  }

  /// Is it put where all rows of x find it?
  bool isUnpacked(Number kind) const {
    return has(kind) && !(folded && isPerChunk(kind));
  }

  /// For the columns of vector `v` of the block, one per lane. With zero points
  /// it is what sums of x are multiplied with.
  Value loadNumber(Number kind, Value chunk, unsigned v) {
    switch (kind) {
    case Scale:
      return loadScales(v);
    case ScaledOrigin:
      return arith::MulFOp::create(b, loadScales(v), splat(-kOrigin));
    case Minimum:
      return loadMinimums(v);
    case ZeroFactor:
      return arith::SubIOp::create(b, splat(integers, -bias()), loadZeros(v));
    case SubScale:
      return loadSmall(startOfChunk(chunk), layout.getSubScaleByte(), v);
    case SubMinimum:
      return loadSmall(startOfChunk(chunk), layout.getSubMinimumByte(), v);
    case kNumbers:
      break;
    }
    llvm_unreachable("no such number");
  }

  /// In quads each column has two lanes.
  Value spread(Value perColumn, int64_t columnPart) {
    if (!isQuads)
      return perColumn;
    int64_t i = 2 * columnPart;
    return vector::ShuffleOp::create(b, perColumn, perColumn,
                                     ArrayRef<int64_t>{i, i + 1, i, i + 1});
  }

  /// Numbers of all columns of a panel.
  int64_t numbersOfPanel() const { return vectors * columnParts * lanes; }

  Value numberAt(Number kind, Value at, Value chunk, Value ofGroup) {
    if (isPerChunk(kind))
      at = b.plus(b.times(at, layout.chunks), chunk);
    return b.plus(b.times(at, numbersOfPanel()),
                  b.times(ofGroup, columnParts * lanes));
  }

  Value getNumber(Number kind, Value at, Value chunk, int64_t columnPart) {
    if (tile.isDirect)
      return spread(loadNumber(kind, chunk, vectorOfGroup), columnPart);
    Value scratch = numbers[kind];
    auto type = VectorType::get(
        {lanes}, cast<MemRefType>(scratch.getType()).getElementType());
    Value place = b.plus(numberAt(kind, at, chunk, group), columnPart * lanes);
    return vector::LoadOp::create(b, type, scratch, place);
  }

  void unpackNumbers(Value at, Value chunk, bool perChunk) {
    for (int kind = 0; kind != kNumbers; ++kind) {
      Number number = Number(kind);
      if (!isUnpacked(number) || isPerChunk(number) != perChunk)
        continue;
      for (unsigned v = 0; v != vectors; ++v) {
        Value place = numberAt(number, at, chunk, b.index(v));
        Value values = loadNumber(number, chunk, v);
        for (int64_t c = 0; c != columnParts; ++c)
          vector::StoreOp::create(b, spread(values, c), numbers[kind],
                                  b.plus(place, c * lanes));
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // Codes
  //===--------------------------------------------------------------------===//

  void allocate() {
    results.emplace(b, out, tile.rows, lanes);
    if (tile.isDirect)
      return;
    if (isInTiles && foldsSubScales(layout))
      folded.emplace(b, layout, products, blocksOfPart);
    else
      codes = b.buffer(b.getI8Type(), kRows * tile.elements);
    for (int kind = 0; kind != kNumbers; ++kind)
      if (Number number = Number(kind); isUnpacked(number))
        numbers[kind] = b.buffer(isFloat(number) ? Type(b.getF32Type())
                                                 : Type(b.getI32Type()),
                                 blocksOfPart * numbersOfPanel() *
                                     (isPerChunk(number) ? layout.chunks : 1));
    if (isInTiles && !folded)
      tileSums = b.buffer(b.getI32Type(), kTilesInMemory * kTileRows * lanes);
  }

  /// Where the bytes of a step are: of one group of columns and block, all
  /// steps follow each other.
  Value codeAt(Value ofGroup, Value at, Value chunk, int64_t step) {
    Value element = b.plus(b.times(b.plus(b.times(ofGroup, blocksOfPart), at),
                                   layout.format.blockSize),
                           b.times(chunk, layout.chunkSize));
    return b.plus(b.times(element, lanes), step * columnParts * lanes * 4);
  }

  void unpackBlock(Value at) {
    block = b.plus(firstBlock, at);
    unpackNumbers(at, Value(), /*perChunk=*/false);
    if (folded)
      return unpackFolded(at);
    b.loop(b.index(layout.chunks), 1, [&](Value chunk) {
      prefetchAhead(chunk, products.getBytesAhead());
      unpackNumbers(at, chunk, /*perChunk=*/true);
      for (unsigned v = 0; v != vectors; ++v) {
        Value to = codeAt(b.index(v), at, chunk, 0);
        for (auto [i, value] : llvm::enumerate(unpackCodes(chunk, v)))
          vector::StoreOp::create(b, value, codes, b.plus(to, i * lanes * 4));
      }
    });
  }

  /// Chunks by twos, as sub-minimums are.
  void unpackFolded(Value at) {
    b.loop(b.index(layout.chunks / 2), 1, [&](Value pair) {
      Values minimums;
      for (int64_t i : {0, 1}) {
        Value chunk = b.plus(b.times(pair, 2), i);
        prefetchAhead(chunk, products.getBytesAhead());
        folded->storeCodes(at, chunk, unpackCodes(chunk, 0),
                           loadNumber(SubScale, chunk, 0));
        if (has(SubMinimum))
          minimums.push_back(loadNumber(SubMinimum, chunk, 0));
      }
      if (has(SubMinimum))
        folded->storeMinimums(at, pair, minimums[0], minimums[1]);
    });
  }

  /// The bytes of a chunk in the order of steps, and of parts of columns within
  /// a step. Four elements of each of four columns come as one vector; a step
  /// of quads takes eight of two.
  Values unpackCodes(Value chunk, unsigned v) {
    Value start = startOfChunk(chunk);
    Values unpacked;
    Value low;
    for (unsigned i = 0; i != layout.getGroups(); ++i) {
      unsigned perByte = layout.getLowGroups();
      if (i % perByte == 0)
        low = loadPlane(start, layout.getLowByte(), i / perByte, v);
      Value codes = unpack(start, low, i, v, /*withHighBits=*/true);
      unpacked.push_back(keepsOffset() ? asLeftSide(codes) : asSigned(codes));
    }
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
    return unpacked;
  }

  bool keepsOffset() const { return tile.isDirect || products.addsPairs(); }
  bool isBiased() const {
    return !isQuads && !isInTiles && products.wantsUnsigned();
  }
  /// How much larger the bytes that are multiplied are than the codes. What is
  /// unpacked for many rows costs less to change than their sums, unless pairs
  /// of products are best without a sign.
  int64_t bias() const {
    if (keepsOffset())
      return startOffset();
    return isBiased() ? 128 : 0;
  }

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

  /// Narrow vectors hold numbers of so many rows, of which instructions pick
  /// one.
  int64_t rowsTogether() const {
    return lanes == 4 && tile.rows % 4 == 0 ? 4 : 1;
  }

  /// A number of each row of x in the lanes of that row.
  Value loadRows(Value panels, Value number, int64_t rowPart) {
    Type element = cast<MemRefType>(panels.getType()).getElementType();
    auto load = [&](int64_t first, int64_t count) -> Value {
      return vector::LoadOp::create(
          b, VectorType::get({count}, element), panels,
          ValueRange{part, rowPanel, number, b.index(first)});
    };
    // In quads each number is there twice.
    if (isQuads)
      return load(lanes * rowPart, lanes);
    int64_t row = rowPart % rowsTogether();
    Value rows = load(rowPart - row, rowsTogether());
    return vector::ShuffleOp::create(b, rows, rows,
                                     SmallVector<int64_t>(lanes, row));
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
    int64_t together = rowsTogether();
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

  /// The next rows of x, which come from L2: each group of columns asks for its
  /// share of a chunk.
  void prefetchRows(Value xStep) {
    if (tile.isDirect || !isQuads)
      return;
    Value next = b.smaller(b.plus(rowPanel, 1),
                           b.minus(memref::DimOp::create(b, x, 1), b.index(1)));
    memref::PrefetchOp::create(
        b, x, ValueRange{part, next, b.plus(xStep, group), b.index(0)},
        /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }

  /// 32-bit sums of the columns of each row of x. Those of tile registers come
  /// by way of memory, and are read where they are needed: there are more of
  /// them than other registers.
  struct Sums {
    Values inRegisters;
    Value place; // in `tileSums`, or those of `folded`
  };

  Value read(const Sums &sums, int64_t i) {
    if (folded)
      return folded->getSums(sums.place, i);
    if (!sums.place)
      return sums.inRegisters[i];
    return vector::LoadOp::create(b, integers, tileSums,
                                  b.plus(sums.place, i * lanes));
  }

  Value asFloats(const Sums &sums, int64_t i) {
    Value sum = read(sums, i);
    return hasOrigin ? fromOrigin(sum) : toFloats(sum);
  }

  /// The address of a step of x.
  Value addressOfStep(Value step) {
    auto strides = memref::ExtractStridedMetadataOp::create(b, x).getStrides();
    Value address = startOf(b, x);
    for (auto [i, index] : llvm::enumerate(Values{part, rowPanel, step}))
      address = b.plus(address, b.times(index, strides[i]));
    return address;
  }

  /// One chunk in tile registers. Others are still read while its sums are
  /// written.
  Sums multiplyInTiles(Value at, Value chunk) {
    Value number = chunkOfPart(at, chunk);
    Value left = addressOfStep(number);
    Value right = b.plus(startOf(b, codes), codeAt(group, at, chunk, 0));
    Value sums = multiplyBytes(
        b, zeroTile(b),
        loadTile(b, left, b.index(tile.depth), TileReuse::Near,
                 {kTileRows, tile.depth}),
        loadTile(b, right, b.index(kTileRowBytes), TileReuse::Near,
                 {tile.depth / 4, kTileRowBytes}),
        tile.depth);
    Value turn = arith::RemUIOp::create(b, number, b.index(kTilesInMemory));
    Value place = b.times(turn, kTileRows * lanes);
    storeTile(b, sums, b.plus(startOf(b, tileSums), b.times(place, 4)),
              b.index(kTileRowBytes));
    if (!wZeros)
      return {{}, place};
    Values total = startOfSums(at, chunk);
    for (auto [i, row] : llvm::enumerate(total))
      row = arith::AddIOp::create(b, row, read({{}, place}, i));
    return {total, {}};
  }

  Sums multiplyChunk(Value at, Value chunk) {
    if (isInTiles)
      return multiplyInTiles(at, chunk);
    ByteSums sums =
        sumsOf(sumsOfGroup(), isQuads, [&] { return startOfSums(at, chunk); });
    Value xStep = b.plus(b.times(at, layout.format.blockSize / tile.depth),
                         b.times(chunk, layout.chunkSize / tile.depth));
    prefetchRows(xStep);
    if (tile.isDirect && vectorOfGroup == 0)
      prefetchAhead(chunk, products.getBytesAhead());
    Values direct =
        tile.isDirect ? unpackCodes(chunk, vectorOfGroup) : Values();
    Value from = tile.isDirect ? Value() : codeAt(group, at, chunk, 0);
    for (unsigned step = 0; step != layout.chunkSize / tile.depth; ++step) {
      Values rows = loadStep(b.plus(xStep, step));
      for (int64_t c = 0; c != columnParts; ++c) {
        int64_t number = step * columnParts + c;
        Value columns =
            tile.isDirect
                ? direct[number]
                : vector::LoadOp::create(b, bytes, codes,
                                         b.plus(from, number * lanes * 4));
        for (int64_t r = 0; r != rowParts; ++r)
          sums.add(r * columnParts + c, columns, rows[r]);
      }
    }
    return {sums.finish(), {}};
  }

  Value chunkOfPart(Value at, Value chunk) {
    return b.plus(b.times(at, layout.chunks), chunk);
  }

  Values startOfSums(Value at, Value chunk) {
    if (hasOrigin && !tile.isDirect)
      return loadOrigins();
    Values sums(sumsOfGroup(), zeros(integers));
    if (bias() == 0 && !wZeros)
      return sums;
    for (int64_t r = 0; r != rowParts; ++r) {
      Value sumOfX = loadRows(xSums, chunkOfPart(at, chunk), r);
      for (int64_t c = 0; c != columnParts; ++c) {
        Value factor = wZeros ? getNumber(ZeroFactor, at, chunk, c)
                              : splat(integers, -bias());
        Value &sum = sums[r * columnParts + c];
        sum = arith::MulIOp::create(b, sumOfX, factor);
        if (hasOrigin)
          sum = arith::AddIOp::create(b, sum, splat(integers, bitsOfOrigin()));
      }
    }
    return sums;
  }

  /// totals + sums, times sub-scales or sub-minimums if the format has them.
  Values addScaled(ValueRange totals, function_ref<Value(int64_t)> sumOf,
                   Number kind, Value at, Value chunk) {
    Values result;
    for (int64_t i = 0; i != sumsOfGroup(); ++i) {
      Value scaled = sumOf(i);
      if (has(kind))
        scaled = arith::MulIOp::create(
            b, scaled, getNumber(kind, at, chunk, i % columnParts));
      result.push_back(arith::AddIOp::create(b, totals[i], scaled));
    }
    return result;
  }

  /// Over the chunks of a block.
  Values sumChunks(function_ref<Values(Value, ValueRange)> body) {
    Values start(sumsOfGroup(), zeros(integers));
    return b.loop(b.index(0), b.index(layout.chunks), 1, start, body);
  }

  Sums multiplyBlock(Value at) {
    if (folded)
      return {{}, folded->multiply(addressOfStep(b.index(0)), at)};
    if (layout.chunks == 1 && !has(SubScale))
      return multiplyChunk(at, b.index(0));
    return {sumChunks([&](Value chunk, ValueRange totals) {
              Sums sums = multiplyChunk(at, chunk);
              auto sumOf = [&](int64_t i) { return read(sums, i); };
              return addScaled(totals, sumOf, SubScale, at, chunk);
            }),
            {}};
  }

  Values multiplyMinimums(Value at) {
    return sumChunks([&](Value chunk, ValueRange totals) {
      auto sumOfRow = [&](int64_t i) {
        return loadRows(xSums, chunkOfPart(at, chunk), i / columnParts);
      };
      return addScaled(totals, sumOfRow, SubMinimum, at, chunk);
    });
  }

  Values loadOrigins() {
    NeonAssembly block(b, integers);
    size_t count = sumsOfGroup();
    block.addResults(count);
    size_t origin = block.addConstant(b.getI32IntegerAttr(bitsOfOrigin()));
    for (size_t i = 0; i != count; ++i)
      block.load(i, origin);
    return block.finish(count);
  }

  /// (kOrigin + sum) scale - kOrigin scale, rounded once.
  Values scaleFromOrigin(Value at, const Values &sums) {
    Value origins = memref::ExtractAlignedPointerAsIndexOp::create(
        b, numbers[ScaledOrigin]);
    origins =
        b.plus(origins, b.times(numberAt(ScaledOrigin, at, Value(), group), 4));
    NeonAssembly block(b, floats);
    size_t count = sums.size();
    block.addResults(count);
    for (Value sum : sums)
      block.addInput(sum);
    size_t scale = block.addInput(getNumber(Scale, at, Value(), 0));
    size_t origin = block.addAddress(
        arith::IndexCastOp::create(b, b.getI64Type(), origins));
    for (size_t i = 0; i != count; ++i)
      block.loadFrom(i, origin);
    for (size_t i = 0; i != count; ++i)
      block.multiplyAdd(i, count + i, scale);
    return block.finish(count);
  }

  /// total + sum * scale of its column * scale of its row. Scales of f16 come
  /// first, which takes the fewest registers; times one of f32 or of 2^127 a
  /// sum may be infinite though the product with the row's scale is not. Quads
  /// leave registers enough for products of scales, which wait for no sum.
  Value addSum(Value total, const Sums &sums, int64_t i, Value ofRow,
               function_ref<Value()> ofColumn) {
    if (scalesFromOrigin)
      return multiplyAdd(total, sums.inRegisters[i], ofRow);
    Value sum = asFloats(sums, i);
    auto times = [&](Value x) -> Value {
      return arith::MulFOp::create(b, x, ofColumn());
    };
    return layout.format.scale == ScaleKind::Half && !isQuads
               ? multiplyAdd(total, times(sum), ofRow)
               : multiplyAdd(total, sum, times(ofRow));
  }

  Values addBlock(Value at, ValueRange carried) {
    Sums sums = multiplyBlock(at);
    if (scalesFromOrigin)
      sums = {scaleFromOrigin(at, sums.inRegisters), {}};
    Values result;
    Values smallest =
        has(SubMinimum) && !folded ? multiplyMinimums(at) : Values();
    auto smallestOf = [&](int64_t i) {
      return folded ? folded->getMinimums(at, i) : smallest[i];
    };
    for (int64_t r = 0; r != rowParts; ++r) {
      Value scale = loadRows(scales, at, r);
      Value weight = scaledSums ? loadRows(scaledSums, at, r) : Value();
      for (int64_t c = 0; c != columnParts; ++c) {
        int64_t i = r * columnParts + c;
        Value sum = addSum(carried[i], sums, i, scale,
                           [&] { return getNumber(Scale, at, Value(), c); });
        if (has(Minimum)) {
          Value minimum = getNumber(Minimum, at, Value(), c);
          sum = has(SubMinimum)
                    ? multiplyAdd(sum, arith::MulFOp::create(b, minimum, scale),
                                  toFloats(smallestOf(i)))
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
    results->add(asRows(sums), b.times(rowPanel, tile.rows),
                 b.plus(b.times(panel, kRows), b.times(group, lanes)),
                 b.equals(part, 0));
  }

  const BlockTile tile;
  const bool isQuads, isInTiles;
  const int64_t rowParts, columnParts, blocksOfPart;
  const bool hasOrigin, scalesFromOrigin;
  Value codes, numbers[kNumbers], tileSums; // scratch memory
  std::optional<BlockResults> results;
  std::optional<FoldedTiles> folded; // instead of codes and tileSums
  Value part, firstBlock, rowPanel, group;
  unsigned vectorOfGroup = 0; // the group, where each has code of its own
};

} // namespace

void aikernel::emitBlockMatmul(func::FuncOp function, const QuantPanel &layout,
                               const ByteProducts &products,
                               const BlockTile &tile) {
  BlockMatmul(function, layout, products, tile).emit();
}
