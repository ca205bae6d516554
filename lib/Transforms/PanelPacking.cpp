//===- PanelPacking.cpp - Code that packs one panel -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an empty function of a matrix and a panel. Out: its body.
//
//   for each block of the sum
//     a full panel:   whole vectors, transposed in registers where the matrix
//                     is contiguous along the sum; what one step takes of a
//                     row moves as one piece
//     a ragged one:   zeros first, then element by element
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/PanelPacking.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Vectors that are interleaved at once.
constexpr int64_t kMostInterleaved = 8;

class PanelPacker {
public:
  PanelPacker(func::FuncOp function, const PanelForm &form)
      : b(function.getContext()), loc(function.getLoc()), depth(form.depth),
        stepMultiple(form.stepMultiple), flipSign(form.flipSign) {
    Block *entry = function.addEntryBlock();
    b.setInsertionPointToStart(entry);
    matrix = entry->getArgument(0);
    panel = entry->getArgument(1);
    auto type = cast<MemRefType>(panel.getType());
    element = type.getElementType();
    from = getElementTypeOrSelf(matrix.getType());
    width = type.getDimSize(2);
    rows = width / depth;
    stepsOfBlock = memref::DimOp::create(b, loc, panel, 1);
    lanes =
        std::max<int64_t>(1, form.vectorBits / element.getIntOrFloatBitWidth());
    contiguousLast = matrix;
    // Vectors are loaded along the last dimension.
    if (!isContiguousAlong(1) && isContiguousAlong(0))
      contiguousLast = memref::TransposeOp::create(
          b, loc, matrix,
          AffineMapAttr::get(AffineMap::getPermutationMap(
              ArrayRef<unsigned>{1, 0}, b.getContext())));
  }

