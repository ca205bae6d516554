//===- QuantFormats.h - What the bits of a quantized format mean ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description per format, as data: where in a block the bits of element e
// are, what is subtracted from them, and which scales they are multiplied with.
// Everything that reads or lays out quantized weights is derived from it, so a
// new format is a new entry in QuantFormats.cpp.
//
// The value of element e of a block is
//
//   scale * subScale(e) * code(e) + minimum * subMinimum(e)
//
// where a part that a format does not have is left out. The product is taken
// from left to right; it is exact in f32 for every block format.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_QUANTFORMATS_H
#define AIKERNEL_DIALECT_AIKERNEL_QUANTFORMATS_H

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace aikernel {

/// One digit of an index in mixed radix, index / step % count, and how far a
/// step of it moves the place where the bits are.
struct IndexDigit {
  unsigned step;
  unsigned count;
  unsigned bytes;
  unsigned shift;
};

/// Some bits of every number of a field: `bits` of them, which become the bits
/// from `position` on, at byte + sum of digit bytes, shifted right by
/// shift + sum of digit shifts.
struct BitPlane {
  unsigned bits;
  unsigned position;
  unsigned byte;
  unsigned shift;
  std::vector<IndexDigit> digits;

  unsigned byteOf(unsigned index) const;
  unsigned shiftOf(unsigned index) const;
};

/// Packed integers: the bits of all planes together, sign-extended if the
/// field is signed, minus `offset`.
struct PackedField {
  bool isSigned = false;
  int offset = 0;
  std::vector<BitPlane> planes;

  /// How many bits a number has.
  unsigned getWidth() const;
  /// Number `index` of the field in a block in memory.
  int read(const uint8_t *block, unsigned index) const;
};

/// Where the scale of a block is and how it is stored.
enum class ScaleKind {
  Half,     // f16 in the block
  Exponent, // one byte e of the block: 2^(e - 128)
  Operand   // an element of another tensor
};

/// Into what activations are quantized for integer products.
enum class ActivationBlock {
  Scaled,    // d = f16(amax / 127), halves away from zero
  ScaledSum, // the same, and s = f16(d * sum of the integers)
  Long,      // d = v / -127 of the number v of largest magnitude, f32
  Group      // as Scaled, d in f32
};

struct QuantFormat {
  unsigned blockSize = 32;
  unsigned blockBytes = 0;
  PackedField codes;
  /// If not empty, the number that each code stands for.
  std::vector<int8_t> values;

  ScaleKind scale = ScaleKind::Half;
  unsigned scaleByte = 0;
  /// f16 at this byte: what is added to (or with `minimumIsSubtracted` taken
  /// from) the product.
  std::optional<unsigned> minimumByte;
  bool minimumIsSubtracted = false;

  /// Integers that refine scale and minimum, one for each `subBlockSize`
  /// elements.
  unsigned subBlockSize = 0;
  std::optional<PackedField> subScales;
  std::optional<PackedField> subMinimums;

  ActivationBlock activations = ActivationBlock::Scaled;
};

/// The description of a format; grouped formats have blocks of their group.
QuantFormat getQuantFormat(QuantAttr format);

} // namespace aikernel

#endif // AIKERNEL_DIALECT_AIKERNEL_QUANTFORMATS_H
