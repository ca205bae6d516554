//===- FragmentWeights.cpp - 4-bit weights as registers want them ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: sizes. Out: the maps that FragmentWeights.h describes.
//
//===----------------------------------------------------------------------===//

#include "FragmentWeights.h"

using namespace mlir;
using namespace aikernel;

AffineMap FragmentWeights::getCodeSource(MLIRContext *context,
                                         int64_t lower) const {
  AffineExpr line = getAffineDimExpr(0, context);
  AffineExpr byte = getAffineDimExpr(1, context);
  AffineExpr slab = line.floorDiv(kCodeLines);
  AffineExpr inSlab = line % kCodeLines;
  AffineExpr thread = (inSlab % 16) * 8 + byte.floorDiv(16);
  AffineExpr warp = thread.floorDiv(32), lane = thread % 32;
  AffineExpr eighth = lane.floorDiv(4);
  AffineExpr row =
      (slab % slabs) * kRows + warp * 16 + eighth.floorDiv(2) * 4 + eighth % 2;
  AffineExpr inWord = byte % 4;
  // Two columns share a byte of the matrix.
  AffineExpr pair = (inWord % 2) * 4 + lane % 4;
  AffineExpr word = (byte % 16).floorDiv(4);
  AffineExpr column =
      (slab.floorDiv(slabs) * 2 + inSlab.floorDiv(16)) * 32 + word * 8 + pair;
  return AffineMap::get(2, 0, {row + lower, column}, context);
}

AffineMap FragmentWeights::getScaleSource(MLIRContext *context) const {
  AffineExpr line = getAffineDimExpr(0, context);
  AffineExpr number = getAffineDimExpr(1, context);
  AffineExpr slab = line.floorDiv(kScaleLines);
  AffineExpr row =
      (slab % slabs) * kRows + (line % kScaleLines) * kScalesOfLine + number;
  return AffineMap::get(2, 0, {row, slab.floorDiv(slabs)}, context);
}

AffineMap FragmentWeights::getCodePlace(MLIRContext *context) const {
  AffineExpr row = getAffineDimExpr(0, context);
  AffineExpr column = getAffineDimExpr(1, context);
  AffineExpr inSlab = row % kRows, inWord = column % 16;
  AffineExpr eighth = (inSlab % 16).floorDiv(4) * 2 + inSlab % 2;
  AffineExpr lane = eighth * 4 + (inWord % 8).floorDiv(2);
  AffineExpr thread = inSlab.floorDiv(16) * 32 + lane;
  AffineExpr half = (column % kGroup).floorDiv(64);
  AffineExpr slab = column.floorDiv(kGroup) * slabs + row.floorDiv(kRows);
  AffineExpr line = slab * kCodeLines + half * 16 + thread.floorDiv(8);
  AffineExpr byte = (thread % 8) * 16 + (column % 64).floorDiv(16) * 4 +
                    inWord.floorDiv(8) + (inWord % 2) * 2;
  return AffineMap::get(2, 0, {line, byte}, context);
}

AffineMap FragmentWeights::getScalePlace(MLIRContext *context) const {
  AffineExpr row = getAffineDimExpr(0, context);
  AffineExpr column = getAffineDimExpr(1, context);
  AffineExpr inSlab = row % kRows;
  AffineExpr slab = column.floorDiv(kGroup) * slabs + row.floorDiv(kRows);
  return AffineMap::get(2, 0,
                        {slab * kScaleLines + inSlab.floorDiv(kScalesOfLine),
                         inSlab % kScalesOfLine},
                        context);
}
