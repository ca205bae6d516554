//===- MatrixInstructions.h - What multiplies matrices on a CPU -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per instruction that a register tile can be made of: what it needs,
// what it multiplies, how its operands are packed and how its accumulators
// lie. A new instruction is a new row; packing, blocking, edges and threads
// are the same for all.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILES_MATRIXINSTRUCTIONS_H
#define AIKERNEL_LIB_TRANSFORMS_TILES_MATRIXINSTRUCTIONS_H

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "WeightStreams.h"
#include "mlir/IR/Builders.h"
#include <limits>

namespace aikernel {

/// Element types of packed operands and of accumulators.
enum class TileElement { F32, F64, F16, BF16, I8, I16, I32 };

/// Where the accumulators of a tile lie.
enum class Accumulators {
  Rows,  // a vector holds neighbours of one row
  Quads, // a vector holds a square of two rows and two columns
  Tiles  // a tile register holds 16 rows of 16 columns
};

/// How a row's element of the left operand reaches all lanes.
enum class LeftOperand {
  Lane,      // a vector of several rows is loaded, the instruction picks a lane
  Broadcast, // each row's element is loaded into all lanes
  Rows,      // the vector of two rows is itself the operand
  Tile       // so is the tile register of 16 rows
};

constexpr int64_t kManyRows = std::numeric_limits<int64_t>::max();

struct MatrixInstruction {
  llvm::StringLiteral name;
  llvm::StringLiteral arch;     // empty: any
  llvm::StringLiteral features; // LLVM features that must be there, by comma
  TileElement operand, accumulator;
  unsigned vectorBits;
  /// The register tile: its rows, the vectors of a row (of a pair of rows for
  /// quads), and how many products one step adds to each sum.
  unsigned rows, vectors, depth;
  Accumulators accumulators;
  LeftOperand left;
  /// acc + a * b for one vector of accumulators.
  mlir::Value (*multiplyAdd)(mlir::OpBuilder &, mlir::Location, mlir::Value acc,
                             mlir::Value a, mlir::Value b);
  /// The instruction reads the left operand as unsigned: it is packed 128 too
  /// large, and the sums start at -128 times the sums of the right operand.
  bool leftIsUnsigned = false;
  /// How deep the right operand is packed where it differs from the left.
  unsigned depthOnRight = 0;
  /// The most steps of one round of the tile's loop, unless QuadRounds.h has
  /// it. Where integers are multiplied and added by two instructions LLVM
  /// reorders the sums of several steps, and in some tiles it loads too early;
  /// both need more registers.
  unsigned mostSteps = 4;
  /// Where a vector of the right operand is for two vectors of accumulators:
  /// the instruction for the upper half of `b`; multiplyAdd is for the lower.
  mlir::Value (*multiplyAddUpper)(mlir::OpBuilder &, mlir::Location,
                                  mlir::Value acc, mlir::Value a,
                                  mlir::Value b) = nullptr;
  /// Products of fewer rows, or more, have a better instruction. Rows whose
  /// number is not known are many.
  int64_t fewestRows = 1;
  int64_t mostRows = kManyRows;
  /// The left operand is packed as the accumulators are, and the right one
  /// widened in each step, which costs little where it comes from memory.
  bool widensRight = false;
  /// Numbers that are as precise as the sums are packed as sums of so many
  /// operands of the instruction (NumberParts.h).
  unsigned parts = 1;

  TileElement leftOperand() const {
    return widensRight ? accumulator : operand;
  }
  unsigned rightDepth() const { return depthOnRight ? depthOnRight : depth; }
  /// Sums in one vector.
  unsigned lanes() const;
  /// Columns of the register tile.
  unsigned columns() const;
  /// How a single row reads the right operand. Cores of AArch64 with the later
  /// instructions need not ask for it.
  WeightStreams weightStreams() const {
    bool isLater = arch == "aarch64" && !features.empty();
    return isLater ? WeightStreams() : weightStreamsOf(arch);
  }
  /// Is it one of AVX-512, whose tiles are wide and soon done?
  bool isOfAVX512() const { return arch == "x86_64" && vectorBits == 512; }
  /// Has it tiles of fewer vectors, for columns that end within a panel?
  bool hasNarrowTiles() const {
    return isOfAVX512() || (left == LeftOperand::Lane && !multiplyAddUpper);
  }
};

/// What a product can make use of, each also of what comes before it.
enum class ProductForm {
  Vectors, // no tile registers
  Tiles,   // those, too
  Parts    // and operands in several parts
};

/// The best instruction of the target around `op` for products of these
/// element types, or null. The table lists better ones first. `rows` tells how
/// many rows there are.
const MatrixInstruction *
chooseInstruction(mlir::Operation *op, mlir::Type lhs, mlir::Type rhs,
                  mlir::Type accumulator, ProductForm form = ProductForm::Tiles,
                  int64_t rows = kManyRows);
/// The row of this name, or null.
const MatrixInstruction *findInstruction(llvm::StringRef name);
/// Does the instruction of this name, if there is one, have its sums in tiles?
bool isInTileRegisters(llvm::StringRef name);
/// Is the target around `op` one of AVX-512 without tile registers? No feature
/// tells the size of a cache; many of these have an L1 of 32 KiB, those with
/// tile registers have 48.
bool mayHaveSmallL1(mlir::Operation *op);
llvm::ArrayRef<MatrixInstruction> getMatrixInstructions();

mlir::Type elementType(TileElement element, mlir::MLIRContext *context);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILES_MATRIXINSTRUCTIONS_H
