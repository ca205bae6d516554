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
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "BlockKernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace aikernel;

namespace {

class BlockPacker {
public:
  BlockPacker(func::FuncOp function, const QuantPanel &layout)
      : b(function), layout(layout) {
    source = function.getArgument(0);
    dest = function.getArgument(1);
    panel = function.getArgument(2);
  }

  void emit() {
    Value first = b.times(panel, QuantPanel::kRows);
    Value left = b.minus(memref::DimOp::create(b, source, 0), first);
    Value rows = b.smaller(left, b.index(QuantPanel::kRows));
    Value isRagged = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, rows,
                                           b.index(QuantPanel::kRows));
    b.loop(memref::DimOp::create(b, dest, 1), 1, [&](Value newBlock) {
      block = newBlock;
      auto ragged = scf::IfOp::create(b, isRagged);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(ragged.thenBlock());
        Value nothing = arith::ConstantIntOp::create(b, 0, 32);
        b.loop(b.index(layout.getBlockBytes()), 1,
               [&](Value at) { storeByte(nothing, at); });
      }
      b.loop(rows, 1, [&](Value newRow) {
        row = newRow;
        sourceRow = b.plus(first, row);
        packScales();
        b.loop(b.index(layout.chunks), 1,
               [&](Value chunk) { packChunk(chunk); });
      });
    });
    func::ReturnOp::create(b);
  }

private:
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(b, value, 32);
  }
  /// The byte at `offset` of the block of the row.
  Value loadByte(Value offset) {
    Value at = b.plus(b.times(block, layout.format.blockBytes), offset);
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
    Value at = b.plus(b.times(row, 2), firstByte);
    storeByte(bits, at);
    storeByte(arith::ShRUIOp::create(b, bits, integer(8)), b.plus(at, 1));
  }

  Value loadHalf(unsigned byte) {
    Value high =
        arith::ShLIOp::create(b, loadByte(b.index(byte + 1)), integer(8));
    return arith::OrIOp::create(b, loadByte(b.index(byte)), high);
  }

  void packScales() {
    if (layout.format.scale == ScaleKind::Operand)
      return;
    if (layout.format.scale == ScaleKind::Half)
      storeHalf(loadHalf(layout.format.scaleByte), layout.getScaleByte());
    else
      storeHalf(powerAsBF16(loadByte(b.index(layout.format.scaleByte))),
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
        b.plus(b.times(chunk, layout.getChunkBytes()), layout.getChunkByte());
    if (layout.format.subScales)
      storeByte(read(*layout.format.subScales, chunk),
                b.plus(b.plus(start, layout.getSubScaleByte()), row));
    if (layout.format.subMinimums)
      storeByte(read(*layout.format.subMinimums, chunk),
                b.plus(b.plus(start, layout.getSubMinimumByte()), row));
    Value element = b.times(chunk, layout.chunkSize);
    packPlane(element, b.plus(start, layout.getLowByte()),
              layout.getLowGroups(), 0, layout.lowBits);
    if (layout.highBits)
      packPlane(element, b.plus(start, layout.getHighByte()),
                layout.getHighGroups(), layout.lowBits, layout.highBits);
  }

  /// `bits` of the codes from bit `position` on; a byte has those of
  /// neighbouring groups.
  void packPlane(Value element, Value start, unsigned groups, unsigned position,
                 unsigned bits) {
    b.loop(b.index(layout.getGroups() / groups), 1, [&](Value byteGroup) {
      b.loop(b.index(QuantPanel::kGroup), 1, [&](Value i) {
        Value byte;
        for (unsigned group = 0; group != groups; ++group) {
          Value e = b.plus(b.times(b.plus(b.times(byteGroup, groups), group),
                                   QuantPanel::kGroup),
                           i);
          Value code = read(layout.format.codes, b.plus(element, e));
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
        Value at = b.plus(b.times(byteGroup, QuantPanel::kGroupBytes),
                          b.plus(b.times(row, QuantPanel::kGroup), i));
        storeByte(byte, b.plus(start, at));
      });
    });
  }

  LoopBuilder b;
  const QuantPanel &layout;
  Value source, dest, panel, block, row, sourceRow;
};

} // namespace

void aikernel::emitBlockPacking(func::FuncOp function,
                                const QuantPanel &layout) {
  BlockPacker(function, layout).emit();
}
