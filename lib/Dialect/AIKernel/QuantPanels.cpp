//===- QuantPanels.cpp - Blocks of several rows, interleaved --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the description of a format. Out: its layout in panels. Bits are kept as
// narrow as the format has them wherever masks and shifts can take them apart,
// unless whole bytes are asked for.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/QuantPanels.h"

using namespace aikernel;

/// Elements whose sums one set of registers holds.
static unsigned chooseChunk(const QuantFormat &format) {
  if (format.subBlockSize != 0)
    return format.subBlockSize;
  for (unsigned size : {32u, 16u})
    if (format.blockSize % size == 0)
      return size;
  return 8;
}

QuantPanel::QuantPanel(const QuantFormat &format, bool wholeBytes)
    : format(format) {
  chunkSize = chooseChunk(format);
  chunks = format.blockSize / chunkSize;
  unsigned width = format.codes.getWidth();
  unsigned extra = width > 4 ? width - 4 : 0;
  bool splits = !wholeBytes && extra <= 2 && getGroups() % 2 == 0 &&
                (extra == 0 || getGroups() % (8 / extra) == 0);
  if (!splits)
    return; // one byte per code, as the integer that it is
  lowBits = 4;
  highBits = extra;
  offset = format.codes.isSigned ? 1 << (width - 1) : format.codes.offset;
}

unsigned QuantPanel::getChunkByte() const {
  if (format.scale == ScaleKind::Operand)
    return 0;
  return kScaleBytes * (format.minimumByte ? 2 : 1);
}

unsigned QuantPanel::getSubMinimumByte() const {
  return format.subScales ? kRows : 0;
}

unsigned QuantPanel::getLowByte() const {
  return getSubMinimumByte() + (format.subMinimums ? kRows : 0);
}

unsigned QuantPanel::getHighByte() const {
  return getLowByte() + kRows * chunkSize * lowBits / 8;
}

unsigned QuantPanel::getChunkBytes() const {
  return getHighByte() + kRows * chunkSize * highBits / 8;
}

unsigned QuantPanel::getBlockBytes() const {
  return getChunkByte() + chunks * getChunkBytes();
}
