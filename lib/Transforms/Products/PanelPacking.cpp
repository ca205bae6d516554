//===- PanelPacking.cpp - Code that packs one panel -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an empty function of a matrix and panels. Out: its body.
//
//   full panels:    whole vectors. Where the matrix is contiguous along the sum
//                   panel by panel, transposed in registers; what one step
//                   takes of a row moves as one piece. Where it is contiguous
//                   across panels, a step of all panels at a time, or of
//                   narrow ones a few: memory is read in its order, and
//                   written in whole lines
//   a ragged one:   zeros first, then element by element. So is one in parts
//                   that has numbers too large to be taken apart in vectors
//
//===----------------------------------------------------------------------===//

#include "PanelPacking.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "Tiles/MatrixInstructions.h"
#include "Tiles/MatrixViews.h"
#include "Tiles/NumberParts.h"
#include "Tiles/VectorTranspose.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace aikernel;

namespace {

/// Vectors that are interleaved at once.
constexpr int64_t kMostInterleaved = 8;

/// Rows that are taken apart together.
constexpr int64_t kRowsAtOnce = 8;

/// A line of the cache.
constexpr int64_t kLineBits = 512;

/// Where a matrix is contiguous across panels, this many of its rows further
/// on are asked for: of so many lines the first, which the machine follows. To
/// ask for each takes up to 1.7 times as long where they come from L3.
constexpr int64_t kRowsAhead = 8;
constexpr int64_t kLinesFollowed = 8;
/// So many steps of a panel ahead what will be written is asked for, where this
/// is no more than copying.
constexpr int64_t kStepsAhead = 4;

class PanelPacker {
public:
  PanelPacker(func::FuncOp function, const PanelForm &form)
      : b(function), depth(form.depth), stepMultiple(form.stepMultiple),
        parts(form.parts), flipSign(form.flipSign) {
    matrix = function.getArgument(0);
    panels = function.getArgument(1);
    auto type = cast<MemRefType>(panels.getType());
    element = type.getElementType();
    from = getElementTypeOrSelf(matrix.getType());
    width = type.getDimSize(3);
    rows = width / depth;
    lanes =
        std::max<int64_t>(1, form.vectorBits / element.getIntOrFloatBitWidth());
    asksAhead = form.vectorBits == 512;
    asksForPanels = asksAhead && depth == 1 && mayHaveSmallL1(function) &&
                    width * element.getIntOrFloatBitWidth() >= kLineBits;
    isNarrow = form.vectorBits == 128;
    contiguousLast = matrix;
    // Vectors are loaded along the last dimension.
    if (!isContiguousAlong(1) && isContiguousAlong(0))
      contiguousLast = memref::TransposeOp::create(
          b, matrix,
          AffineMapAttr::get(AffineMap::getPermutationMap(
              ArrayRef<unsigned>{1, 0}, b.getContext())));
  }

  void emit() {
    Value height = memref::DimOp::create(b, matrix, 0);
    sum = memref::DimOp::create(b, matrix, 1);
    Value steps = b.times(b.ceilDiv(sum, depth * stepMultiple), stepMultiple);
    Value whole = arith::DivUIOp::create(b, height, b.index(rows));
    if (parts > 1)
      b.loop(b.ceilDiv(height, rows), 1, [&](Value position) {
        at(position);
        clearMagnitudes();
      });
    packFull(whole, steps);
    Value rest = b.minus(height, b.times(whole, rows));
    b.choose(
        b.equals(rest, 0), [] {},
        [&] {
          at(whole);
          packRagged(b.index(0), steps, rest);
        });
    if (parts > 1)
      b.loop(whole, 1, [&](Value position) {
        at(position);
        b.choose(
            panelHasLarge(b, panelAt(b, b.getLoc(), panels, b.index(0), panel),
                          stepMultiple),
            [&] { packRagged(b.index(0), steps, b.index(rows)); }, [] {});
      });
    func::ReturnOp::create(b);
  }

private:
  /// What follows is done to this panel.
  void at(Value position) {
    panel = position;
    firstRow = b.times(position, rows);
  }

