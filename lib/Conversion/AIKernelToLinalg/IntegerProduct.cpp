//===- IntegerProduct.cpp - Quantized weights times integers --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: packed weights and activations that are integers already. Out: sums of
// integers per block, and the sum of these in floats.
//
// DecomposeBlockProducts does this to the products that were left to a target
// which has no kernel for them.
//
//===----------------------------------------------------------------------===//

#include "IntegerProduct.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

SmallVector<utils::IteratorType> tolinalg::loopsOf(unsigned parallel,
                                                   unsigned reductions) {
  SmallVector<utils::IteratorType> loops(parallel,
                                         utils::IteratorType::parallel);
  loops.append(reductions, utils::IteratorType::reduction);
  return loops;
}

AffineMap tolinalg::mapToRowsAnd(ImplicitLocOpBuilder &b, unsigned loops,
                                 unsigned first, ArrayRef<unsigned> others) {
  SmallVector<unsigned> dims = llvm::to_vector(llvm::seq<unsigned>(0, first));
  llvm::append_range(dims, others);
  return mapTo(b, loops, dims);
}

static Value zeros(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> shape,
                   Type element) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  return filledTensor(b, shape, zero);
}

/// Exact sums per block: of scaled codes, and where sub-blocks have minimums
/// also of those, times the integer activations.
static SmallVector<Value> createBlockSums(ImplicitLocOpBuilder &b,
                                          QuantReader &reader, Value integers,
                                          ArrayRef<OpFoldResult> outer) {
  unsigned rows = outer.size() - 1, n = rows;
  unsigned block = n + 1, element = n + 2, loops = n + 3;
  Sizes shape(outer.begin(), outer.end());
  shape.push_back(sizesOf(b, integers)[rows]);
  AffineMap out = mapWithout(b, loops, element);
  SmallVector<AffineMap> maps = {mapToRowsAnd(b, loops, rows, {block, element}),
                                 out};
  SmallVector<Value> sums = {zeros(b, shape, b.getI32Type())};
  if (reader.getFormat().subMinimums) {
    sums.push_back(zeros(b, shape, b.getI32Type()));
    maps.push_back(out);
  }
  auto generic = createGeneric(
      b, integers, sums, maps, loopsOf(rows + 2, 1),
      [&](ImplicitLocOpBuilder &b, ValueRange arguments) -> SmallVector<Value> {
        Value row = linalg::IndexOp::create(b, n);
        reader.setBlock(row, linalg::IndexOp::create(b, block));
        Value e = linalg::IndexOp::create(b, element);
        Value x = arith::ExtSIOp::create(b, b.getI32Type(), arguments[0]);
        auto add = [&](Value sum, Value factor) -> Value {
          Value product = arith::MulIOp::create(b, factor, x);
          return arith::AddIOp::create(b, sum, product);
        };
        Value code = reader.buildCode(b, e);
        if (Value scale = reader.buildSubScale(b, e))
          code = arith::MulIOp::create(b, code, scale);
        SmallVector<Value> results = {add(arguments[1], code)};
        if (Value minimum = reader.buildSubMinimum(b, e))
          results.push_back(add(arguments[2], minimum));
        return results;
      });
  return llvm::to_vector_of<Value>(generic.getResults());
}

Value tolinalg::createIntegerProduct(ImplicitLocOpBuilder &b,
                                     QuantReader &reader,
                                     const IntegerActivations &x,
                                     ArrayRef<OpFoldResult> sizes,
                                     Type compute) {
  unsigned rows = sizes.size() - 1, n = rows;
  SmallVector<Value> inputs = createBlockSums(b, reader, x.integers, sizes);
  unsigned sums = inputs.size();
  unsigned block = n + 1, loops = n + 2;
  SmallVector<AffineMap> maps(sums, identityMap(b, loops));
  AffineMap perBlock = mapToRowsAnd(b, loops, rows, {block});
  inputs.push_back(x.scale);
  maps.push_back(perBlock);
  if (x.scaledSum) {
    inputs.push_back(x.scaledSum);
    maps.push_back(perBlock);
  }
  maps.push_back(mapToRowsAnd(b, loops, rows, {n}));
  auto total = createGeneric(
      b, inputs, zeros(b, sizes, compute), maps, loopsOf(rows + 1, 1),
      [&](ImplicitLocOpBuilder &b, ValueRange arguments) -> SmallVector<Value> {
        Value row = linalg::IndexOp::create(b, n);
        reader.setBlock(row, linalg::IndexOp::create(b, block));
        auto times = [&](Value x, Value y) -> Value {
          return arith::MulFOp::create(b, x, y);
        };
        auto asFloat = [&](Value integer) -> Value {
          return arith::SIToFPOp::create(b, compute, integer);
        };
        Value scale = convertFloat(b, arguments[sums], compute);
        Value term = times(times(reader.buildScale(b, compute), scale),
                           asFloat(arguments[0]));
        if (Value minimum = reader.buildMinimum(b, compute)) {
          Value weight = x.scaledSum
                             ? convertFloat(b, arguments[sums + 1], compute)
                             : times(scale, asFloat(arguments[1]));
          term = arith::AddFOp::create(b, term, times(minimum, weight));
        }
        return {arith::AddFOp::create(b, arguments.back(), term)};
      });
  return total.getResult(0);
}
