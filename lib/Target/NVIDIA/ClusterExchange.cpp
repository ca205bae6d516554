//===- ClusterExchange.cpp - Numbers for all blocks of a cluster ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: numbers of each warp, turn after turn. Out: st.async into every block of
// the cluster, which counts the bytes at the barrier of the turn there.
//
// Two rooms and two barriers in turn are enough: a warp sends those of turn
// t + 2 when it has received all of turn t + 1, which every warp sent after it
// had received those of turn t. For the same reason no block ends while
// something is on its way to it.
//
//===----------------------------------------------------------------------===//

#include "ClusterExchange.h"
#include "../GPU/SharedMemory.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace aikernel;

static constexpr int64_t kValueBytes = 4, kBarrierBytes = 8;

void ClusterExchange::begin(Value threadOfBlock, Value rankInCluster) {
  thread = threadOfBlock;
  rank = rankInCluster;
  warp = arith::DivUIOp::create(b, thread, b.index(kWarpSize));
  lane = arith::RemUIOp::create(b, thread, b.index(kWarpSize));
  first = scf::IfOp::create(b, b.equals(thread, 0));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(first.thenBlock());
  NVVM::FenceMbarrierInitOp::create(b);
  b.setInsertionPointAfter(first);
  NVVM::ClusterArriveRelaxedOp::create(b, UnitAttr());
}

void ClusterExchange::awaitOthers() {
  NVVM::ClusterWaitOp::create(b, UnitAttr());
}

void ClusterExchange::setTurn(Value turn) {
  parity = arith::RemUIOp::create(b, turn, b.index(2));
  Value pair = arith::DivUIOp::create(b, turn, b.index(2));
  phase = arith::IndexCastOp::create(
      b, b.getI32Type(), arith::RemUIOp::create(b, pair, b.index(2)));
}

/// In the shared memory of this block.
Value ClusterExchange::addressOf(Value room, Value element, int64_t bytes) {
  auto here = LLVM::LLVMPointerType::get(
      b.getContext(), (unsigned)NVVM::NVVMMemorySpace::Shared);
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, room);
  Value address = arith::IndexCastOp::create(
      b, b.getI64Type(), b.plus(start, b.times(element, bytes)));
  return LLVM::IntToPtrOp::create(b, here, address);
}

Value ClusterExchange::barrierOf(const Sent &sent) {
  return addressOf(sent.barriers, parity, kBarrierBytes);
}

void aikernel::storeAsync(ImplicitLocOpBuilder &b, Value address,
                          ValueRange values, Value barrier) {
  unsigned count = values.size();
  std::string text = "st.async.weak.shared::cluster.mbarrier::complete_tx::"
                     "bytes";
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(i);
  if (count > 1) {
    text += ".v" + std::to_string(count);
    list = "{" + list + "}";
  }
  text += ".b32 [$" + std::to_string(count) + "], " + list + ", [$" +
          std::to_string(count + 1) + "];";
  std::string constraints;
  SmallVector<Value> operands;
  for (Value value : values) {
    bool isFloat = isa<FloatType>(value.getType());
    operands.push_back(
        isFloat ? arith::BitcastOp::create(b, b.getI32Type(), value).getResult()
                : value);
    constraints += "r,";
  }
  for (Value pointer : {address, barrier})
    operands.push_back(LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer));
  constraints += "l,l,~{memory}";
  LLVM::InlineAsmOp::create(
      b, TypeRange(), operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

/// Lane c of each warp writes the warp's values into block c of the cluster.
ClusterExchange::Sent ClusterExchange::send(ValueRange values) {
  int64_t count = values.size(), all = warps * blocks;
  Location loc = b.getLoc();
  Sent sent{addSharedMemory(kernel, {2, all, count}, b.getI32Type(), loc),
            addSharedMemory(kernel, {2}, b.getI64Type(), loc), unsigned(count)};
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(first.thenBlock());
    Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
    for (int64_t i = 0; i < 2; ++i)
      NVVM::MBarrierInitOp::create(
          b, addressOf(sent.barriers, b.index(i), kBarrierBytes), one, Value());
  }
  auto expects = scf::IfOp::create(b, b.equals(thread, 0));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(expects.thenBlock());
    Value bytes = arith::ConstantOp::create(
        b, b.getI32IntegerAttr(all * count * kValueBytes));
    NVVM::MBarrierArriveExpectTxOp::create(b, Type(), barrierOf(sent), bytes,
                                           NVVM::MemScopeKind::CTA,
                                           /*relaxed=*/false, Value());
  }
  auto writes =
      scf::IfOp::create(b, b.compare(arith::CmpIPredicate::ult, lane, blocks));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(writes.thenBlock());
  Value block = arith::IndexCastOp::create(b, b.getI32Type(), lane);
  auto there = [&](Value address) -> Value {
    auto type = LLVM::LLVMPointerType::get(
        b.getContext(), (unsigned)NVVM::NVVMMemorySpace::SharedCluster);
    return NVVM::MapaOp::create(b, type, address, block);
  };
  Value barrier = there(barrierOf(sent));
  Value place =
      b.plus(b.times(parity, all), b.plus(b.times(rank, warps), warp));
  unsigned width = count == 2 || count == 4 ? count : 1;
  for (unsigned i = 0; i < count; i += width) {
    Value element = b.plus(b.times(place, count), i);
    storeAsync(b, there(addressOf(sent.room, element, kValueBytes)),
               values.slice(i, width), barrier);
  }
  return sent;
}

ClusterExchange::Values ClusterExchange::receive(const Sent &sent) {
  auto loop = scf::WhileOp::create(b, TypeRange(), ValueRange());
  Value barrier;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop);
    barrier = barrierOf(sent);
    b.createBlock(&loop.getBefore());
    Value done = NVVM::MBarrierTryWaitOp::create(b, b.getI1Type(), barrier,
                                                 phase, /*ticks=*/Value());
    Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
    scf::ConditionOp::create(b, arith::XOrIOp::create(b, done, yes),
                             ValueRange());
    b.createBlock(&loop.getAfter());
    scf::YieldOp::create(b);
  }
  Values found;
  for (unsigned value = 0; value < sent.values; ++value)
    for (int64_t i = 0; i < warps * blocks; i += kWarpSize)
      found.push_back(
          b.load(sent.room, {parity, b.plus(lane, i), b.index(value)}));
  return found;
}
