//===- VectorTranspose.cpp - Squares of vectors are transposed ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the rows of a square. Out: its columns, in three stages: elements are
// paired, pairs become quads (both inside of each 128 bits), and then the
// square of quads is transposed.
//
//===----------------------------------------------------------------------===//

#include "VectorTranspose.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

static int64_t lanesOf(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

Value aikernel::unpack(LoopBuilder &b, Value x, Value y, int64_t elementsAtOnce,
                       bool isUpper) {
  auto type = cast<VectorType>(x.getType());
  int64_t lanes = type.getNumElements();
  int64_t quad = 128 / type.getElementTypeBitWidth();
  SmallVector<int64_t> mask;
  for (int64_t first = 0; first < lanes; first += quad)
    for (int64_t at = 0; at < quad / 2; at += elementsAtOnce)
      for (int64_t source : {int64_t(0), lanes})
        for (int64_t i = 0; i < elementsAtOnce; ++i)
          mask.push_back(source + first + (isUpper ? quad / 2 : 0) + at + i);
  return vector::ShuffleOp::create(b, x, y, mask);
}

/// The even or odd quads of x, then those of y.
static Value everySecondQuad(LoopBuilder &b, Value x, Value y, bool isOdd) {
  int64_t lanes = lanesOf(x);
  SmallVector<int64_t> mask;
  for (int64_t source : {int64_t(0), lanes})
    for (int64_t first = isOdd ? 4 : 0; first < lanes; first += 8)
      for (int64_t i = 0; i < 4; ++i)
        mask.push_back(source + first + i);
  return vector::ShuffleOp::create(b, x, y, mask);
}

/// Columns of a square of quads; as many rows as each has quads.
static LoopBuilder::Values transposeQuads(LoopBuilder &b,
                                          ArrayRef<Value> rows) {
  if (rows.size() == 1)
    return {rows[0]};
  LoopBuilder::Values even, odd;
  for (size_t i = 0; i < rows.size(); i += 2) {
    even.push_back(everySecondQuad(b, rows[i], rows[i + 1], false));
    odd.push_back(everySecondQuad(b, rows[i], rows[i + 1], true));
  }
  if (rows.size() == 2)
    return {even[0], odd[0]};
  return {everySecondQuad(b, even[0], even[1], false),
          everySecondQuad(b, odd[0], odd[1], false),
          everySecondQuad(b, even[0], even[1], true),
          everySecondQuad(b, odd[0], odd[1], true)};
}

LoopBuilder::Values aikernel::transposeSquare(LoopBuilder &b,
                                              ArrayRef<Value> rows) {
  using Values = LoopBuilder::Values;
  size_t lanes = rows.size();
  Values quads[4]; // of each of four columns, those of four rows at a time
  for (size_t row = 0; row < lanes; row += 4) {
    Value pairs[2][2]; // of the lower and upper columns, of two rows each
    for (bool isUpper : {false, true})
      for (size_t half : {0, 1})
        pairs[isUpper][half] = unpack(b, rows[row + 2 * half],
                                      rows[row + 2 * half + 1], 1, isUpper);
    for (size_t column = 0; column < 4; ++column)
      quads[column].push_back(
          unpack(b, pairs[column / 2][0], pairs[column / 2][1], 2, column % 2));
  }
  Values columns(lanes);
  for (size_t column = 0; column < 4; ++column)
    for (auto [number, whole] :
         llvm::enumerate(transposeQuads(b, quads[column])))
      columns[4 * number + column] = whole;
  return columns;
}
