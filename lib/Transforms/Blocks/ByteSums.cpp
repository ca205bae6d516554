//===- ByteSums.cpp - Sums of many products of bytes ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: vectors of bytes. Out: products by the target's instructions, and sums of
// pairs when 16 bits are full.
//
//===----------------------------------------------------------------------===//

#include "ByteSums.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace aikernel;

/// Bytes of the right side are not -128.
static constexpr int64_t kLargestRight = 127;

ByteSums::ByteSums(ImplicitLocOpBuilder &b, const ByteProducts &products,
                   size_t count, int64_t largest, bool isSigned, bool isQuads,
                   StartFn start)
    : b(b), products(products), isSigned(isSigned), isQuads(isQuads),
      mostProducts(INT16_MAX / (2 * largest * kLargestRight)),
      start(std::move(start)), sums(count), pairs(count), ofPairs(count) {
  assert(mostProducts > 0 && "a pair of products must fit");
  if (!products.addsPairs())
    sums = this->start();
}

void ByteSums::add(size_t i, Value left, Value right) {
  if (!products.addsPairs()) {
    sums[i] = isQuads ? products.multiplyAddQuads(b, sums[i], right, left)
                      : products.multiplyAdd(b, sums[i], left, right);
    return;
  }
  Value pair = products.multiplyToPairs(b, left, right, isSigned);
  if (pairs[i])
    pair = inOrder(arith::AddIOp::create(b, pairs[i], pair),
                   /*isEachStep=*/true);
  pairs[i] = pair;
  if (++ofPairs[i] == mostProducts)
    addPairs(i);
}

/// LLVM adds integers in the order of a tree, for which it needs more registers
/// than there are. What comes out of an assembly, of no instruction here, is
/// not reordered. Where registers are few, what all sums get in a step has to
/// come before the next step, too.
Value ByteSums::inOrder(Value sum, bool isEachStep) {
  return LLVM::InlineAsmOp::create(
             b, TypeRange(sum.getType()), ValueRange(sum), "", "=v,0",
             /*has_side_effects=*/isEachStep && products.getRegisters() < 32,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

void ByteSums::addPairs(size_t i) {
  Value sum = products.sumPairs(b, pairs[i]);
  if (sums[i])
    sum = inOrder(arith::AddIOp::create(b, sums[i], sum), mostProducts == 1);
  sums[i] = sum;
  pairs[i] = {};
  ofPairs[i] = 0;
}

ByteSums::Values ByteSums::finish() {
  if (!products.addsPairs())
    return sums;
  Values begin = start();
  for (size_t i = 0; i != sums.size(); ++i) {
    if (pairs[i])
      addPairs(i);
    sums[i] = arith::AddIOp::create(b, sums[i], begin[i]);
  }
  return sums;
}
