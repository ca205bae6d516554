//===- BlockCode.h - What kernels of packed blocks share ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of a kernel's function, and code that takes the numbers of one
// block of a panel (QuantPanels.h) out of its bytes, as vectors with a row per
// lane.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_BLOCKS_BLOCKCODE_H
#define AIKERNEL_LIB_TRANSFORMS_BLOCKS_BLOCKCODE_H

#include "AIKernel/Dialect/AIKernel/QuantPanels.h"
#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "ByteSums.h"

namespace aikernel {

class BlockCode {
public:
  /// `function` is empty and has the operands of a block product as arguments,
  /// and after them a panel.
  BlockCode(mlir::func::FuncOp function, const QuantPanel &layout,
            const ByteProducts &products);

protected:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  using VectorType = mlir::VectorType;
  static constexpr unsigned kRows = QuantPanel::kRows;

  Value zeros(VectorType type);
  Value splat(VectorType type, int64_t value);
  Value broadcast(VectorType type, Value scalar);
  Value toFloats(Value integers);
  /// Adding integers of up to 2^22 to the bits of this float adds them to it.
  /// Where converting an integer costs as much as two other instructions, sums
  /// of one block begin with it, and are floats when it is subtracted.
  static constexpr float kOrigin = 0x1.8p23f;
  static int32_t bitsOfOrigin() { return llvm::bit_cast<int32_t>(kOrigin); }
  bool mayHaveOrigin() const;
  Value fromOrigin(Value sums);
  Value splat(float value);
  /// sum + x * y, fused where the target can.
  Value multiplyAdd(Value sum, Value x, Value y);

  /// For the rows of vector `v`: scales and minimums of the block (negative if
  /// they are subtracted), zero points, and sub-scales or -minimums, which are
  /// at `byte` of a chunk.
  Value loadScales(unsigned v);
  Value loadMinimums(unsigned v);
  Value loadZeros(unsigned v);
  Value loadSmall(Value chunkStart, unsigned byte, unsigned v);

  Value startOfChunk(Value chunk);
  /// Asks for what is read a while after this chunk, whose share of a block's
  /// lines that is, `ahead` bytes further on; past the end of a panel lies the
  /// next one.
  void prefetchAhead(Value chunk, int64_t ahead, unsigned locality = 2);
  /// Vector `v` of the `number`-th 64 bytes of a plane of the chunk.
  Value loadPlane(Value chunkStart, unsigned plane, unsigned number,
                  unsigned v);
  Value loadHigh(Value chunkStart, unsigned group, unsigned v);
  /// The codes of a group as bytes, given those that hold its low bits; they
  /// are layout.offset too large.
  Value unpack(Value chunkStart, Value low, unsigned group, unsigned v,
               bool withHighBits);
  /// Bytes that the instruction takes as its left side: where it takes no sign,
  /// signed ones plus 128.
  Value asLeftSide(Value codes);

  /// Are unpacked codes signed?
  bool isSigned() const {
    return layout.lowBits == 8 ||
           (!layout.format.values.empty() && valueOffset() == 0);
  }

  /// How much larger the values of a table are than those of the format: pairs
  /// of products are best without a sign.
  int64_t valueOffset() const {
    return products.addsPairs() && !layout.format.values.empty() ? kValueOffset
                                                                 : 0;
  }

  /// How much larger the bytes of asLeftSide are than the codes.
  int64_t startOffset() const {
    return layout.offset + valueOffset() +
           (isSigned() && products.wantsUnsigned() ? 128 : 0);
  }

  /// Sums of products with what asLeftSide gives.
  ByteSums sumsOf(size_t count, bool isQuads, ByteSums::StartFn start);

  LoopBuilder b;
  const QuantPanel &layout;
  const ByteProducts &products;
  int64_t lanes, vectors; // of 32 bits; that hold the rows of a panel
  VectorType floats, integers, bytes;

  Value w;               // memref<panels x blocks x bytes>
  Value wScales, wZeros; // memref<1 x panels x blocks x 16>, or null
  Value x, scales, xSums, scaledSums, out;
  Value panel;
  Value block; // where loads are from; to be set

private:
  /// Makes the values of every table positive.
  static constexpr int64_t kValueOffset = 16;

  Value unpackHigh(Value high, unsigned group);
  Value load(Value start, int64_t offset, VectorType type);
  Value loadFloats(unsigned byte, unsigned v);
  Values ofRows(unsigned v);
};

/// A row of the first panel of x, as block_matmul has it.
struct RowOfPanel {
  mlir::Value row;
  int64_t depth;        // elements of a row in a step
  int64_t blocksOfPart; // of the sum
};

/// The code of block_gemv for one row of block_matmul. `edge` has room for the
/// floats of a panel of w.
void emitGemvOfRow(const BlockCode &code, const RowOfPanel &row,
                   mlir::Value edge);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_BLOCKS_BLOCKCODE_H
