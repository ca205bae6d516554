//===- QuantPanels.h - Blocks of several rows, interleaved ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where `aikernel.pack_blocks` puts the numbers of a format, derived from the
// format's description alone. A panel is sixteen rows; one block of it is
//
//   16 scales | 16 minimums | chunk 0 | chunk 1 | ...
//
// (only the chunks, if the scales are in a tensor of their own)
// and a chunk, which is a sub-block or at most 32 elements,
//
//   16 sub-scales | 16 sub-minimums | low bits | high bits
//
// Codes come in groups of four elements of sixteen rows, 64 bytes with the four
// of a row together, so that lane i of a vector of 32-bit sums belongs to row i
// on machines of any width. Four-bit codes share a byte with those of the next
// group; the fifth and sixth bits of all groups of a chunk follow, those of
// group g in bits g * highBits of a byte.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_QUANTPANELS_H
#define AIKERNEL_DIALECT_AIKERNEL_QUANTPANELS_H

#include "AIKernel/Dialect/AIKernel/QuantFormats.h"

namespace aikernel {

struct QuantPanel {
  static constexpr unsigned kRows = 16;
  static constexpr unsigned kGroup = 4;
  static constexpr unsigned kGroupBytes = kRows * kGroup;
  /// Scales and minimums are 16-bit floats, sub-scales and -minimums bytes.
  static constexpr unsigned kScaleBytes = 2 * kRows;

  /// With `wholeBytes` every code is a byte: more to read, less to compute.
  explicit QuantPanel(const QuantFormat &format, bool wholeBytes = false);

  const QuantFormat format;
  unsigned chunkSize = 0; // elements
  unsigned chunks = 0;    // of a block
  unsigned lowBits = 8;   // 4 or 8
  unsigned highBits = 0;  // 0, 1 or 2
  /// A stored code is the integer plus this; whole bytes are signed.
  int offset = 0;

  unsigned getScaleByte() const { return 0; }
  unsigned getMinimumByte() const { return kScaleBytes; }
  /// The rest is counted from the start of a chunk.
  unsigned getChunkByte() const;
  unsigned getSubScaleByte() const { return 0; }
  unsigned getSubMinimumByte() const;
  unsigned getLowByte() const;
  unsigned getHighByte() const;
  unsigned getChunkBytes() const;
  unsigned getBlockBytes() const;

  unsigned getGroups() const { return chunkSize / kGroup; }
  /// How many groups have bits in the same byte.
  unsigned getLowGroups() const { return 8 / lowBits; }
  unsigned getHighGroups() const { return highBits ? 8 / highBits : 0; }
};

} // namespace aikernel

#endif // AIKERNEL_DIALECT_AIKERNEL_QUANTPANELS_H
