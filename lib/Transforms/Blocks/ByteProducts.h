//===- ByteProducts.h - Sums of four products of bytes --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a target has for products of 8-bit integers where each 32-bit lane sums
// four of them, and for tables of sixteen bytes. Where it has nothing, the same
// is written with plain vector arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_BLOCKS_BYTEPRODUCTS_H
#define AIKERNEL_LIB_TRANSFORMS_BLOCKS_BYTEPRODUCTS_H

#include "Tiles/WeightStreams.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace aikernel {

class ByteProducts {
public:
  /// For the target of the module around `op`.
  explicit ByteProducts(mlir::Operation *op);

  /// Bits of the vectors that the functions below take: 16 rows are whole
  /// vectors of 32-bit lanes.
  unsigned getVectorBits() const { return vectorBits; }

  /// Must the left side have no sign? Then 128 is added to signed numbers and
  /// 128 times the sum of the right side taken from the result.
  bool wantsUnsigned() const { return instruction == Instruction::VPDPBUSD; }

  /// Does an instruction multiply two rows of eight bytes with two others, and
  /// add the four sums to a vector (row 0 with both, then row 1)?
  bool hasQuads() const { return quads; }
  /// How often the numbers of a row come beside each other: of quads a row has
  /// two lanes, else all of them.
  int64_t getLanesOfRow() const { return quads ? 2 : 1; }
  mlir::Value multiplyAddQuads(mlir::ImplicitLocOpBuilder &b, mlir::Value sums,
                               mlir::Value left, mlir::Value right) const;

  /// Are products of bytes added by twos, in 16 bits? Then ByteSums adds many
  /// with fewer instructions than `multiplyAdd`.
  bool addsPairs() const { return instruction == Instruction::PMADDUBSW; }
  /// The products of bytes 2 i and 2 i + 1 of both sides, added in lane i of 16
  /// bits. The left side has no sign unless it `isSigned`, the right one has.
  mlir::Value multiplyToPairs(mlir::ImplicitLocOpBuilder &b, mlir::Value left,
                              mlir::Value right, bool isSigned) const;
  /// Lanes 2 i and 2 i + 1 of 16 bits, added in lane i of 32 bits.
  mlir::Value sumPairs(mlir::ImplicitLocOpBuilder &b, mlir::Value pairs) const;

  /// Elements of a row that one instruction takes.
  int64_t getDepth() const { return quads ? 8 : 4; }

  /// Are there tile registers for products of bytes, and vectors as long as
  /// their rows?
  bool hasTiles() const { return tiles; }

  /// Is sdot all that there is?
  bool isSdot() const { return instruction == Instruction::SDOT && !quads; }

  /// Vector registers of the target.
  unsigned getRegisters() const { return registers; }

  /// How weights come whose blocks are short.
  WeightStreams getWeightStreams() const { return streams; }
  /// How many bytes before they are read those of long blocks are asked for,
  /// into L2; 0 where the machine's own prefetching keeps up.
  int64_t getBytesAhead() const { return bytesAhead; }

  /// Is there also a product of unsigned with signed bytes?
  bool takesUnsigned() const { return hasUnsigned; }
  /// Does one instruction turn a bit into a byte of ones?
  bool testsBits() const { return instruction == Instruction::SDOT; }

  /// Is `lookUp` better than shifts and masks at moving bits within a byte?
  bool looksUpBits() const { return lookUpBits; }

  /// sums[i] + the products of bytes 4 i to 4 i + 3 of both sides. The left
  /// bytes are from -128 to 127 (0 to 255 with `wantsUnsigned`), the right ones
  /// from -127 to 127.
  mlir::Value multiplyAdd(mlir::ImplicitLocOpBuilder &b, mlir::Value sums,
                          mlir::Value left, mlir::Value right) const;

  /// The same with left bytes from 0 to 255, where the target `takesUnsigned`.
  mlir::Value multiplyAddUnsigned(mlir::ImplicitLocOpBuilder &b,
                                  mlir::Value sums, mlir::Value left,
                                  mlir::Value right) const;

  /// The products of the two 16-bit numbers of each lane, added; where there
  /// are tile registers.
  mlir::Value multiplyPairs(mlir::ImplicitLocOpBuilder &b, mlir::Value left,
                            mlir::Value right) const;

  /// table[i] for each byte i < 16.
  mlir::Value lookUp(mlir::ImplicitLocOpBuilder &b,
                     llvm::ArrayRef<int8_t> table, mlir::Value bytes) const;

private:
  mlir::Value takeSigns(mlir::ImplicitLocOpBuilder &b, mlir::Value left,
                        mlir::Value right) const;

  enum class Instruction { SDOT, VPDPBUSD, PMADDUBSW, PMADDWD, None };
  enum class Table { TBL, PSHUFB, None };

  unsigned vectorBits;
  Instruction instruction = Instruction::None;
  Table table = Table::None;
  bool hasUnsigned = false;
  bool quads = false, tiles = false;
  bool lookUpBits = false;
  unsigned registers = 16;
  WeightStreams streams;
  int64_t bytesAhead = 0;
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_BLOCKS_BYTEPRODUCTS_H
