//===- BlockPacking.cpp - Code that packs one panel of blocks -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an empty function and the layout of a format. Out: its body.
//
//   for each block of the panel
//     zeros, if the panel has fewer than sixteen rows
//     for each row: its scales, and for each chunk its codes, byte by byte
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/QuantFields.h"
#include "AIKernel/Transforms/BlockKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace aikernel;

namespace {

class BlockPacker {
public:
  BlockPacker(func::FuncOp function, const QuantPanel &layout)
      : b(function.getLoc(), function.getContext()), layout(layout) {
    Block *entry = function.addEntryBlock();
    b.setInsertionPointToStart(entry);
    source = entry->getArgument(0);
    dest = entry->getArgument(1);
    panel = entry->getArgument(2);
  }

  void emit() {
    Value first = times(panel, QuantPanel::kRows);
    Value left =
        arith::SubIOp::create(b, memref::DimOp::create(b, source, 0), first);
    Value rows = arith::MinSIOp::create(b, left, index(QuantPanel::kRows));
    Value isRagged = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, rows,
                                           index(QuantPanel::kRows));
    loop(memref::DimOp::create(b, dest, 1), [&](Value newBlock) {
      block = newBlock;
      auto ragged = scf::IfOp::create(b, isRagged);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(ragged.thenBlock());
        Value nothing = arith::ConstantIntOp::create(b, 0, 32);
        loop(index(layout.getBlockBytes()),
             [&](Value at) { storeByte(nothing, at); });
      }
      loop(rows, [&](Value newRow) {
        row = newRow;
        sourceRow = plus(first, row);
        packScales();
        loop(index(layout.chunks), [&](Value chunk) { packChunk(chunk); });
      });
    });
    func::ReturnOp::create(b);
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(b, value, 32);
  }
  Value plus(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value plus(Value x, int64_t y) { return y ? plus(x, index(y)) : x; }
  Value times(Value x, int64_t y) {
    return y == 1 ? x : arith::MulIOp::create(b, x, index(y)).getResult();
  }

  void loop(Value count, function_ref<void(Value)> body) {
    auto forOp = scf::ForOp::create(b, index(0), count, index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    body(forOp.getInductionVar());
  }

  /// The byte at `offset` of the block of the row.
  Value loadByte(Value offset) {
    Value at = plus(times(block, layout.format.blockBytes), offset);
    Value byte = memref::LoadOp::create(b, source, ValueRange{sourceRow, at});
    return arith::ExtUIOp::create(b, b.getI32Type(), byte);
  }

  Value read(const PackedField &field, Value number) {
    return buildFieldRead(b, field, number,
                          [&](Value offset) { return loadByte(offset); });
  }

  /// The low eight bits.
  void storeByte(Value number, Value at) {
    Value byte = arith::TruncIOp::create(b, b.getI8Type(), number);
    memref::StoreOp::create(b, byte, dest, ValueRange{panel, block, at});
  }

  void storeHalf(Value bits, unsigned firstByte) {
    Value at = plus(times(row, 2), firstByte);
    storeByte(bits, at);
    storeByte(arith::ShRUIOp::create(b, bits, integer(8)), plus(at, 1));
  }

  Value loadHalf(unsigned byte) {
    Value high =
        arith::ShLIOp::create(b, loadByte(index(byte + 1)), integer(8));
    return arith::OrIOp::create(b, loadByte(index(byte)), high);
  }

  void packScales() {
    if (layout.format.scale == ScaleKind::Half)
      storeHalf(loadHalf(layout.format.scaleByte), layout.getScaleByte());
    else
      storeHalf(powerAsBF16(loadByte(index(layout.format.scaleByte))),
                layout.getScaleByte());
    if (layout.format.minimumByte)
      storeHalf(loadHalf(*layout.format.minimumByte), layout.getMinimumByte());
  }

  /// The bits of 2^(e - 128), which bf16 has for every byte e.
  Value powerAsBF16(Value e) {
    Value subnormal = arith::ShLIOp::create(b, integer(1 << 5), e);
    Value normal = arith::ShLIOp::create(
        b, arith::SubIOp::create(b, e, integer(1)), integer(7));
    Value isSmall =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, e, integer(2));
    return arith::SelectOp::create(b, isSmall, subnormal, normal);
  }

  void packChunk(Value chunk) {
    Value start =
        plus(times(chunk, layout.getChunkBytes()), layout.getChunkByte());
    if (layout.format.subScales)
      storeByte(read(*layout.format.subScales, chunk),
                plus(plus(start, layout.getSubScaleByte()), row));
    if (layout.format.subMinimums)
      storeByte(read(*layout.format.subMinimums, chunk),
                plus(plus(start, layout.getSubMinimumByte()), row));
    Value element = times(chunk, layout.chunkSize);
    packPlane(element, plus(start, layout.getLowByte()), layout.getLowGroups(),
              0, layout.lowBits);
    if (layout.highBits)
      packPlane(element, plus(start, layout.getHighByte()),
                layout.getHighGroups(), layout.lowBits, layout.highBits);
  }

  /// `bits` of the codes from bit `position` on; a byte has those of
  /// neighbouring groups.
  void packPlane(Value element, Value start, unsigned groups, unsigned position,
                 unsigned bits) {
    loop(index(layout.getGroups() / groups), [&](Value byteGroup) {
      loop(index(QuantPanel::kGroup), [&](Value i) {
        Value byte;
        for (unsigned group = 0; group != groups; ++group) {
          Value e = plus(
              times(plus(times(byteGroup, groups), group), QuantPanel::kGroup),
              i);
          Value code = read(layout.format.codes, plus(element, e));
          if (layout.offset)
            code = arith::AddIOp::create(b, code, integer(layout.offset));
          if (position)
            code = arith::ShRUIOp::create(b, code, integer(position));
          if (groups > 1)
            code = arith::AndIOp::create(b, code, integer((1 << bits) - 1));
          if (group)
            code = arith::ShLIOp::create(b, code, integer(group * bits));
          byte = byte ? arith::OrIOp::create(b, byte, code).getResult() : code;
        }
        Value at = plus(times(byteGroup, QuantPanel::kGroupBytes),
                        plus(times(row, QuantPanel::kGroup), i));
        storeByte(byte, plus(start, at));
      });
    });
  }

  ImplicitLocOpBuilder b;
  const QuantPanel &layout;
  Value source, dest, panel, block, row, sourceRow;
};

} // namespace

void aikernel::emitBlockPacking(func::FuncOp function,
                                const QuantPanel &layout) {
  BlockPacker(function, layout).emit();
}
