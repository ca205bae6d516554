//===- ByteWords.cpp - Four bytes in a word, multiplied and looked up -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: words of four bytes. Out: one instruction, or arithmetic.
//
//===----------------------------------------------------------------------===//

#include "ByteWords.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace aikernel;

ByteWords::ByteWords(Operation *op, bool isDevice) {
  TargetAttr target = getTarget(op);
  if (!isDevice || !target)
    return;
  if (target.getArch() == "nvptx64")
    dot = Dot::DP4A;
  else if (target.getName().starts_with("amd:gfx9"))
    dot = Dot::SDOT4;
  else if (target.getName().starts_with("amd:gfx11"))
    dot = Dot::SUDOT4;
}

static Value constant(LoopBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

static Value callIntrinsic(LoopBuilder &b, StringRef name,
                           ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, b.getI32Type(), b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

static Value signedByte(LoopBuilder &b, Value bytes, unsigned byte) {
  if (byte != 3)
    bytes = arith::ShLIOp::create(b, bytes, constant(b, 24 - 8 * byte));
  return arith::ShRSIOp::create(b, bytes, constant(b, 24));
}

Value ByteWords::multiplyAdd(LoopBuilder &b, Value sum, Value left,
                             Value right) const {
  Value no = arith::ConstantIntOp::create(b, 0, 1);
  Value yes = arith::ConstantIntOp::create(b, 1, 1);
  switch (dot) {
  case Dot::DP4A:
    return callIntrinsic(b, "llvm.nvvm.idp4a.s.s", {left, right, sum});
  case Dot::SDOT4:
    return callIntrinsic(b, "llvm.amdgcn.sdot4", {left, right, sum, no});
  case Dot::SUDOT4:
    return callIntrinsic(b, "llvm.amdgcn.sudot4",
                         {yes, left, yes, right, sum, no});
  case Dot::None:
    for (unsigned byte : {0, 1, 2, 3})
      sum = arith::AddIOp::create(
          b, sum,
          arith::MulIOp::create(b, signedByte(b, left, byte),
                                signedByte(b, right, byte)));
    return sum;
  }
  llvm_unreachable("all instructions are listed");
}

/// Four entries, as bytes.
Value ByteWords::lookUp(LoopBuilder &b, ArrayRef<int8_t> table,
                        Value nibbles) const {
  auto half = [&](unsigned first) -> Value {
    uint64_t bits = 0;
    for (unsigned i = 0; i != 8; ++i)
      bits |= uint64_t(uint8_t(table[first + i])) << 8 * i;
    return arith::ConstantIntOp::create(b, int64_t(bits), 64);
  };
  Value result = constant(b, 0);
  for (unsigned i = 0; i != 4; ++i) {
    Value code = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, nibbles, constant(b, 4 * i)),
        constant(b, 15));
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, code,
                                          constant(b, 8));
    Value entries = arith::SelectOp::create(b, isFirst, half(0), half(8));
    Value bit = arith::ShLIOp::create(
        b, arith::AndIOp::create(b, code, constant(b, 7)), constant(b, 3));
    entries = arith::ShRUIOp::create(
        b, entries, arith::ExtUIOp::create(b, b.getI64Type(), bit));
    Value byte = arith::AndIOp::create(
        b, arith::TruncIOp::create(b, b.getI32Type(), entries),
        constant(b, 255));
    result = arith::OrIOp::create(
        b, result, arith::ShLIOp::create(b, byte, constant(b, 8 * i)));
  }
  return result;
}

/// Has the second half the numbers of the first, with the other sign?
static bool isSymmetric(ArrayRef<int8_t> table) {
  for (unsigned i = 0; i != 8; ++i)
    if (table[i] < 0 || table[i + 8] != -table[i])
      return false;
  return true;
}

Value ByteWords::multiplyTable(LoopBuilder &b, ArrayRef<int8_t> table,
                               ArrayRef<Value> nibbles,
                               ArrayRef<Value> right) const {
  auto halfOf = [&](Value word, unsigned i) -> Value {
    if (i % 2 == 0)
      return word;
    return arith::ShRUIOp::create(b, word, constant(b, 16));
  };
  Value sum = constant(b, 0);
  if (dot != Dot::DP4A || !isSymmetric(table)) {
    for (auto [i, x] : llvm::enumerate(right))
      sum = multiplyAdd(b, sum, lookUp(b, table, halfOf(nibbles[i / 2], i)), x);
    return sum;
  }
  // prmt takes bytes by selectors of three bits; with a fourth one set it
  // repeats the byte's sign, which of these is 0. So it looks up the numbers
  // without minus, and with that bit masked all magnitudes: the sum is twice
  // the one less the other.
  auto entries = [&](unsigned first) {
    uint32_t bits = 0;
    for (unsigned i = 0; i != 4; ++i)
      bits |= uint32_t(uint8_t(table[first + i])) << 8 * i;
    return constant(b, int32_t(bits));
  };
  auto choose = [&](Value selectors) {
    return callIntrinsic(b, "llvm.nvvm.prmt",
                         {entries(0), entries(4), selectors});
  };
  Value all = sum;
  for (auto [i, x] : llvm::enumerate(right)) {
    Value codes = nibbles[i / 2];
    Value masked = arith::AndIOp::create(b, codes, constant(b, 0x77777777));
    sum = multiplyAdd(b, sum, choose(halfOf(codes, i)), x);
    all = multiplyAdd(b, all, choose(halfOf(masked, i)), x);
  }
  Value twice = arith::ShLIOp::create(b, sum, constant(b, 1));
  return arith::SubIOp::create(b, twice, all);
}
