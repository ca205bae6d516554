//===- QuantLanes.cpp - Quantized rows as the lanes of a warp read them ---===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the description of a format. Out: its layout for lanes.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/QuantLanes.h"
#include "llvm/Support/MathExtras.h"

using namespace aikernel;

/// Lanes that share a block exchange what they know of it.
static constexpr unsigned kMostUnitsOfBlock = 32;

QuantLanes::QuantLanes(const QuantFormat &format) : format(format) {
  unsigned width = format.codes.getWidth();
  if (width > 6)
    return;
  lowBits = 4;
  highBits = width > 4 ? width - 4 : 0;
  offset = format.codes.isSigned ? 1 << (width - 1) : format.codes.offset;
}

bool QuantLanes::isPossible() const {
  if (format.blockSize % kUnit != 0 ||
      !llvm::isPowerOf2_32(getUnitsOfBlock()) ||
      getUnitsOfBlock() > kMostUnitsOfBlock)
    return false;
  unsigned sub = format.subBlockSize;
  if (sub != 0 && sub % kUnit != 0 && (kUnit % sub != 0 || sub % kGroup != 0))
    return false;
  // Rows share words evenly.
  if (getSmallBytes() != 0 && kRows % getSmallBytes() != 0)
    return false;
  // What a block adds once, one lane adds.
  if (format.minimumByte && !format.subMinimums && getUnitsOfBlock() != 1)
    return false;
  return !hasTable() || (lowBits == 4 && highBits == 0 && offset == 0 &&
                         format.values.size() == 16);
}

unsigned QuantLanes::getSubBlocks() const {
  if (format.subBlockSize == 0 || format.subBlockSize >= kUnit)
    return 1;
  return kUnit / format.subBlockSize;
}

unsigned QuantLanes::getSmallBytes() const {
  return getSubBlocks() *
         ((format.subScales ? 1 : 0) + (format.subMinimums ? 1 : 0));
}

unsigned QuantLanes::getScaleBytes() const {
  switch (format.scale) {
  case ScaleKind::Half:
    return format.minimumByte ? 4 : 2;
  case ScaleKind::Exponent:
    return 1;
  case ScaleKind::Operand:
    return 0;
  }
  llvm_unreachable("a scale that is stored nowhere");
}

unsigned QuantLanes::getUnitWords() const {
  return kRows * (getParts() * kWords + highBits) + getSmallBytes() +
         getScaleBytes();
}

unsigned QuantLanes::placeOf(unsigned nibble) const {
  if (lowBits == 8 || hasTable())
    return nibble;
  return nibble % 2 * (kUnit / 2) + nibble / 2;
}
