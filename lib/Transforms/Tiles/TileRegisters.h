//===- TileRegisters.h - Products in registers of two dimensions ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the innermost loop of a matrix product for instructions whose operands
// are tiles of 16 rows of 64 bytes (AMX).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILES_TILEREGISTERS_H
#define AIKERNEL_LIB_TRANSFORMS_TILES_TILEREGISTERS_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "MatrixInstructions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace aikernel {

/// What is read again soon stays in L1. All else goes by it: panels on the
/// left, of which the next comes before the same again.
enum class TileReuse { Near, Far };

class TileRegisters {
public:
  TileRegisters(LoopBuilder &builder, const MatrixInstruction &instruction);

  /// Where a tile of a matrix begins.
  struct Place {
    mlir::Value matrix, row, column;
  };

  /// Where the left goes by, a square of tiles is made in halves, one after the
  /// other, each with a round for every step; else at once.
  static constexpr int64_t kHalves = 2;

  /// What is asked for into L2 meanwhile: so many lines of the cache in each
  /// round, from a line of a panel on.
  struct Request {
    mlir::Value panel, firstLine, linesOfRound;
  };

  /// Where the tiles of an operand lie, in bytes: the first one, how far its
  /// rows are apart, the tile beside it, and what the next step takes.
  struct Operand {
    mlir::Value start, rowBytes, besideBytes, stepBytes;
    TileReuse reuse;
  };

  /// Panels that lie packed, memref<steps x width>. One of the right is read
  /// again for each of the left.
  Operand leftPanel(mlir::Value panel);
  Operand rightPanel(mlir::Value panel);
  /// The other way round: those of the left, which may be rows of a matrix from
  /// this place on, are read again for each of the right.
  Operand rowsThatStay(const Place &place);
  Operand panelThatStays(mlir::Value panel);
  Operand rightThatGoesBy(mlir::Value panel);
  /// The same steps, the last one first if `isBackwards`.
  Operand turned(const Operand &operand, mlir::Value steps,
                 mlir::Value isBackwards);

  /// Writes to `to` the product of the first `rows` rows of `left`, 16 or 32,
  /// and `right` over `steps` steps, added to what is at `from` if that is
  /// given. What `beside` emits is done in each round, while tiles are
  /// multiplied.
  void multiply(const Operand &left, const Operand &right, mlir::Value steps,
                unsigned rows, const Place *from, const Place &to,
                llvm::ArrayRef<Request> requests = {},
                llvm::function_ref<void(mlir::Value round)> beside = {});

private:
  /// Where a memref's elements begin, in bytes, and its strides in elements.
  struct Address {
    mlir::Value start, rowStride, columnStride;
    int64_t elementBytes;
  };

  Address addressOf(mlir::Value memref);
  mlir::Value at(const Address &address, mlir::Value row, mlir::Value column);
  void ask(const Request &request, mlir::Value step);

  LoopBuilder &b;
  const MatrixInstruction &op;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILES_TILEREGISTERS_H