  bool isContiguousAlong(unsigned dim) {
    return cast<MemRefType>(matrix.getType())
               .getStridesAndOffset()
               .first[dim] == 1;
  }

  /// What is stored of vectors that are loaded together: all of them, or one
  /// part of each after the other.
  void forEachPart(ArrayRef<Value> loaded,
                   function_ref<void(int64_t, ArrayRef<Value>)> body) {
    SmallVector<SmallVector<Value>> moved(parts);
    for (Value vector : loaded) {
      if (parts == 1) {
        moved[0].push_back(asMoved(convert(vector)));
        continue;
      }
      for (auto [part, value] : llvm::enumerate(splitVector(b, vector)))
        moved[part].push_back(value);
    }
    for (auto [part, vectors] : llvm::enumerate(moved))
      body(part, vectors);
  }

  /// Where the step of a part is.
  Value stepOf(Value step, int64_t part) {
    if (parts == 1)
      return step;
    Value turns = arith::DivUIOp::create(b, step, b.index(stepMultiple));
    Value beside = b.plus(b.times(turns, parts - 1), part);
    return b.plus(step, b.times(beside, stepMultiple));
  }

  SmallVector<Value> magnitudePlace() {
    Value here = panelAt(b, b.getLoc(), panels, b.index(0), panel);
    return {b.index(0), panel, magnitudeStep(b, here, stepMultiple),
            b.index(0)};
  }
  void clearMagnitudes() {
    b.store(arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get(
                                             {2 * kKeptMagnitudes}, element))),
            panels, magnitudePlace());
  }
  /// If these numbers are in parts, what is largest in each lane is kept.
  void keepMagnitudes(ArrayRef<Value> loaded) {
    if (parts == 1)
      return;
    auto type = cast<VectorType>(loaded[0].getType());
    auto words = type.clone(b.getI32Type());
    auto kept = VectorType::get({2 * type.getNumElements()}, element);
    Value largest = vector::BitCastOp::create(
        b, words, vector::LoadOp::create(b, kept, panels, magnitudePlace()));
    for (Value vector : loaded)
      largest = arith::MaxUIOp::create(b, largest, magnitudesOf(b, vector));
    b.store(vector::BitCastOp::create(b, kept, largest), panels,
            magnitudePlace());
  }

  /// A scalar or a vector of the matrix's type as the panel's.
  Value convert(Value value) {
    value = b.extended(value, element);
    if (!flipSign)
      return value;
    unsigned bits = element.getIntOrFloatBitWidth();
    TypedAttr sign = b.getIntegerAttr(element, APInt::getSignMask(bits));
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      sign = DenseElementsAttr::get(vector, Attribute(sign));
    return arith::XOrIOp::create(b, value, arith::ConstantOp::create(b, sign));
  }

  /// Neighbours of (row, k) along the contiguous dimension.
  Value loadVector(Value row, Value k, int64_t count) {
    SmallVector<Value> where{b.plus(firstRow, row), k};
    if (!isContiguousAlong(1))
      std::swap(where[0], where[1]);
    return vector::LoadOp::create(b, VectorType::get({count}, from),
                                  contiguousLast, where);
  }

  /// Of what is packed a little later, into L2.
  void ask(Value row, Value k) {
    SmallVector<Value> where{row, k};
    if (!isContiguousAlong(1))
      std::swap(where[0], where[1]);
    memref::PrefetchOp::create(b, contiguousLast, where, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }

  /// Targets without arithmetic of a narrow float type shuffle its vectors
  /// element by element; as integers they stay whole.
  Value asMoved(Value vector) {
    if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() > 16)
      return vector;
    auto type = cast<VectorType>(vector.getType());
    return vector::BitCastOp::create(
        b, type.clone(b.getIntegerType(element.getIntOrFloatBitWidth())),
        vector);
  }

  void store(Value vector, Value step, Value offset, int64_t part) {
    auto type = cast<VectorType>(vector.getType());
    if (type.getElementType() != element)
      vector = vector::BitCastOp::create(b, type.clone(element), vector);
    vector::StoreOp::create(
        b, vector, panels,
        ValueRange{b.index(0), panel, stepOf(step, part), offset});
  }

  void packFull(Value count, Value steps) {
    Value whole =
        arith::DivUIOp::create(b, sum, b.index(depth)); // without a tail
    bool isAcross = !isContiguousAlong(1) && isContiguousAlong(0);
    if (isAcross)
      packAcross(count, whole);
    b.loop(count, 1, [&](Value position) {
      at(position);
      Value done = isAcross ? whole : b.index(0);
      if (isContiguousAlong(1)) {
        if (groupsOfVector() > 1)
          done = packTransposed(whole);
        if (depth > 1)
          done = packGroups(done, whole);
      }
      packRagged(done, steps, b.index(rows));
    });
  }

  /// Of one panel after the other a step, or if they are narrow as many as are
  /// whole lines: lines that are written in pieces, with other panels in
  /// between, leave L1 half done.
  void packAcross(Value count, Value whole) {
    int64_t bits = width * element.getIntOrFloatBitWidth();
    int64_t atOnce = isNarrow ? kLineBits / std::gcd(kLineBits, bits) : 1;
    auto packSteps = [&](Value begin, Value end) {
      b.loop(count, 1, [&](Value position) {
        at(position);
        b.loop(begin, end, 1, [&](Value step) {
          if (asksForPanels)
            askForPanel(b.plus(step, kStepsAhead));
          packInterleaved(step);
        });
      });
    };
    Value even = b.roundDown(whole, atOnce);
    b.loop(even, atOnce, [&](Value first) {
      // What is transposed in pairs reads more rows at once than these.
      if (asksAhead && !canTransposePairs())
        askAcross(count, b.times(first, depth));
      packSteps(first, b.plus(first, atOnce));
    });
    if (atOnce > 1)
      packSteps(even, whole);
  }

  /// For a step of `count` panels that comes a little later.
  void askAcross(Value count, Value k) {
    int64_t bits = rows * getElementTypeOrSelf(matrix).getIntOrFloatBitWidth();
    int64_t together = std::max<int64_t>(1, kLinesFollowed * kLineBits / bits);
    b.loop(count, together, [&](Value position) {
      for (int64_t d = 0; d < depth; ++d)
        ask(b.times(position, rows), b.plus(k, kRowsAhead + d));
    });
  }

  /// What a step of this panel is written to comes from L3, too.
  void askForPanel(Value step) {
    int64_t elements = kLineBits / element.getIntOrFloatBitWidth();
    for (int64_t at = 0; at < width; at += elements)
      memref::PrefetchOp::create(
          b, panels, ValueRange{b.index(0), panel, step, b.index(at)},
          /*isWrite=*/true, /*localityHint=*/3, /*isDataCache=*/true);
  }

  /// How many times a vector holds what one step takes of a row.
  int64_t groupsOfVector() { return lanes / depth; }

  /// A vector of elements as one of groups of `depth`, and back.
  Value asGroups(Value vector) {
    int64_t count = cast<VectorType>(vector.getType()).getNumElements();
    Type group =
        b.getIntegerType(element.getIntOrFloatBitWidth() * (unsigned)depth);
    return depth == 1 ? vector
                      : vector::BitCastOp::create(
                            b, VectorType::get({count / depth}, group), vector);
  }
  Value asElements(Value groups) {
    int64_t count = cast<VectorType>(groups.getType()).getNumElements();
    return depth == 1
               ? groups
               : vector::BitCastOp::create(
                     b, VectorType::get({count * depth}, element), groups);
  }

  SmallVector<Value> columnsOf(ArrayRef<Value> rows) {
    auto type = cast<VectorType>(rows[0].getType());
    int64_t count = rows.size(), lanes = type.getNumElements();
    if (count == lanes && canTransposeSquare(lanes) &&
        type.getElementTypeBitWidth() == 32)
      return transposeSquare(b, rows);
    Value together = b.interleave(rows);
    SmallVector<Value> columns;
    for (int64_t i = 0; i < lanes; ++i)
      columns.push_back(vector::ExtractStridedSliceOp::create(
          b, together, ArrayRef<int64_t>{i * count}, ArrayRef<int64_t>{count},
          ArrayRef<int64_t>{1}));
    return columns;
  }

  /// The matrix is contiguous along the sum: squares of it are transposed.
  Value packTransposed(Value whole) {
    int64_t side = groupsOfVector();
    Value end = b.roundDown(whole, side);
    b.loop(end, side, [&](Value step) {
      Value k = b.times(step, depth);
      forEachGroup(side, [&](Value offset, int64_t size) {
        SmallVector<Value> loaded;
        for (int64_t row = 0; row < size; ++row) {
          loaded.push_back(loadVector(b.plus(offset, row), k, side * depth));
          // The machine does not follow such short pieces of rows.
          if (asksAhead)
            ask(b.plus(firstRow, b.plus(offset, row + rows)), k);
        }
        keepMagnitudes(loaded);
        forEachPart(loaded, [&](int64_t part, ArrayRef<Value> vectors) {
          SmallVector<Value> groups = llvm::map_to_vector(
              vectors, [&](Value v) { return asGroups(v); });
          for (auto [i, column] : llvm::enumerate(columnsOf(groups)))
            store(asElements(column), b.plus(step, i), b.times(offset, depth),
                  part);
        });
      });
    });
    return end;
  }

  /// The matrix is contiguous along the sum and a step takes `depth` of it.
  Value packGroups(Value begin, Value whole) {
    int64_t atOnce = parts > 1 && rows % kRowsAtOnce == 0 ? kRowsAtOnce : 1;
    b.loop(begin, whole, 1, [&](Value step) {
      Value k = b.times(step, depth);
      forEachOf(rows, atOnce, [&](Value first) {
        SmallVector<Value> loaded;
        for (int64_t i = 0; i < atOnce; ++i)
          loaded.push_back(loadVector(b.plus(first, i), k, depth));
        keepMagnitudes(loaded);
        for (int64_t i = 0; i < atOnce; ++i)
          forEachPart(loaded[i], [&](int64_t part, ArrayRef<Value> vectors) {
            store(vectors[0], step, b.times(b.plus(first, i), depth), part);
          });
      });
    });
    return whole;
  }

  /// The matrix is contiguous along the rows of the panel.
  void packInterleaved(Value step) {
    if (canTransposePairs())
      return packTransposedPairs(step);
    // Of a deep step, so much at a time as becomes few vectors.
    int64_t count = std::min(depth, kMostInterleaved);
    Value k = b.times(step, depth);
    forEachGroup(lanes, [&](Value offset, int64_t size) {
      forEachOf(depth, count, [&](Value begin) {
        SmallVector<Value> loaded;
        for (int64_t d = 0; d < count; ++d) {
          Value at = b.plus(b.plus(k, begin), d);
          loaded.push_back(loadVector(offset, at, size));
        }
        keepMagnitudes(loaded);
        forEachPart(loaded, [&](int64_t part, ArrayRef<Value> vectors) {
          storeRows(b.interleave(vectors), step, offset, size, begin, count,
                    part);
        });
      });
    });
  }

  /// Is what a step takes of a row a whole vector of 16-bit elements?
  bool canTransposePairs() {
    return element.getIntOrFloatBitWidth() == 16 && from == element &&
           depth == lanes && depth > kMostInterleaved && rows % lanes == 0 &&
           canTransposeSquare(lanes / 2) && !flipSign;
  }

  /// Neighbours along the sum are paired first; shuffles of pairs cost less
  /// than those of 16-bit elements.
  void packTransposedPairs(Value step) {
    Value k = b.times(step, depth);
    int64_t side = lanes / 2;
    auto words = VectorType::get({side}, b.getI32Type());
    // What unpacking finds in each 128 bits.
    constexpr int64_t kRowsOfQuad = 4;
    for (int64_t offset = 0; offset < rows; offset += lanes) {
      for (bool isUpper : {false, true}) {
        SmallVector<Value> pairs;
        auto moved = [&](int64_t d) {
          return asMoved(loadVector(b.index(offset), b.plus(k, d), lanes));
        };
        for (int64_t d = 0; d < depth; d += 2)
          pairs.push_back(vector::BitCastOp::create(
              b, words, unpack(b, moved(d), moved(d + 1), 1, isUpper)));
        for (auto [number, sums] : llvm::enumerate(transposeSquare(b, pairs))) {
          int64_t quad = number / kRowsOfQuad * 2 + isUpper;
          int64_t row = offset + quad * kRowsOfQuad + number % kRowsOfQuad;
          store(vector::BitCastOp::create(b, VectorType::get({lanes}, element),
                                          sums),
                step, b.index(row * depth), /*part=*/0);
        }
      }
    }
  }

  /// `count` elements, from `begin` on, of each of `size` rows.
  void storeRows(Value vector, Value step, Value offset, int64_t size,
                 Value begin, int64_t count, int64_t part) {
    if (count == depth)
      return store(vector, step, b.times(offset, depth), part);
    for (int64_t row = 0; row < size; ++row)
      store(vector::ExtractStridedSliceOp::create(
                b, vector, ArrayRef<int64_t>{row * count},
                ArrayRef<int64_t>{count}, ArrayRef<int64_t>{1}),
            step, b.plus(b.times(b.plus(offset, row), depth), begin), part);
  }

  /// The rows in powers of two, none more than `most`.
  void forEachGroup(int64_t most, function_ref<void(Value, int64_t)> body) {
    if (rows % most == 0)
      return forEachOf(rows, most, [&](Value offset) { body(offset, most); });
    for (int64_t offset = 0; offset < rows;) {
      int64_t size = 1;
      while (size * 2 <= most && offset + size * 2 <= rows)
        size *= 2;
      body(b.index(offset), size);
      offset += size;
    }
  }

  /// Numbers in parts take so many instructions that this is a loop.
  void forEachOf(int64_t all, int64_t step, function_ref<void(Value)> body) {
    if (parts > 1 && all > step)
      return b.loop(b.index(all), step, body);
    for (int64_t at = 0; at < all; at += step)
      body(b.index(at));
  }

  /// Steps from `begin` on, element by element; zero where there is none.
  void packRagged(Value begin, Value end, Value height) {
    Value nothing = arith::ConstantOp::create(b, b.getZeroAttr(element));
    b.loop(begin, end, 1, [&](Value step) {
      Value k = b.times(step, depth);
      Value valid = b.smaller(b.index(depth), b.minus(sum, k));
      auto put = [&](Value value, int64_t part, Value at) {
        b.store(value, panels,
                ValueRange{b.index(0), panel, stepOf(step, part), at});
      };
      b.loop(b.index(width), 1, [&](Value at) {
        for (int64_t part = 0; part < parts; ++part)
          put(nothing, part, at);
      });
      b.loop(height, 1, [&](Value row) {
        b.loop(valid, 1, [&](Value d) {
          Value number =
              b.load(matrix, ValueRange{b.plus(firstRow, row), b.plus(k, d)});
          Value at = b.plus(b.times(row, depth), d);
          if (parts == 1)
            return put(convert(number), 0, at);
          Value asVector = vector::BroadcastOp::create(
              b, VectorType::get({1}, from), number);
          keepMagnitudes(asVector);
          for (auto [part, bits] : llvm::enumerate(splitNumber(b, number)))
            put(arith::BitcastOp::create(b, element, bits), part, at);
        });
      });
    });
  }

  LoopBuilder b;
  int64_t depth, stepMultiple, parts, width, rows, lanes;
  bool flipSign, asksAhead, asksForPanels, isNarrow;
  Type element, from;
  Value matrix, contiguousLast, panels, sum;
  Value panel, firstRow; // that is packed
};

} // namespace

void aikernel::emitPanelPacking(func::FuncOp function, const PanelForm &form) {
  PanelPacker(function, form).emit();
}