  void emit() {
    Value height = memref::DimOp::create(b, loc, matrix, 0);
    sum = memref::DimOp::create(b, loc, matrix, 1);
    Value steps = multiply(ceilDiv(sum, depth * stepMultiple), stepMultiple);
    Value blocks = arith::CeilDivUIOp::create(b, loc, steps, stepsOfBlock);
    loop(zero(), blocks, 1, [&](Value block) {
      Value first = arith::MulIOp::create(b, loc, block, stepsOfBlock);
      Value count = min(stepsOfBlock, minus(steps, first));
      Value isFull = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           height, index(rows));
      auto choice = scf::IfOp::create(b, loc, isFull, /*withElse=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      packFull(block, first, count);
      b.setInsertionPointToStart(choice.elseBlock());
      packRagged(block, first, zero(), count, height);
    });
    func::ReturnOp::create(b, loc);
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value zero() { return index(0); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value add(Value x, int64_t y) { return y ? add(x, index(y)) : x; }
  Value minus(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value multiply(Value x, int64_t y) {
    return y == 1 ? x : arith::MulIOp::create(b, loc, x, index(y));
  }
  Value ceilDiv(Value x, int64_t y) {
    if (y == 1)
      return x;
    return arith::DivUIOp::create(b, loc, add(x, y - 1), index(y));
  }
  /// The largest multiple of `y` up to `x`.
  Value roundDown(Value x, int64_t y) {
    return y == 1 ? x : minus(x, arith::RemUIOp::create(b, loc, x, index(y)));
  }

  void loop(Value begin, Value end, int64_t step,
            function_ref<void(Value)> body) {
    auto forOp = scf::ForOp::create(b, loc, begin, end, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    body(forOp.getInductionVar());
  }

  bool isContiguousAlong(unsigned dim) {
    return cast<MemRefType>(matrix.getType())
               .getStridesAndOffset()
               .first[dim] == 1;
  }

  /// A scalar or a vector of the matrix's type as the panel's.
  Value convert(Value value) {
    Type type = element;
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      type = vector.clone(element);
    if (value.getType() != type)
      value = isa<FloatType>(element)
                  ? Value(arith::ExtFOp::create(b, loc, type, value))
                  : Value(arith::ExtSIOp::create(b, loc, type, value));
    if (!flipSign)
      return value;
    unsigned bits = element.getIntOrFloatBitWidth();
    TypedAttr sign = b.getIntegerAttr(element, APInt::getSignMask(bits));
    if (auto vector = dyn_cast<VectorType>(type))
      sign = DenseElementsAttr::get(vector, Attribute(sign));
    return arith::XOrIOp::create(b, loc, value,
                                 arith::ConstantOp::create(b, loc, sign));
  }

  /// Neighbours of (row, k) along the contiguous dimension.
  Value loadVector(Value row, Value k, int64_t count) {
    SmallVector<Value> where{row, k};
    if (!isContiguousAlong(1))
      std::swap(where[0], where[1]);
    return asMoved(convert(vector::LoadOp::create(
        b, loc, VectorType::get({count}, from), contiguousLast, where)));
  }

  /// Targets without arithmetic of a narrow float type shuffle its vectors
  /// element by element; as integers they stay whole.
  Value asMoved(Value vector) {
    if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() > 16)
      return vector;
    auto type = cast<VectorType>(vector.getType());
    return vector::BitCastOp::create(
        b, loc, type.clone(b.getIntegerType(element.getIntOrFloatBitWidth())),
        vector);
  }

  void store(Value vector, Value block, Value step, int64_t offset) {
    auto type = cast<VectorType>(vector.getType());
    if (type.getElementType() != element)
      vector = vector::BitCastOp::create(b, loc, type.clone(element), vector);
    vector::StoreOp::create(b, loc, vector, panel,
                            ValueRange{block, step, index(offset)});
  }

  /// v0[0] v1[0] ... v0[1] v1[1] ...
  Value interleave(ArrayRef<Value> vectors) {
    if (vectors.size() == 1)
      return vectors[0];
    SmallVector<Value> even, odd;
    for (auto [position, value] : llvm::enumerate(vectors))
      (position % 2 ? odd : even).push_back(value);
    return vector::InterleaveOp::create(b, loc, interleave(even),
                                        interleave(odd));
  }

  void packFull(Value block, Value first, Value count) {
    Value wholeSteps =
        arith::DivUIOp::create(b, loc, sum, index(depth)); // without a tail
    Value whole = arith::MaxSIOp::create(b, loc, zero(),
                                         min(count, minus(wholeSteps, first)));
    Value done = zero();
    if (isContiguousAlong(1)) {
      if (groupsOfVector() > 1)
        done = packTransposed(block, first, whole);
      if (depth > 1)
        done = packGroups(block, first, done, whole);
    } else if (isContiguousAlong(0)) {
      done = packInterleaved(block, first, whole);
    }
    packRagged(block, first, done, count, index(rows));
  }

  /// How many times a vector holds what one step takes of a row.
  int64_t groupsOfVector() { return lanes / depth; }

  /// A vector of elements as one of groups of `depth`, and back.
  Value asGroups(Value vector) {
    int64_t count = cast<VectorType>(vector.getType()).getNumElements();
    Type group =
        b.getIntegerType(element.getIntOrFloatBitWidth() * (unsigned)depth);
    return depth == 1
               ? vector
               : vector::BitCastOp::create(
                     b, loc, VectorType::get({count / depth}, group), vector);
  }
  Value asElements(Value groups) {
    int64_t count = cast<VectorType>(groups.getType()).getNumElements();
    return depth == 1
               ? groups
               : vector::BitCastOp::create(
                     b, loc, VectorType::get({count * depth}, element), groups);
  }

  /// The matrix is contiguous along the sum: squares of it are transposed.
  Value packTransposed(Value block, Value first, Value whole) {
    int64_t side = groupsOfVector();
    Value end = roundDown(whole, side);
    loop(zero(), end, side, [&](Value step) {
      Value k = multiply(add(first, step), depth);
      forEachGroup(side, [&](int64_t offset, int64_t size) {
        SmallVector<Value> loaded;
        for (int64_t row = 0; row < size; ++row)
          loaded.push_back(
              asGroups(loadVector(index(offset + row), k, side * depth)));
        Value square = interleave(loaded);
        for (int64_t i = 0; i < side; ++i) {
          Value part = vector::ExtractStridedSliceOp::create(
              b, loc, square, ArrayRef<int64_t>{i * size},
              ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
          store(asElements(part), block, add(step, i), offset * depth);
        }
      });
    });
    return end;
  }

  /// The matrix is contiguous along the sum and a step takes `depth` of it.
  Value packGroups(Value block, Value first, Value begin, Value whole) {
    loop(begin, whole, 1, [&](Value step) {
      Value k = multiply(add(first, step), depth);
      for (int64_t row = 0; row < rows; ++row)
        store(loadVector(index(row), k, depth), block, step, row * depth);
    });
    return whole;
  }

  /// The matrix is contiguous along the rows of the panel.
  Value packInterleaved(Value block, Value first, Value whole) {
    // Of a deep step, so much at a time as becomes few vectors.
    int64_t part = std::min(depth, kMostInterleaved);
    loop(zero(), whole, 1, [&](Value step) {
      Value k = multiply(add(first, step), depth);
      forEachGroup(lanes, [&](int64_t offset, int64_t size) {
        for (int64_t begin = 0; begin < depth; begin += part) {
          SmallVector<Value> loaded;
          for (int64_t d = begin; d < begin + part; ++d)
            loaded.push_back(loadVector(index(offset), add(k, d), size));
          storeRows(interleave(loaded), block, step, offset, size, begin, part);
        }
      });
    });
    return whole;
  }

  /// `part` elements, from `begin` on, of each of `size` rows.
  void storeRows(Value vector, Value block, Value step, int64_t offset,
                 int64_t size, int64_t begin, int64_t part) {
    if (part == depth)
      return store(vector, block, step, offset * depth);
    for (int64_t row = 0; row < size; ++row)
      store(vector::ExtractStridedSliceOp::create(
                b, loc, vector, ArrayRef<int64_t>{row * part},
                ArrayRef<int64_t>{part}, ArrayRef<int64_t>{1}),
            block, step, (offset + row) * depth + begin);
  }

  /// The rows in powers of two, none more than `most`.
  void forEachGroup(int64_t most, function_ref<void(int64_t, int64_t)> body) {
    for (int64_t offset = 0; offset < rows;) {
      int64_t size = 1;
      while (size * 2 <= most && offset + size * 2 <= rows)
        size *= 2;
      body(offset, size);
      offset += size;
    }
  }

  /// Steps from `begin` on, element by element; zero where there is none.
  void packRagged(Value block, Value first, Value begin, Value end,
                  Value height) {
    Value nothing = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    loop(begin, end, 1, [&](Value step) {
      Value k = multiply(add(first, step), depth);
      Value valid = min(index(depth), minus(sum, k));
      loop(zero(), index(width), 1, [&](Value at) {
        memref::StoreOp::create(b, loc, nothing, panel,
                                ValueRange{block, step, at});
      });
      loop(zero(), height, 1, [&](Value row) {
        loop(zero(), valid, 1, [&](Value d) {
          Value value = convert(memref::LoadOp::create(
              b, loc, matrix, ValueRange{row, add(k, d)}));
          memref::StoreOp::create(
              b, loc, value, panel,
              ValueRange{block, step, add(multiply(row, depth), d)});
        });
      });
    });
  }

  OpBuilder b;
  Location loc;
  int64_t depth, stepMultiple, width, rows, lanes;
  bool flipSign;
  Type element, from;
  Value matrix, contiguousLast, panel, stepsOfBlock, sum;
};

} // namespace

void aikernel::emitPanelPacking(func::FuncOp function, const PanelForm &form) {
  PanelPacker(function, form).emit();
}
