//===- ByteProducts.cpp - Sums of four products of bytes ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a target and vectors of bytes. Out: the instruction, or arithmetic that
// gives the same numbers.
//
//===----------------------------------------------------------------------===//

#include "ByteProducts.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

ByteProducts::ByteProducts(Operation *op)
    : vectorBits(std::clamp(aikernel::getVectorBits(op), 128u, 512u)) {
  TargetAttr target = getTarget(op);
  if (!target)
    return;
  SmallVector<StringRef> features;
  target.getFeatures().split(features, ',', -1, /*KeepEmpty=*/false);
  auto has = [&](StringRef name) { return llvm::is_contained(features, name); };
  streams = weightStreamsOf(target.getArch());
  if (target.getArch() == "aarch64") {
    // Cores that have it wait less when nothing is asked for.
    if (has("+i8mm"))
      streams = {};
    vectorBits = 128;
    table = Table::TBL;
    if (has("+dotprod"))
      instruction = Instruction::SDOT;
    hasUnsigned = quads = has("+i8mm");
    registers = 32;
    return;
  }
  if (target.getArch() != "x86_64")
    return;
  bool isWide = vectorBits == 512;
  registers = isWide ? 32 : 16;
  // The memory of a server is so far away that the lines which L1 waits for,
  // and those which the hardware guesses up to the end of a page, are too few.
  bytesAhead = 8192;
  bool isNarrow = vectorBits == 128;
  if (isNarrow)
    instruction = Instruction::PMADDWD;
  if (isWide ? has("+avx512bw") : isNarrow ? has("+ssse3") : has("+avx2")) {
    instruction = Instruction::PMADDUBSW;
    table = Table::PSHUFB;
  }
  // Of 512 bits, one unit shifts and another one looks up; there are registers
  // for the tables.
  lookUpBits = isWide && table == Table::PSHUFB;
  // The intrinsics have one name; what encodes them differs.
  bool hasShort = has("+avxvnni") || (has("+avx512vnni") && has("+avx512vl"));
  if (isWide ? has("+avx512vnni") : hasShort)
    instruction = Instruction::VPDPBUSD;
  hasUnsigned = instruction == Instruction::VPDPBUSD;
  // Every machine with tile registers has VNNI, whose codes they share.
  tiles = hasUnsigned && isWide && has("+amx-tile") && has("+amx-int8");
}

namespace {

Value splat(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  auto vector = cast<VectorType>(type);
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             vector, b.getIntegerAttr(vector.getElementType(), value)));
}

Value callIntrinsic(ImplicitLocOpBuilder &b, StringRef name, Type type,
                    ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands)
      .getResult(0);
}

/// The bytes in lanes of `bits`.
Value inLanesOf(ImplicitLocOpBuilder &b, Value bytes, unsigned bits) {
  auto type = cast<VectorType>(bytes.getType());
  return vector::BitCastOp::create(
      b,
      VectorType::get({type.getNumElements() * 8 / bits},
                      b.getIntegerType(bits)),
      bytes);
}

/// Byte `byte` of each lane, with its sign.
Value signedByte(ImplicitLocOpBuilder &b, Value lanes, unsigned byte) {
  auto type = cast<VectorType>(lanes.getType());
  unsigned bits = type.getElementTypeBitWidth();
  unsigned above = bits - 8 - 8 * byte;
  if (above != 0)
    lanes = arith::ShLIOp::create(b, lanes, splat(b, type, above));
  return arith::ShRSIOp::create(b, lanes, splat(b, type, bits - 8));
}

} // namespace

Value ByteProducts::multiplyAdd(ImplicitLocOpBuilder &b, Value sums, Value left,
                                Value right) const {
  Type type = sums.getType();
  switch (instruction) {
  case Instruction::SDOT:
    return callIntrinsic(b, "llvm.aarch64.neon.sdot.v4i32.v16i8", type,
                         {sums, left, right});
  case Instruction::VPDPBUSD:
    return callIntrinsic(
        b, ("llvm.x86.avx512.vpdpbusd." + Twine(vectorBits)).str(), type,
        {sums, left, right});
  case Instruction::PMADDWD: {
    // Even bytes with even ones, then odd with odd: no lane is crossed.
    Value leftPairs = inLanesOf(b, left, 16),
          rightPairs = inLanesOf(b, right, 16);
    for (unsigned byte : {0, 1}) {
      Value products = callIntrinsic(
          b, "llvm.x86.sse2.pmadd.wd", type,
          {signedByte(b, leftPairs, byte), signedByte(b, rightPairs, byte)});
      sums = arith::AddIOp::create(b, sums, products);
    }
    return sums;
  }
  case Instruction::PMADDUBSW:
    return arith::AddIOp::create(
        b, sums,
        sumPairs(b, multiplyToPairs(b, left, right, /*isSigned=*/true)));
  case Instruction::None: {
    Value leftLanes = inLanesOf(b, left, 32),
          rightLanes = inLanesOf(b, right, 32);
    for (unsigned byte : {0, 1, 2, 3}) {
      Value product = arith::MulIOp::create(b, signedByte(b, leftLanes, byte),
                                            signedByte(b, rightLanes, byte));
      sums = arith::AddIOp::create(b, sums, product);
    }
    return sums;
  }
  }
  llvm_unreachable("all instructions are listed");
}

