//===- QuantLanes.h - Quantized rows as the lanes of a warp read them -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where `aikernel.pack_lanes` puts the numbers of a format, derived from the
// format's description alone. A lane multiplies a unit, 32 elements, of four
// rows; neighbouring lanes have neighbouring units. What they read is in up to
// four tensors of 32-bit words, each such that a warp reads whole lines:
//
//   codes   [row / 4, row % 4, part, unit, 4]   four or all eight bits
//   high    [row / 4, bit, unit, row % 4]       the fifth and sixth bits
//   small   [row / 4, unit, words]              sub-scales, then sub-minimums
//   scales  [row / 4, block, words]             scale, then minimum of a block
//
// The words of `small` and `scales` are the bytes of row 0, of row 1, and so
// on. Of the eight groups of four elements in a unit, group g is multiplied
// with word g of the activations. Nibbles are in the order in which a shift and
// a mask give a group (element 16 is above element 0), or for formats with a
// table of values in order: the instruction that looks up takes four nibbles
// that are neighbours. The high bits of group g are the g-th of each byte.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_QUANTLANES_H
#define AIKERNEL_DIALECT_AIKERNEL_QUANTLANES_H

#include "AIKernel/Dialect/AIKernel/QuantFormats.h"

namespace aikernel {

struct QuantLanes {
  static constexpr unsigned kRows = 4;
  static constexpr unsigned kUnit = 32; // elements
  static constexpr unsigned kGroup = 4;
  static constexpr unsigned kGroups = kUnit / kGroup;
  static constexpr unsigned kWords = 4; // of codes that one load takes

  explicit QuantLanes(const QuantFormat &format);

  /// Can the format be laid out so? Groups must be 32, 64, ... 1024 elements.
  bool isPossible() const;

  const QuantFormat format;
  unsigned lowBits = 8;  // 4 or 8
  unsigned highBits = 0; // 0, 1 or 2
  /// A stored code is the integer plus this; whole bytes are signed.
  int offset = 0;

  bool hasTable() const { return !format.values.empty(); }
  unsigned getParts() const { return lowBits / 4; }
  unsigned getUnitsOfBlock() const { return format.blockSize / kUnit; }
  /// Sub-blocks that a unit has parts of.
  unsigned getSubBlocks() const;
  /// Bytes, for each row, of a unit and of a block; as many words are for all
  /// four rows.
  unsigned getSmallBytes() const;
  unsigned getScaleBytes() const;
  /// Words that a lane loads for a unit.
  unsigned getUnitWords() const;

  /// Nibble `nibble` (byte, for whole bytes) of word `word` of part `part` is
  /// the code of element part * kUnit / 2 + word * getWordStep() +
  /// placeOf(nibble) of the unit.
  unsigned getWordStep() const { return hasTable() ? 2 * kGroup : kGroup; }
  unsigned placeOf(unsigned nibble) const;
  /// How many groups have their high bits in the same word.
  unsigned getHighGroups() const { return 8 / highBits; }
};

/// The shape of a section of a matrix of so many rows and units in a row; empty
/// if the format has no such numbers.
llvm::SmallVector<int64_t> getLaneShape(LaneSection section,
                                        const QuantLanes &layout, int64_t rows,
                                        int64_t units);

} // namespace aikernel

#endif // AIKERNEL_DIALECT_AIKERNEL_QUANTLANES_H
