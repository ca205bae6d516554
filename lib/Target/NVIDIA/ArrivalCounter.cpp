//===- ArrivalCounter.cpp - How many blocks have come
//----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a word of memory. Out: the atomic operations of a thread on it.
//
//===----------------------------------------------------------------------===//

#include "ArrivalCounter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace aikernel;

/// The mark, with nothing counted; the count is in the lower 16 bits.
static constexpr int64_t kNobody = 0x7fa57fa57fa50000;
static constexpr int64_t kCountBits = 16, kWordBytes = 8;
static constexpr llvm::StringLiteral kScope = "device";

ArrivalCounter::ArrivalCounter(LoopBuilder &b, Value counters, Value number)
    : b(b) {
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, counters);
  Value place = b.plus(start, b.times(number, kWordBytes));
  place = arith::IndexCastOp::create(b, b.getI64Type(), place);
  address = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), /*global=*/1), place);
}

static Value word(LoopBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
}

Value ArrivalCounter::read() {
  return LLVM::LoadOp::create(b, b.getI64Type(), address, kWordBytes,
                              /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/false,
                              /*isInvariantGroup=*/false,
                              LLVM::AtomicOrdering::monotonic, kScope);
}

void ArrivalCounter::prepare(Value found) {
  Value bits = word(b, kCountBits);
  Value hasNone = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                        arith::ShRUIOp::create(b, found, bits),
                                        word(b, kNobody >> kCountBits));
  auto choice = scf::IfOp::create(b, hasNone);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  LLVM::AtomicCmpXchgOp::create(b, address, found, word(b, kNobody),
                                LLVM::AtomicOrdering::monotonic,
                                LLVM::AtomicOrdering::monotonic, kScope);
}

Value ArrivalCounter::count() {
  Value before =
      LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, address, word(b, 1),
                                LLVM::AtomicOrdering::monotonic, kScope);
  Value lower =
      arith::AndIOp::create(b, before, word(b, (int64_t(1) << kCountBits) - 1));
  return arith::TruncIOp::create(b, b.getI32Type(), lower);
}

void ArrivalCounter::reset() {
  LLVM::StoreOp::create(b, word(b, kNobody), address, kWordBytes,
                        /*isVolatile=*/false, /*isNonTemporal=*/false,
                        /*isInvariantGroup=*/false,
                        LLVM::AtomicOrdering::monotonic, kScope);
}