/// The right side with its sign changed where the left one is negative.
Value ByteProducts::takeSigns(ImplicitLocOpBuilder &b, Value left,
                              Value right) const {
  if (vectorBits < 512)
    return callIntrinsic(b,
                         vectorBits == 256 ? "llvm.x86.avx2.psign.b"
                                           : "llvm.x86.ssse3.psign.b.128",
                         right.getType(), {right, left});
  Value zeros = splat(b, right.getType(), 0);
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, left, zeros);
  return arith::SelectOp::create(b, isNegative,
                                 arith::SubIOp::create(b, zeros, right), right);
}

Value ByteProducts::multiplyToPairs(ImplicitLocOpBuilder &b, Value left,
                                    Value right, bool isSigned) const {
  assert(addsPairs() && "no such instruction");
  if (isSigned) {
    right = takeSigns(b, left, right);
    // Of -128 it is 128, since it has no sign from here on.
    Value negated = arith::SubIOp::create(b, splat(b, left.getType(), 0), left);
    left = arith::MaxSIOp::create(b, left, negated);
  }
  StringRef name = vectorBits == 512   ? "llvm.x86.avx512.pmaddubs.w.512"
                   : vectorBits == 256 ? "llvm.x86.avx2.pmadd.ub.sw"
                                       : "llvm.x86.ssse3.pmadd.ub.sw.128";
  auto pairs = VectorType::get({vectorBits / 16}, b.getI16Type());
  return callIntrinsic(b, name, pairs, {left, right});
}

Value ByteProducts::sumPairs(ImplicitLocOpBuilder &b, Value pairs) const {
  StringRef name = vectorBits == 512   ? "llvm.x86.avx512.pmaddw.d.512"
                   : vectorBits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                       : "llvm.x86.sse2.pmadd.wd";
  auto sums = VectorType::get({vectorBits / 32}, b.getI32Type());
  return callIntrinsic(b, name, sums, {pairs, splat(b, pairs.getType(), 1)});
}

Value ByteProducts::multiplyAddUnsigned(ImplicitLocOpBuilder &b, Value sums,
                                        Value left, Value right) const {
  assert(hasUnsigned && "no such instruction");
  if (instruction == Instruction::VPDPBUSD)
    return multiplyAdd(b, sums, left, right);
  return callIntrinsic(b, "llvm.aarch64.neon.usdot.v4i32.v16i8", sums.getType(),
                       {sums, left, right});
}

Value ByteProducts::multiplyAddQuads(ImplicitLocOpBuilder &b, Value sums,
                                     Value left, Value right) const {
  assert(quads && "no such instruction");
  return callIntrinsic(b, "llvm.aarch64.neon.smmla.v4i32.v16i8", sums.getType(),
                       {sums, left, right});
}

Value ByteProducts::multiplyPairs(ImplicitLocOpBuilder &b, Value left,
                                  Value right) const {
  assert(tiles && "no such instruction");
  auto lanes = cast<VectorType>(left.getType()).getDimSize(0) / 2;
  return callIntrinsic(b, "llvm.x86.avx512.pmaddw.d.512",
                       VectorType::get({lanes}, b.getI32Type()), {left, right});
}

Value ByteProducts::lookUp(ImplicitLocOpBuilder &b, ArrayRef<int8_t> entries,
                           Value bytes) const {
  auto type = cast<VectorType>(bytes.getType());
  // x86 looks up within each 128 bits.
  SmallVector<int8_t> repeated;
  for (int64_t i = 0; i != type.getNumElements(); ++i)
    repeated.push_back(i % 16 < (int64_t)entries.size() ? entries[i % 16] : 0);
  Value values = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int8_t>(repeated)));
  switch (table) {
  case Table::TBL:
    return callIntrinsic(b, "llvm.aarch64.neon.tbl1.v16i8", type,
                         {values, bytes});
  case Table::PSHUFB: {
    StringRef name = vectorBits == 512   ? "llvm.x86.avx512.pshuf.b.512"
                     : vectorBits == 256 ? "llvm.x86.avx2.pshuf.b"
                                         : "llvm.x86.ssse3.pshuf.b.128";
    return callIntrinsic(b, name, type, {values, bytes});
  }
  case Table::None: {
    Value result = splat(b, type, entries[0]);
    for (auto [code, entry] : llvm::drop_begin(llvm::enumerate(entries))) {
      Value isIt = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bytes,
                                         splat(b, type, code));
      result = arith::SelectOp::create(b, isIt, splat(b, type, entry), result);
    }
    return result;
  }
  }
  llvm_unreachable("all tables are listed");
}
